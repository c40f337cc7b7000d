import type { IdSource } from '../core/ports.ts';
import type { Refusal, Result } from '../core/result.ts';

/** An OpenAI-compatible server and the model wanted from it. Never holds the key. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  /** No trailing slash. */
  readonly baseUrl: string;
  readonly model: string;
  readonly imageSupport: 'yes' | 'no' | 'unknown';
  /** The longest side of an image as sent, in pixels. */
  readonly maxImageSidePx: number;
}

/** Where an endpoint's key is: nowhere, in this page until it closes, or stored on this device. */
export type KeyPlace = 'none' | 'page' | 'device';

/** One thing a connection test tried, and what it saw. A later line of the same `tried` replaces it. */
export interface TrialLine {
  readonly tried: string;
  readonly outcome: 'trying' | 'ok' | 'failed' | 'skipped';
  readonly seen: string;
  /** What to do next, where something failed. */
  readonly hint?: string | undefined;
}

export interface EndpointPorts {
  list(): Promise<readonly Endpoint[]>;
  /** `key`: null leaves the one there is; the empty text removes it. */
  save(endpoint: Endpoint, key: string | null, remember: boolean): Promise<void>;
  remove(id: string): Promise<void>;
  keyPlace(id: string): Promise<KeyPlace>;
  /** What was typed as it will be used, and a likelier address where this one looks incomplete. */
  normalize(typed: string): Result<{ readonly url: string; readonly suggestion?: string }>;
  /** Names of the models the server has. `key` null: the one kept for `endpoint`. Throws `ModelCallError`. */
  listModels(
    endpoint: Endpoint,
    key: string | null,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** Tries the endpoint step by step. Reports failures as lines, and throws on an abort only. */
  test(endpoint: Endpoint, key: string | null, signal: AbortSignal): AsyncIterable<TrialLine>;
}

/** What may leave: the switch, and origins. */
export interface GatePolicy {
  readonly offline: boolean;
  readonly allowed: readonly string[];
}

export interface GatePorts {
  readonly policy: GatePolicy;
  setOffline(offline: boolean): Promise<void>;
  allow(origin: string): Promise<void>;
  disallow(origin: string): Promise<void>;
  onPolicy(listener: (policy: GatePolicy) => void): () => void;
  /** The origin an address means. */
  originOf(address: string): Result<string>;
}

/** One request that left, or was kept from leaving. */
export interface LedgerLine {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly purpose: string;
  readonly kind: string;
  readonly bytesSent: number;
  readonly bytesReceived: number | null;
  readonly outcome: 'sent' | 'failed' | 'blocked';
  readonly detail: string;
}

export interface LedgerPorts {
  /** Newest first; told at once and on each change. Returns how to stop. */
  watch(limit: number, tell: (lines: readonly LedgerLine[]) => void): () => void;
  clear(): Promise<void>;
}

export interface StorageUsage {
  readonly usedBytes: number;
  readonly quotaBytes: number;
  readonly persisted: boolean;
  readonly imageBytes: number;
  readonly images: number;
  readonly runs: number;
  readonly banks: number;
}

export interface LongWork {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
}

/** What is kept on this device. Each call throws `StorageError`. */
export interface KeptPorts {
  watchUsage(tell: (usage: StorageUsage) => void): () => void;
  persist(): Promise<boolean>;
  /** Makes the file and hands it to the person; says what it holds. */
  backUp(work: LongWork): Promise<{ rows: number; images: number; leftOut: readonly string[] }>;
  restore(
    file: Blob,
    work: LongWork & { readonly mode: 'replace' | 'merge' },
  ): Promise<Result<{ records: number; keptBanks: readonly string[] }, Refusal>>;
  eraseEverything(): Promise<Result<unknown, Refusal>>;
  /** Loads the page again: what it shows is gone. */
  reload(): void;
}

/** Everything Settings acts on; `main.ts` builds it from the adapters. */
export interface SettingsPorts {
  readonly ids: IdSource;
  readonly endpoints: EndpointPorts;
  readonly gate: GatePorts;
  readonly ledger: LedgerPorts;
  readonly kept: KeptPorts;
}
