import { fold } from '../../core/bank/erasure/erased-words.ts';
import type { LogHead } from '../../core/ports.ts';
import { StorageError } from '../../core/errors.ts';
import { accept, refuse, type Result } from '../../core/result.ts';
import { sameHead } from '../bank-log.ts';
import type { Database } from '../database.ts';
import { withBankLock, withRunLock, type LockRefusal } from '../locks.ts';
import { sweepWrittenFiles } from '../written-files.ts';
import {
  banksOfTask,
  heldElsewhere,
  loggedBanks,
  planBanks,
  type LoggedBank,
  type PlannedBank,
} from './bank-erasures.ts';
import type { Erasure, ErasureOptions, ErasureRefusal, Erasures } from './erasure.ts';
import { takeAway, type Taking } from './take-away.ts';

type Outcome = Result<Erasure, ErasureRefusal>;

/** Erasing over one connection. */
export function erasures(database: Database): Erasures {
  return {
    previewLessonErasure: (bankId, lessonIds) =>
      lessonErasure(database, { bankId, lessonIds }, null),
    eraseLessons: (bankId, lessonIds, options = {}) =>
      withBankLock(bankId, () => lessonErasure(database, { bankId, lessonIds }, options)),
    previewTaskErasure: async (taskId) => {
      const found = await findTask(database, taskId);
      return taskErasure(database, { ...found, held: null }, null);
    },
    eraseTask: async (taskId, options = {}) => {
      const { runIds } = await findTask(database, taskId);
      const outcome = await holdingRuns(runIds, async () => {
        const banks = banksOfTask(await loggedBanks(database), taskId);
        const bankIds = banks.map(({ row }) => row.id);
        const found = await findTask(database, taskId);
        return holdingBanks(bankIds, () =>
          taskErasure(database, { ...found, held: new Set(runIds) }, options),
        );
      });
      return outcome.ok ? outcome.value : outcome;
    },
  };
}

/** A preview where there are no options. */
async function lessonErasure(
  database: Database,
  { bankId, lessonIds }: { readonly bankId: string; readonly lessonIds: readonly string[] },
  options: ErasureOptions | null,
): Promise<Outcome> {
  const banks = await loggedBanks(database);
  const own = banks.filter(({ row }) => row.id === bankId && row.published === 1);
  if (own.length === 0) return refuse('not-found', 'This bank is not here any more.');
  const planned = planBanks(own, { lessonIds }, options ?? {});
  if (!planned.ok) return planned;
  if (planned.value.length === 0) {
    return refuse('not-found', 'None of these lessons is in the bank any more.');
  }
  return finish(database, { banks, planned: planned.value, task: null }, options);
}

interface FoundTask {
  readonly taskId: string;
  readonly isStored: boolean;
  readonly runIds: readonly string[];
  /** Its question, where no other task asks the same. */
  readonly questions: readonly string[];
}

function findTask(database: Database, taskId: string): Promise<FoundTask> {
  const { tasks, runs } = database;
  return database.read('find the task', [tasks, runs], async () => {
    const question = (await tasks.get(taskId))?.task.question;
    const runIds = await runs.where('taskId').equals(taskId).primaryKeys();
    if (question === undefined) return { taskId, isStored: false, runIds, questions: [] };
    const same = await tasks
      .filter(({ id, task }) => id !== taskId && fold(task.question) === fold(question))
      .count();
    return { taskId, isStored: true, runIds, questions: same === 0 ? [question] : [] };
  });
}

async function taskErasure(
  database: Database,
  found: FoundTask & { readonly held: ReadonlySet<string> | null },
  options: ErasureOptions | null,
): Promise<Outcome> {
  const { taskId, isStored, questions, held } = found;
  const banks = await loggedBanks(database);
  const target = { taskIds: [taskId], questions };
  const planned = planBanks(banksOfTask(banks, taskId), target, options ?? {});
  if (!planned.ok) return planned;
  if (!isStored && planned.value.length === 0) {
    return refuse('not-found', 'This task is not here any more.');
  }
  const task = { id: taskId, held };
  return finish(database, { banks, planned: planned.value, task }, options);
}

async function finish(
  database: Database,
  {
    banks,
    planned,
    task,
  }: {
    readonly banks: readonly LoggedBank[];
    readonly planned: readonly PlannedBank[];
    readonly task: Taking['task'];
  },
  options: ErasureOptions | null,
): Promise<Outcome> {
  checkExpected(planned, options?.expected);
  const isPreview = options === null;
  const taken = await takeAway(database, { banks: planned, task }, { isPreview });
  // What was written for a download may hold what is gone.
  if (!isPreview) await sweepWrittenFiles({ all: true });
  return accept({ ...taken, elsewhere: heldElsewhere(banks, planned) });
}

/** @throws StorageError `head-moved` where a bank is not as the preview had it. */
function checkExpected(
  planned: readonly PlannedBank[],
  expected: ReadonlyMap<string, LogHead> | undefined,
): void {
  if (expected === undefined) return;
  for (const { erasure } of planned) {
    const head = expected.get(erasure.bankId);
    if (head !== undefined && sameHead(head, erasure.head)) continue;
    throw new StorageError(
      'head-moved',
      `The bank “${erasure.name}” has changed since you looked; nothing was erased.`,
    );
  }
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

/** Holds the banks' locks, in the order of their ids, so that no two erasures wait for each other. */
function holdingBanks<T>(bankIds: readonly string[], work: () => Promise<T>): Promise<T> {
  const [first, ...rest] = bankIds;
  return first === undefined ? work() : withBankLock(first, () => holdingBanks(rest, work));
}
