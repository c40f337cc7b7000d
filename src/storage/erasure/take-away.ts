import { lessonContentHash } from '../../core/bank/node.ts';
import type { Hash } from '../../core/canonical.ts';
import { StorageError } from '../../core/errors.ts';
import { dataTables } from '../bank-log.ts';
import type { Database } from '../database.ts';
import { ofRun, removeRun } from '../run-store.ts';
import { blobUsers, collectHashes, removeUnusedBlobs } from '../unused-blobs.ts';
import { replaceLog, type PlannedBank } from './bank-erasures.ts';
import { exportsOutOfReach, type Erasure } from './erasure.ts';
import { notedExports } from './export-notes.ts';

/** What one erasure takes, worked out before its transaction. */
export interface Taking {
  readonly banks: readonly PlannedBank[];
  readonly task: {
    readonly id: string;
    /** Its runs, whose locks are held; null in a preview, which holds none. */
    readonly held: ReadonlySet<string> | null;
  } | null;
}

/** Ends a preview's transaction, so that nothing of it is kept. */
class PreviewEnd extends Error {}

/**
 * Does an erasure in one transaction: all of it or none. A preview does the same and takes it back, so
 * that what it counts is what goes.
 */
export async function takeAway(
  database: Database,
  taking: Taking,
  { isPreview }: { readonly isPreview: boolean },
): Promise<Omit<Erasure, 'elsewhere'>> {
  const { references, runs, banks, settings } = database;
  const scope = [
    ...new Set([
      ...blobUsers(database),
      ...dataTables(database),
      ...[references, runs, banks, settings],
    ]),
  ];
  let taken: Omit<Erasure, 'elsewhere'> | null = null;
  try {
    return await database.write(isPreview ? 'look at what goes' : 'erase', scope, async () => {
      const done = await take(database, taking);
      if (!isPreview) return done;
      taken = done;
      throw new PreviewEnd();
    });
  } catch (error) {
    if (taken !== null && error instanceof StorageError && error.cause instanceof PreviewEnd) {
      return taken;
    }
    throw error;
  }
}

async function take(
  database: Database,
  { banks, task }: Taking,
): Promise<Omit<Erasure, 'elsewhere'>> {
  const candidates = new Set<Hash>();
  for (const bank of banks) await replaceLog(database, bank, candidates);
  const runs = task === null ? 0 : await takeTask(database, task, candidates);
  const erasures = banks.map(({ erasure }) => erasure);
  const contents = new Set(erasures.flatMap(({ report }) => report.contents));
  const drafts = await takeDrafts(database, { contents, taskId: task?.id ?? null }, candidates);
  const lessons = new Set(erasures.flatMap(({ report }) => report.lessons));
  const { removed, kept } = await removeUnusedBlobs(database, candidates);
  return {
    banks: erasures,
    runs,
    drafts,
    images: removed,
    imagesKept: kept,
    exports: exportsOutOfReach(await notedExports(database), erasures),
    runsGiven: await runsNaming(database, lessons),
  };
}

async function takeTask(
  database: Database,
  { id, held }: NonNullable<Taking['task']>,
  candidates: Set<Hash>,
): Promise<number> {
  const { tasks, references, runs, runEvents, calls, drafts } = database;
  for (const hash of (await tasks.get(id))?.imageHashes ?? []) candidates.add(hash);
  const runIds = await runs.where('taskId').equals(id).primaryKeys();
  if (held !== null && !runIds.every((runId) => held.has(runId))) {
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
  await tasks.delete(id);
  await references.delete(id);
  return runIds.length;
}

/** Removes drafts that say what was erased, or rest on the task. */
async function takeDrafts(
  { drafts }: Database,
  { contents, taskId }: { readonly contents: ReadonlySet<Hash>; readonly taskId: string | null },
  candidates: Set<Hash>,
): Promise<number> {
  const going: string[] = [];
  await drafts.each(({ id, draft }) => {
    if (draft.source.taskId !== taskId && !contents.has(lessonContentHash(draft.content))) return;
    collectHashes(draft, candidates);
    going.push(id);
  });
  await drafts.bulkDelete(going);
  return going.length;
}

/** Runs whose events name one of the lessons: they were shown its title, or given its text. */
async function runsNaming(
  { runEvents }: Database,
  lessons: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (lessons.size === 0) return [];
  const found = new Set<string>();
  await runEvents.each(({ runId, event }) => {
    if (event.type !== 'retrieval-finish' || event.record === null) return;
    const { candidates, chosen } = event.record;
    if ([...candidates, ...chosen].some(({ nodeId }) => lessons.has(nodeId))) found.add(runId);
  });
  return [...found];
}
