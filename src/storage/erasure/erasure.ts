import type {
  ErasureRefusal as BankRefusal,
  ErasureReport,
} from '../../core/bank/erasure/plan-erasure.ts';
import type { Actor } from '../../core/bank/operation.ts';
import type { LogHead } from '../../core/ports.ts';
import type { Refusal, Result } from '../../core/result.ts';
import type { LockRefusal } from '../locks.ts';
import type { ExportNote } from './export-notes.ts';

/** What goes from one bank. */
export interface BankErasure {
  readonly bankId: string;
  readonly name: string;
  /** Where the bank stood when this was worked out. Hand it back as `expected`. */
  readonly head: LogHead;
  readonly report: ErasureReport;
}

/** A bank that holds the same and is not erased from: a fork, a copy, or one from outside that waits. */
export interface HeldElsewhere {
  readonly bankId: string;
  readonly name: string;
  /** From outside, and not trusted yet: it can be thrown away. */
  readonly held: boolean;
  readonly isFork: boolean;
  readonly lessons: number;
}

/** What an erasure takes, or took. Its preview is the same, worked out and not done. */
export interface Erasure {
  /** Banks whose logs change; none where a task has nothing in any. */
  readonly banks: readonly BankErasure[];
  /** Runs of the task, with their events, calls and drafts. */
  readonly runs: number;
  /** Drafts in inboxes that say what was erased, of other runs. */
  readonly drafts: number;
  /** Images and crops that nothing names any more. */
  readonly images: number;
  /** Those that something else still shows. */
  readonly imagesKept: number;
  /** Files that may hold it, which nothing here can reach; oldest first. */
  readonly exports: readonly ExportNote[];
  readonly elsewhere: readonly HeldElsewhere[];
  /** Runs of other tasks whose records quote an erased lesson: erase their tasks to be rid of that, too. */
  readonly runsGiven: readonly string[];
}

export type ErasureRefusal = BankRefusal | LockRefusal | Refusal<'not-found'>;

export interface ErasureOptions {
  /** ISO 8601; now where it is left out. */
  readonly at?: string | undefined;
  /** A person at this page where it is left out. */
  readonly by?: Actor | undefined;
  readonly reason?: string | undefined;
  /**
   * Heads of the banks as the preview had them, by id: the erasure throws `head-moved` where a bank
   * has moved on, so that nobody erases what they were not shown.
   */
  readonly expected?: ReadonlyMap<string, LogHead> | undefined;
}

/** Erasing for good (DESIGN.md §3). Each call throws `StorageError`; nothing is ever half erased. */
export interface Erasures {
  previewLessonErasure(
    bankId: string,
    lessonIds: readonly string[],
  ): Promise<Result<Erasure, ErasureRefusal>>;
  /** Erases lessons with all their revisions, and what else has their content, from one bank. */
  eraseLessons(
    bankId: string,
    lessonIds: readonly string[],
    options?: ErasureOptions,
  ): Promise<Result<Erasure, ErasureRefusal>>;
  previewTaskErasure(taskId: string): Promise<Result<Erasure, ErasureRefusal>>;
  /**
   * Erases a task: itself, its reference, its runs, and what every bank has from it. Refused while one
   * of its runs goes on in any tab, and where one of the banks is frozen.
   */
  eraseTask(taskId: string, options?: ErasureOptions): Promise<Result<Erasure, ErasureRefusal>>;
}

/** The files among `notes` that may hold what goes: of a bank, since its first entry that changes. */
export function exportsOutOfReach(
  notes: readonly ExportNote[],
  banks: readonly BankErasure[],
): readonly ExportNote[] {
  const since = new Map(banks.map(({ bankId, report }) => [bankId, report.firstSeq]));
  return notes.filter(({ bankId, head }) => {
    if (bankId === null || head === null) return true;
    const first = since.get(bankId) ?? null;
    return first !== null && head.seq >= first;
  });
}
