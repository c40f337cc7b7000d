import type { ErasureReport } from '../core/bank/erasure/plan-erasure.ts';
import { StorageError } from '../core/errors.ts';
import type { Clock, LogHead } from '../core/ports.ts';
import type { Refusal, Result } from '../core/result.ts';

/** What an erasure takes, or took, and what it cannot reach. */
export interface Erasure {
  readonly banks: readonly {
    readonly bankId: string;
    readonly name: string;
    readonly head: LogHead;
    readonly report: ErasureReport;
  }[];
  /** Runs of the task, where one is erased. */
  readonly runs: number;
  readonly drafts: number;
  /** Images that nothing names any more, and those that something else still shows. */
  readonly images: number;
  readonly imagesKept: number;
  /** Files that may hold it. */
  readonly exports: readonly { readonly fileName: string; readonly at: string }[];
  /** Other banks that hold the same. */
  readonly elsewhere: readonly {
    readonly bankId: string;
    readonly name: string;
    readonly lessons: number;
  }[];
  /** Runs of other tasks that were given it. */
  readonly runsGiven: readonly string[];
}

/** What is to be erased. */
export type ErasureOf =
  | { readonly type: 'lesson'; readonly bankId: string; readonly lessonId: string }
  | { readonly type: 'task'; readonly taskId: string };

interface ErasureOptions {
  /** ISO 8601. */
  readonly at: string;
  /** Heads of the banks as they were shown, by id. */
  readonly expected: ReadonlyMap<string, LogHead>;
}

type Outcome = Promise<Result<Erasure, Refusal>>;

/** Each throws `StorageError`. */
export interface EraserPorts {
  readonly clock: Clock;
  previewLessonErasure(bankId: string, lessonIds: readonly string[]): Outcome;
  eraseLessons(bankId: string, lessonIds: readonly string[], options: ErasureOptions): Outcome;
  previewTaskErasure(taskId: string): Outcome;
  eraseTask(taskId: string, options: ErasureOptions): Outcome;
}

/** Erasing a lesson or a task for good: first shown, then done. */
export class EraserState {
  preview: Erasure | null = $state.raw(null);
  busy = $state(false);
  problem: string | null = $state(null);

  readonly #ports: EraserPorts;
  #of: ErasureOf | null = null;

  constructor(ports: EraserPorts) {
    this.#ports = ports;
  }

  /** Works out what would go. */
  async look(of: ErasureOf): Promise<void> {
    this.preview = null;
    this.#of = of;
    await this.#run(async () => {
      const found = await (of.type === 'lesson'
        ? this.#ports.previewLessonErasure(of.bankId, [of.lessonId])
        : this.#ports.previewTaskErasure(of.taskId));
      // Another was looked at meanwhile.
      if (this.#of !== of) return;
      if (found.ok) this.preview = found.value;
      else this.problem = found.refusal.message;
    });
  }

  /** Erases what was looked at last, as it was shown; true where it is done. */
  async erase(): Promise<boolean> {
    const of = this.#of;
    const { preview } = this;
    if (of === null || preview === null) return false;
    let done = false;
    await this.#run(async () => {
      const expected = new Map(preview.banks.map((bank) => [bank.bankId, bank.head]));
      const options = { at: this.#ports.clock.now(), expected };
      const erased = await (of.type === 'lesson'
        ? this.#ports.eraseLessons(of.bankId, [of.lessonId], options)
        : this.#ports.eraseTask(of.taskId, options));
      done = erased.ok;
      if (!erased.ok) this.problem = erased.refusal.message;
    });
    return done;
  }

  async #run(work: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.problem = null;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.problem = error.message;
    } finally {
      this.busy = false;
    }
  }
}
