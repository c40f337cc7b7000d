import { ledgerEntrySchema, type LedgerEntry } from './ledger-entry.ts';
import { readPolicy, withOrigin, withoutOrigin, type Policy } from './policy.ts';
import {
  ACTIVATE_MESSAGE,
  GATE_CACHE,
  GATE_CHANNEL,
  LEDGER_PREFIX,
  PURPOSE_HEADER,
  REQUEST_ID_HEADER,
  SETTLED_MESSAGE,
  type GateMessage,
  type GateNews,
} from './protocol.ts';
import { closeSideDoors } from './side-doors.ts';

/** The page's side of the one way out. */
export interface Gate {
  readonly policy: Policy;
  /** The page can be used: Grove's other files may now be fetched and kept for offline use. */
  settled(): void;
  setOffline(offline: boolean): Promise<void>;
  allow(origin: string): Promise<void>;
  disallow(origin: string): Promise<void>;
  /** Told whenever the policy changes, in this tab or another; returns how to stop. */
  onPolicy(listener: (policy: Policy) => void): () => void;
  /** `fetch` for a named purpose, which the ledger shows. */
  fetch(purpose: string): typeof fetch;
  /** Hands ledger entries over as they come, each once over all tabs; returns how to stop. */
  drainLedger(keep: (entry: LedgerEntry) => Promise<void>): () => void;
}

/** Why the page must not begin; `message` says what to do. */
export type GateState =
  | { readonly type: 'open'; readonly gate: Gate }
  /** The page is being loaded again, once, to be under control. */
  | { readonly type: 'reloading' }
  | { readonly type: 'closed'; readonly message: string };

const RELOADED_KEY = 'grove.reloaded';

/**
 * Puts the page under the service worker's control. A page that is not (a first visit, a hard reload)
 * is loaded again, once; where that does not help it stays closed.
 */
export async function openGate(workerUrl = '/service-worker.js'): Promise<GateState> {
  if (!('serviceWorker' in navigator)) {
    return {
      type: 'closed',
      message:
        'This browser gives the page no service worker, so Grove could not keep data from leaving and does not start. ' +
        'Open it over https or on localhost, and not in a private window.',
    };
  }
  closeSideDoors();
  try {
    const registration = await navigator.serviceWorker.register(workerUrl, {
      scope: '/',
      updateViaCache: 'none',
    });
    await takeOver(registration);
  } catch (error) {
    return {
      type: 'closed',
      message: `The service worker that keeps data from leaving could not be started (${error instanceof Error ? error.message : 'unknown'}). Reload the page; if that does not help, clear this site's data.`,
    };
  }
  if (!wasControlled()) {
    if (sessionStorage.getItem(RELOADED_KEY) !== null) {
      sessionStorage.removeItem(RELOADED_KEY);
      return {
        type: 'closed',
        message:
          'The page is not under the service worker’s control, so Grove does not start. Close this tab and open Grove again.',
      };
    }
    sessionStorage.setItem(RELOADED_KEY, 'yes');
    location.reload();
    return { type: 'reloading' };
  }
  sessionStorage.removeItem(RELOADED_KEY);
  return { type: 'open', gate: await makeGate() };
}

/** Whether this document itself came through the worker: only then is its own policy the open one. */
function wasControlled(): boolean {
  const [navigation] = performance.getEntriesByType('navigation');
  return (
    navigator.serviceWorker.controller !== null &&
    navigation instanceof PerformanceNavigationTiming &&
    navigation.workerStart > 0
  );
}

/** Waits for a worker that is active; one that waits from an earlier build's pages takes over now. */
async function takeOver(registration: ServiceWorkerRegistration): Promise<void> {
  registration.waiting?.postMessage(ACTIVATE_MESSAGE);
  await navigator.serviceWorker.ready;
}

async function makeGate(): Promise<Gate> {
  let policy = await ask({ type: 'policy-get' });
  const listeners = new Set<(policy: Policy) => void>();
  const received = new Received();
  const accept = (changed: Policy) => {
    policy = changed;
    for (const listener of listeners) listener(changed);
  };
  const channel = new BroadcastChannel(GATE_CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<GateNews>) => {
    if (data.type === 'policy') accept(readPolicy(data.policy));
  });
  const set = async (changed: Policy) => accept(await ask({ type: 'policy-set', policy: changed }));
  return {
    get policy() {
      return policy;
    },
    settled: () => navigator.serviceWorker.controller?.postMessage(SETTLED_MESSAGE),
    setOffline: (offline) => set({ ...policy, offline }),
    allow: (origin) => set(withOrigin(policy, origin)),
    disallow: (origin) => set(withoutOrigin(policy, origin)),
    onPolicy(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    fetch: (purpose) => countingFetch(purpose, received),
    drainLedger: (keep) => drain(keep, received),
  };
}

function ask(message: GateMessage): Promise<Policy> {
  return new Promise((resolve, reject) => {
    const { controller } = navigator.serviceWorker;
    if (controller === null) {
      reject(new Error('the page is not under control'));
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      port1.close();
      resolve(readPolicy(data));
    };
    controller.postMessage(message, [port2]);
  });
}

/** What this page has received for its own requests: still being read, or counted. */
class Received {
  readonly #reading = new Set<string>();
  readonly #counts = new Map<string, number | null>();
  readonly #listeners = new Set<() => void>();

  begin(id: string): void {
    this.#reading.add(id);
  }

  end(id: string, bytes: number | null): void {
    if (!this.#reading.delete(id)) return;
    this.#counts.set(id, bytes);
    for (const listener of this.#listeners) listener();
  }

  isReading(id: string): boolean {
    return this.#reading.has(id);
  }

  /** The bytes of a request that has been read, once. */
  take(id: string): number | null {
    const bytes = this.#counts.get(id) ?? null;
    this.#counts.delete(id);
    return bytes;
  }

  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A fetch that names its purpose, and counts what comes back while it is read. */
function countingFetch(purpose: string, received: Received): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const id = crypto.randomUUID();
    request.headers.set(PURPOSE_HEADER, purpose);
    request.headers.set(REQUEST_ID_HEADER, id);
    received.begin(id);
    try {
      const response = await fetch(request);
      if (response.body === null || response.type === 'opaque') {
        received.end(id, response.type === 'opaque' ? null : 0);
        return response;
      }
      return counting(response, response.body, (bytes) => received.end(id, bytes));
    } catch (error) {
      received.end(id, null);
      throw error;
    }
  };
}

function counting(
  response: Response,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  done: (bytes: number) => void,
): Response {
  const reader = body.getReader();
  let bytes = 0;
  const counted = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const piece = await reader.read();
        if (piece.done) {
          done(bytes);
          controller.close();
        } else {
          bytes += piece.value.byteLength;
          controller.enqueue(piece.value);
        }
      } catch (error) {
        done(bytes);
        controller.error(error);
      }
    },
    async cancel(reason) {
      done(bytes);
      await reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}

/**
 * Takes entries out of Cache Storage one by one, under a lock, so that two tabs keep none twice. An
 * entry of a request whose answer is still being read waits until it has been counted.
 */
function drain(keep: (entry: LedgerEntry) => Promise<void>, received: Received): () => void {
  let stopped = false;
  const run = () =>
    navigator.locks.request('grove-ledger', async () => {
      const cache = await caches.open(GATE_CACHE);
      const requests = (await cache.keys()).filter(({ url }) =>
        new URL(url).pathname.startsWith(LEDGER_PREFIX),
      );
      for (const request of requests) {
        const stored = await cache.match(request);
        const parsed = ledgerEntrySchema.safeParse(await stored?.json().catch(() => undefined));
        if (stopped || (parsed.success && received.isReading(parsed.data.id))) continue;
        if (parsed.success) {
          const bytesReceived = received.take(parsed.data.id) ?? parsed.data.bytesReceived;
          await keep({ ...parsed.data, bytesReceived });
        }
        await cache.delete(request);
      }
    });
  const channel = new BroadcastChannel(GATE_CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<GateNews>) => {
    if (data.type === 'ledger') void run();
  });
  const stopListening = received.onEnd(() => void run());
  void run();
  return () => {
    stopped = true;
    stopListening();
    channel.close();
  };
}
