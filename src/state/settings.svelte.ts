import { StorageError } from '../core/errors.ts';
import { EndpointForm } from './endpoint-form.svelte.ts';
import type {
  Endpoint,
  GatePolicy,
  KeyPlace,
  LedgerLine,
  SettingsPorts,
  StorageUsage,
} from './settings-ports.ts';

const LEDGER_LISTED = 200;

/** Work with progress that a person can stop. */
export interface Job {
  readonly what: string;
  readonly done: number;
  readonly total: number;
}

/** What became of the last thing that was asked for. */
export interface Outcome {
  readonly kind: 'done' | 'problem';
  readonly message: string;
}

/** Settings: endpoints, what may leave, and what is kept here. */
export class SettingsState {
  endpoints: readonly Endpoint[] = $state.raw([]);
  keys: ReadonlyMap<string, KeyPlace> = $state.raw(new Map());
  policy: GatePolicy = $state.raw({ offline: false, allowed: [] });
  /** null until they are read. */
  ledger: readonly LedgerLine[] | null = $state.raw(null);
  usage: StorageUsage | null = $state.raw(null);
  /** The endpoint being added or changed. */
  form: EndpointForm | null = $state.raw(null);
  job: Job | null = $state.raw(null);
  outcome: Outcome | null = $state.raw(null);
  readonly hosts = $derived(this.policy.allowed.map((origin) => new URL(origin).host));

  readonly #ports: SettingsPorts;
  #abort: AbortController | null = null;

  constructor(ports: SettingsPorts) {
    this.#ports = ports;
    this.policy = ports.gate.policy;
  }

  /** Follows the policy, the ledger and the usage, over all tabs. Returns how to stop. */
  open(): () => void {
    const { gate, ledger, kept } = this.#ports;
    this.policy = gate.policy;
    void this.#guard(() => this.#readEndpoints());
    const stops = [
      gate.onPolicy((policy) => (this.policy = policy)),
      ledger.watch(LEDGER_LISTED, (lines) => (this.ledger = lines)),
      kept.watchUsage((usage) => (this.usage = usage)),
    ];
    return () => stops.forEach((stop) => stop());
  }

  edit(endpoint: Endpoint | null): void {
    this.form?.close();
    const keyPlace = endpoint === null ? 'none' : (this.keys.get(endpoint.id) ?? 'none');
    this.form = new EndpointForm(this.#ports, { endpoint, keyPlace });
  }

  closeForm(): void {
    this.form?.close();
    this.form = null;
  }

  /** Keeps what the form says; its origin may then be reached. */
  async saveForm(): Promise<boolean> {
    const form = this.form;
    if (form === null) return false;
    return this.#guard(async () => {
      if (!(await form.save())) return false;
      this.closeForm();
      await this.#readEndpoints();
      return true;
    });
  }

  /** Removes an endpoint with its key. Its host stays allowed only while another endpoint is there. */
  async removeEndpoint(endpoint: Endpoint): Promise<boolean> {
    return this.#guard(async () => {
      const { endpoints, gate } = this.#ports;
      await endpoints.remove(endpoint.id);
      await this.#readEndpoints();
      const { origin } = new URL(endpoint.baseUrl);
      if (!this.endpoints.some(({ baseUrl }) => new URL(baseUrl).origin === origin)) {
        await gate.disallow(origin);
      }
      return true;
    });
  }

  /** Puts a removed endpoint back, without its key. */
  async putBack(endpoint: Endpoint): Promise<void> {
    await this.#guard(async () => {
      await this.#ports.endpoints.save(endpoint, null, false);
      await this.#ports.gate.allow(new URL(endpoint.baseUrl).origin);
      await this.#readEndpoints();
      return true;
    });
  }

  async setOffline(offline: boolean): Promise<void> {
    await this.#guard(() => this.#ports.gate.setOffline(offline).then(() => true));
  }

  /** Allows a host; false, with a reason in `outcome`, where the address is none. */
  async allow(address: string): Promise<boolean> {
    return this.#guard(async () => {
      const origin = this.#ports.gate.originOf(address);
      if (!origin.ok) {
        this.outcome = { kind: 'problem', message: origin.refusal.message };
        return false;
      }
      await this.#ports.gate.allow(origin.value);
      return true;
    });
  }

  async disallow(origin: string): Promise<void> {
    await this.#guard(() => this.#ports.gate.disallow(origin).then(() => true));
  }

  async clearLedger(): Promise<void> {
    await this.#guard(() => this.#ports.ledger.clear().then(() => true));
  }

  async persist(): Promise<void> {
    await this.#guard(async () => {
      const granted = await this.#ports.kept.persist();
      if (this.usage !== null) this.usage = { ...this.usage, persisted: granted };
      this.outcome = granted
        ? { kind: 'done', message: 'The browser will not clear this data by itself.' }
        : {
            kind: 'problem',
            message:
              'The browser did not promise it. Most do once a site is used often or bookmarked; until then, back up.',
          };
      return true;
    });
  }

  async backUp(): Promise<void> {
    await this.#work('Backing up', async (work) => {
      const { rows, images, leftOut } = await this.#ports.kept.backUp(work);
      const damaged =
        leftOut.length === 0 ? '' : ` ${leftOut.length} damaged images were left out.`;
      return `Backed up ${rows.toLocaleString('en')} records and ${images.toLocaleString('en')} images. Keys are not in the file.${damaged}`;
    });
  }

  async restore(file: Blob, mode: 'replace' | 'merge'): Promise<void> {
    await this.#work('Restoring', async (work) => {
      const restored = await this.#ports.kept.restore(file, { ...work, mode });
      if (!restored.ok) {
        this.outcome = {
          kind: 'problem',
          message: `Not restored: ${restored.refusal.message} Nothing was changed.`,
        };
        return null;
      }
      await this.#readEndpoints();
      const { records, keptBanks } = restored.value;
      const kept =
        keptBanks.length === 0
          ? ''
          : ` These banks had gone another way here and were kept as they are: ${keptBanks.join(', ')}.`;
      return `Restored ${records.toLocaleString('en')} records.${kept}`;
    });
  }

  async eraseEverything(): Promise<void> {
    await this.#guard(async () => {
      const erased = await this.#ports.kept.eraseEverything();
      if (erased.ok) this.#ports.kept.reload();
      else this.outcome = { kind: 'problem', message: erased.refusal.message };
      return erased.ok;
    });
  }

  stopJob(): void {
    this.#abort?.abort();
  }

  async #readEndpoints(): Promise<boolean> {
    const { endpoints } = this.#ports;
    this.endpoints = await endpoints.list();
    const places = this.endpoints.map(
      async ({ id }) => [id, await endpoints.keyPlace(id)] as const,
    );
    this.keys = new Map(await Promise.all(places));
    return true;
  }

  async #work(
    what: string,
    run: (work: {
      signal: AbortSignal;
      onProgress: (progress: { done: number; total: number }) => void;
    }) => Promise<string | null>,
  ): Promise<void> {
    if (this.job !== null) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.job = { what, done: 0, total: 0 };
    await this.#guard(async () => {
      const message = await run({
        signal: abort.signal,
        onProgress: ({ done, total }) => (this.job = { what, done, total }),
      }).catch((error: unknown) => {
        if (!abort.signal.aborted) throw error;
        return `${what} was stopped. Nothing was changed.`;
      });
      if (message !== null) this.outcome = { kind: 'done', message };
      return true;
    });
    this.job = null;
    this.#abort = null;
  }

  async #guard(work: () => Promise<boolean>): Promise<boolean> {
    this.outcome = null;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.outcome = { kind: 'problem', message: error.message };
      return false;
    }
  }
}
