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

export interface EraserPorts {
  readonly clock: Clock;
  /** Both throw `StorageError`. */
  previewLessonErasure(
    bankId: string,
    lessonIds: readonly string[],
  ): Promise<Result<Erasure, Refusal>>;
  eraseLessons(
    bankId: string,
    lessonIds: readonly string[],
    options: { readonly at: string; readonly expected: ReadonlyMap<string, LogHead> },
  ): Promise<Result<Erasure, Refusal>>;
}

/** Erasing a lesson for good: first shown, then done. */
export class EraserState {
  preview: Erasure | null = $state.raw(null);
  busy = $state(false);
  problem: string | null = $state(null);

  readonly #ports: EraserPorts;

  constructor(ports: EraserPorts) {
    this.#ports = ports;
  }

  /** Works out what would go. */
  async look(bankId: string, lessonId: string): Promise<void> {
    this.preview = null;
    await this.#run(async () => {
      const found = await this.#ports.previewLessonErasure(bankId, [lessonId]);
      if (found.ok) this.preview = found.value;
      else this.problem = sentence(found.refusal);
    });
  }

  /** Erases what was shown; true where it is done. */
  async erase(bankId: string, lessonId: string): Promise<boolean> {
    const { preview } = this;
    if (preview === null) return false;
    let done = false;
    await this.#run(async () => {
      const expected = new Map(preview.banks.map((bank) => [bank.bankId, bank.head]));
      const at = this.#ports.clock.now();
      const erased = await this.#ports.eraseLessons(bankId, [lessonId], { at, expected });
      done = erased.ok;
      if (!erased.ok) this.problem = sentence(erased.refusal);
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

function sentence({ reason, message }: Refusal): string {
  return reason === 'frozen' ? 'The bank is frozen: unfreeze it to erase from it.' : message;
}
