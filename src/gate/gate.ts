import { countingFetch, Received } from './counting-fetch.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { readPolicy, withOrigin, withoutOrigin, type Policy } from './policy.ts';
import {
  ACTIVATE_MESSAGE,
  GATE_CHANNEL,
  SETTLED_MESSAGE,
  type GateMessage,
  type GateNews,
} from './protocol.ts';
import { closeSideDoors } from './side-doors.ts';

/** The page's side of the one way out. */
export interface Gate {
  readonly policy: Policy;
  /** The page can be used: Grove's files may now be fetched and kept for offline use. */
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
const TAKE_OVER_MS = 3000;

/**
 * Puts the page under the service worker's control. A page that is not (a first visit, a hard reload)
 * is loaded again, once; where that does not help it stays closed. `loading` is what the page fetches
 * meanwhile.
 */
export async function openGate(
  workerUrl = '/service-worker.js',
  loading: Promise<unknown> = Promise.resolve(),
): Promise<GateState> {
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
    await takeOver(workerUrl, loading);
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

/**
 * Waits for a worker that is active; one that waits from an earlier build's pages takes over now. Where
 * one is active already, registering is not waited for: it queues behind an update of the worker, and
 * Chromium was seen to need a minute for one that a hard reload cut off. Nothing is fetched while one
 * takes over: Chromium was seen to never answer the script of a worker that was asked for just then.
 */
async function takeOver(workerUrl: string, loading: Promise<unknown>): Promise<void> {
  const { serviceWorker } = navigator;
  const registered = serviceWorker.register(workerUrl, { scope: '/', updateViaCache: 'none' });
  await Promise.race([registered, serviceWorker.ready]);
  const { waiting, active } = await serviceWorker.ready;
  if (waiting !== null) {
    await loading.catch(() => undefined);
    waiting.postMessage(ACTIVATE_MESSAGE);
    await hasTakenOver(waiting);
  } else if (active?.state === 'activating') await hasTakenOver(active);
}

/** At most `TAKE_OVER_MS`: the page works under the old worker, too. */
function hasTakenOver(worker: ServiceWorker): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, TAKE_OVER_MS);
    const look = () => {
      if (worker.state !== 'activated' && worker.state !== 'redundant') return;
      clearTimeout(timer);
      worker.removeEventListener('statechange', look);
      resolve();
    };
    worker.addEventListener('statechange', look);
    look();
  });
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
    drainLedger(keep) {
      let stopped = false;
      let stop = () => {
        stopped = true;
      };
      // Nothing of it is needed before the page can be used.
      void import('./drain-ledger.ts').then(({ drainLedger }) => {
        if (!stopped) stop = drainLedger(keep, received);
      });
      return () => stop();
    },
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
