import type { Hash } from '../core/canonical.ts';
import { StorageError } from '../core/errors.ts';
import { accept, refuse, type Result } from '../core/result.ts';
import type { Database } from './database.ts';
import { withoutRuns, withRunLock, type LockRefusal } from './locks.ts';
import { ofRun, removeRun } from './run-store.ts';
import { blobUsers, collectHashes, removeUnusedBlobs } from './unused-blobs.ts';

/** What went with a task. Images that something else still shows stay. */
export interface ErasedTask {
  readonly runs: number;
  readonly images: number;
  readonly imagesKept: number;
}

/**
 * Empties every table in one transaction: banks, runs, images, settings with their secrets, the
 * ledger. Refused while a run goes on in any tab.
 */
export function eraseEverything(database: Database): Promise<Result<void, LockRefusal>> {
  return withoutRuns(() =>
    database.write('erase everything', database.tables, async () => {
      for (const table of database.tables) await table.clear();
    }),
  );
}

/**
 * Erases a task: itself, its reference, its runs with their events, calls and drafts, and the images
 * and crops that nothing else uses. Lessons already in a bank stay, with their crops; a bank's own
 * erasure removes those. Refused while one of its runs goes on in any tab.
 */
export async function eraseTask(
  database: Database,
  taskId: string,
): Promise<Result<ErasedTask, LockRefusal | { reason: 'not-found'; message: string }>> {
  const { tasks, runs } = database;
  const found = await database.read('find the task', [tasks, runs], async () => ({
    task: await tasks.get(taskId),
    runIds: await runs.where('taskId').equals(taskId).primaryKeys(),
  }));
  if (found.task === undefined) return refuse('not-found', 'This task is not here any more.');
  return holdingRuns(found.runIds, () => removeTask(database, taskId, new Set(found.runIds)));
}

/** Holds every run's lock at once; gives up at the first that is held. */
async function holdingRuns<T>(
  runIds: readonly string[],
  work: () => Promise<T>,
): Promise<Result<T, LockRefusal>> {
  const [first, ...rest] = runIds;
  if (first === undefined) return accept(await work());
  const outcome = await withRunLock(first, () => holdingRuns(rest, work));
  return outcome.ok ? outcome.value : outcome;
}

function removeTask(
  database: Database,
  taskId: string,
  held: ReadonlySet<string>,
): Promise<ErasedTask> {
  const { tasks, references, runs, runEvents, calls, drafts, banks } = database;
  const scope = [...blobUsers(database), references, runs, banks];
  return database.write('erase the task', scope, async () => {
    const candidates = new Set<Hash>((await tasks.get(taskId))?.imageHashes);
    const runIds = await runs.where('taskId').equals(taskId).primaryKeys();
    if (!runIds.every((runId) => held.has(runId))) {
      throw new StorageError('failed', 'A run of this task has just begun; nothing was erased.');
    }
    for (const runId of runIds) {
      const events = runEvents.where('[runId+index]').between(...ofRun(runId));
      await events.each((row) => collectHashes(row.event, candidates));
      await drafts
        .where('runId')
        .equals(runId)
        .each((row) => collectHashes(row.draft, candidates));
      await calls
        .where('runId')
        .equals(runId)
        .each((row) => collectHashes(row.call, candidates));
      await removeRun(database, runId);
    }
    await tasks.delete(taskId);
    await references.delete(taskId);
    const { removed, kept } = await removeUnusedBlobs(database, candidates);
    return { runs: runIds.length, images: removed, imagesKept: kept };
  });
}
