import type { ModelEntry } from '../../core/models/model-entry.ts';
import type { FileWorkOptions, ModelSources } from '../../core/models/model-store.ts';
import { JobLane } from './job-lane.ts';
import { advance, NO_MEMO, startedStanding, type Job, type Memo } from './library-list.ts';

const PAUSED = new Error('the person paused');
const STOPPED = new Error('the person stopped it');

export interface LibraryJobsPorts {
  /** Something of them is other than it was. */
  changed(): void;
  /** After a job: what is on the device may be other than it was. */
  look(): Promise<void>;
  /** Bytes of a model that came already. */
  came(id: string): number;
  /** What an expected failure is told as; throws what is not expected. */
  sentenceOf(error: unknown): string;
  /** Monotonic milliseconds. */
  nowMs(): number;
}

/** What a job is given: how to be stopped, and whom to tell. */
export type JobOptions = FileWorkOptions & { readonly signal: AbortSignal };

/** The work on models' files: one is brought in at a time, and one checked beside it. */
export class LibraryJobs {
  readonly running = new Map<string, Job>();
  readonly memos = new Map<string, Memo>();
  readonly #ports: LibraryJobsPorts;
  readonly #brings = new JobLane();
  readonly #checks = new JobLane();

  constructor(ports: LibraryJobsPorts) {
    this.#ports = ports;
  }

  note(id: string, news: Partial<Memo>): void {
    this.memos.set(id, { ...(this.memos.get(id) ?? NO_MEMO), ...news });
    this.#ports.changed();
  }

  /** Does it when its turn comes; nothing where something is done with that model already. */
  async work(
    { entry, kind, sources }: Pick<Job, 'entry' | 'kind' | 'sources'>,
    run: (job: Job, options: JobOptions) => Promise<unknown>,
  ): Promise<void> {
    const { id } = entry;
    if (this.running.has(id)) return;
    const over = Promise.withResolvers<void>();
    const abort = new AbortController();
    const job: Job = {
      ...{ kind, sources, entry, abort, over: over.promise, samples: [] },
      standing: { type: 'waiting', for: kind },
    };
    const { nowMs, came, changed, look } = this.#ports;
    const onProgress: FileWorkOptions['onProgress'] = (progress) => {
      advance(job, progress, nowMs());
      changed();
    };
    this.running.set(id, job);
    this.note(id, NO_MEMO);
    try {
      await (kind === 'check' ? this.#checks : this.#brings).run(abort.signal, async () => {
        job.standing = startedStanding(job, came(id));
        changed();
        await run(job, { signal: abort.signal, onProgress });
      });
    } catch (error) {
      if (error === PAUSED && kind !== 'check') {
        this.note(id, { paused: { kind, entry: job.entry, sources } });
      } else if (error !== PAUSED && error !== STOPPED) {
        this.note(id, { problem: this.#ports.sentenceOf(error) });
      }
    } finally {
      this.running.delete(id);
      await look();
      over.resolve();
    }
  }

  /** Bringing in is paused; a check is given up. */
  stop(id: string): void {
    this.running.get(id)?.abort.abort(PAUSED);
  }

  /** Ends what is done with a model, and forgets what this visit knows of it. */
  async end(id: string): Promise<void> {
    const job = this.running.get(id);
    job?.abort.abort(STOPPED);
    await job?.over;
    this.memos.delete(id);
  }
}
