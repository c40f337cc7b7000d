import { accept, refuse, type Result } from '../core/result.ts';

/** Why a lock was not given: what a page can say, and whether it is itself the holder. */
export type LockRefusal = {
  readonly reason: 'held-by-this-page' | 'held-by-another-page';
  readonly message: string;
};

/** Every driven run holds this shared; what erases or replaces everything needs it alone. */
const ALL_RUNS = 'grove-runs';
const RESTORE = 'grove-restore';

/** Waits for the bank's lock, which one append at a time holds over all pages, and runs `work` under it. */
export function withBankLock<T>(bankId: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks.request(`grove-bank-${bankId}`, work);
}

/**
 * Runs `work` while this page alone drives the run. Does not wait: where another page (or this one)
 * drives it, says so. A page that crashes or is closed lets go at once.
 */
export async function withRunLock<T>(
  runId: string,
  work: () => Promise<T>,
): Promise<Result<T, LockRefusal>> {
  return navigator.locks.request(
    ALL_RUNS,
    { mode: 'shared', ifAvailable: true },
    async (all): Promise<Result<T, LockRefusal>> => {
      if (all === null) {
        return refuse(
          await holder(ALL_RUNS),
          'Everything is being erased or replaced; start the run after that.',
        );
      }
      return tryLock(`grove-run-${runId}`, 'exclusive', work, (reason) =>
        reason === 'held-by-this-page'
          ? 'This page is already working on this run.'
          : 'Another tab of Grove is working on this run. Follow it there, or close that tab and continue here.',
      );
    },
  );
}

/** Runs `work` while no page drives any run. Does not wait. */
export function withoutRuns<T>(work: () => Promise<T>): Promise<Result<T, LockRefusal>> {
  return tryLock(ALL_RUNS, 'exclusive', work, (reason) =>
    reason === 'held-by-this-page'
      ? 'A run is going on in this page; stop it first.'
      : 'A run is going on in another tab of Grove; stop it first.',
  );
}

/** Runs `work` while no other restore goes on. Does not wait. */
export function withRestoreLock<T>(work: () => Promise<T>): Promise<Result<T, LockRefusal>> {
  return tryLock(RESTORE, 'exclusive', work, () => 'Another restore is still going on.');
}

function tryLock<T>(
  name: string,
  mode: LockMode,
  work: () => Promise<T>,
  sentence: (reason: LockRefusal['reason']) => string,
): Promise<Result<T, LockRefusal>> {
  return navigator.locks.request(
    name,
    { mode, ifAvailable: true },
    async (lock): Promise<Result<T, LockRefusal>> => {
      if (lock !== null) return accept(await work());
      const reason = await holder(name);
      return refuse(reason, sentence(reason));
    },
  );
}

/** Whether the page that holds `name` is this one. */
async function holder(name: string): Promise<LockRefusal['reason']> {
  // A page learns its own client id only from a lock it holds.
  const probe = `grove-probe-${crypto.randomUUID()}`;
  return navigator.locks.request(probe, async () => {
    const { held = [] } = await navigator.locks.query();
    const own = held.find((lock) => lock.name === probe)?.clientId;
    const owners = held.filter((lock) => lock.name === name).map((lock) => lock.clientId);
    return owners.includes(own) ? 'held-by-this-page' : 'held-by-another-page';
  });
}
