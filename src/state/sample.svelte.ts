import { z } from 'zod';
import { defaultManifest } from '../core/bank/operation.ts';
import type { Json } from '../core/canonical.ts';
import { StorageError } from '../core/errors.ts';
import type {
  BankStore,
  BlobStore,
  Clock,
  Grader,
  IdSource,
  ReferenceStore,
  RunStore,
} from '../core/ports.ts';
import {
  DEFAULT_RUN_CONFIG,
  type LessonDraft,
  type RunConfig,
  type RunRecord,
} from '../core/run.ts';
import type { Reference, Task } from '../core/task.ts';
import type { Runner } from './runner.svelte.ts';

/** One task of the sample, with the bytes of its picture and its known answer. */
export interface SampleTask {
  readonly task: Task;
  readonly reference: Reference;
  readonly picture: { readonly bytes: Uint8Array<ArrayBuffer>; readonly mediaType: string };
  /** What it is about, in two or three words: "Counting stops". */
  readonly about: string;
}

/** The story: tasks that build a bank, then one on a map never seen before. */
export interface Sample {
  /** What is simulated and what is real, in three sentences. */
  readonly explanation: string;
  readonly build: readonly SampleTask[];
  readonly last: SampleTask;
}

/** Where an accepted lesson went: "Transit maps › Counting stops". */
export interface PlacedLesson {
  readonly lessonId: string;
  readonly title: string;
  readonly path: string;
}

export interface SamplePorts {
  readonly runs: RunStore;
  readonly references: ReferenceStore;
  readonly banks: BankStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly grader: Grader;
  /** Draws the maps; loaded when first asked for. */
  loadSample(): Promise<Sample>;
  /** Takes drafts into the bank, each once, however often it is asked. */
  /** The organizer of `config` places them. */
  acceptDrafts(
    bankId: string,
    drafts: readonly LessonDraft[],
    config: RunConfig,
  ): Promise<readonly PlacedLesson[]>;
  getSetting(key: string): Promise<Json | undefined>;
  setSetting(key: string, value: Json): Promise<void>;
  /** Waits so that a person can read; returns at once after an abort. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const SAMPLE_LABEL = 'metro-sample';
const PROGRESS_KEY = 'sample.progress';
const FAST_KEY = 'sample.fast';
/** How long an answer stands before the next task begins, in milliseconds. */
const READING_MS = 1500;

const progressSchema = z.object({
  bankId: z.string(),
  steps: z.array(z.object({ runId: z.string(), kind: z.enum(['build', 'without', 'with']) })),
  byItself: z.boolean(),
  finished: z.boolean(),
});
type Progress = z.infer<typeof progressSchema>;

/** One run of the story, as its list shows it. */
export interface SampleStep {
  readonly runId: string;
  readonly kind: 'build' | 'without' | 'with';
  readonly about: string;
  readonly state: 'to-come' | 'running' | 'done';
  readonly answer: string | null;
  readonly verdict: 'right' | 'wrong' | 'unknown' | null;
  readonly placed: readonly PlacedLesson[];
}

/**
 * Plays the metro sample through the ordinary runner: bank construction with feedback `reference`,
 * then a new task with feedback `none`, once without and once with the bank. What was played is kept,
 * so that a story cut off goes on where it was.
 */
export class SampleStory {
  status: 'idle' | 'loading' | 'playing' | 'waiting' | 'paused' | 'done' = $state('idle');
  steps: readonly SampleStep[] = $state.raw([]);
  explanation = $state('');
  byItself = $state(true);
  /** Without the pauses and the pace that let a person follow. */
  fast = $state(false);
  bankId: string | null = $state(null);
  problem: string | null = $state(null);
  /** The step that is shown or played; -1 before the first. */
  at = $state(-1);

  readonly #ports: SamplePorts;
  readonly #runner: Runner;
  #sample: Sample | null = null;
  #progress: Progress | null = null;
  #abort = new AbortController();
  #next: (() => void) | null = null;

  constructor(ports: SamplePorts, runner: Runner) {
    this.#ports = ports;
    this.#runner = runner;
  }

  /** Begins the story anew, in a bank of its own. */
  async start(byItself: boolean): Promise<void> {
    if (this.status === 'loading' || this.status === 'playing') return;
    this.byItself = byItself;
    await this.#guard(async () => {
      const sample = await this.#load();
      const { banks, ids, clock } = this.#ports;
      const bankId = ids.next();
      const taken = (await banks.listBanks()).map(({ manifest }) => manifest.name);
      const name = freeName('Metro sample', taken);
      await banks.createBank(defaultManifest({ id: bankId, name, createdAt: clock.now() }));
      const kinds = [...sample.build.map(() => 'build' as const), 'without', 'with'] as const;
      const steps = kinds.map((kind) => ({ runId: ids.next(), kind }));
      // A person may have chosen otherwise while the maps were drawn.
      await this.#keep({ bankId, steps, byItself: this.byItself, finished: false });
      await this.#play();
    });
  }

  /** Takes up a story that was cut off by closing the page; false where there is none. */
  async resume(): Promise<boolean> {
    const stored = progressSchema.safeParse(await this.#ports.getSetting(PROGRESS_KEY));
    if (!stored.success || stored.data.finished) return false;
    await this.#guard(async () => {
      await this.#load();
      this.#progress = stored.data;
      this.byItself = stored.data.byItself;
      await this.#play();
    });
    return true;
  }

  /** Goes on: from a pause, or to the next step where a person steps through. */
  async goOn(): Promise<void> {
    if (this.#next !== null) this.#next();
    else if (this.status === 'paused') await this.#guard(() => this.#play());
  }

  /** From now on by itself, or step by step. */
  async setByItself(byItself: boolean): Promise<void> {
    this.byItself = byItself;
    if (this.#progress !== null) await this.#keep({ ...this.#progress, byItself });
    if (byItself) this.#next?.();
  }

  async setFast(fast: boolean): Promise<void> {
    this.fast = fast;
    await this.#guard(() => this.#ports.setSetting(FAST_KEY, fast));
  }

  /** Stops where it is; `goOn` takes it up again. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#next?.();
    await this.#runner.stop();
  }

  /** Leaves the story; what it made stays. */
  async leave(): Promise<void> {
    await this.stop();
    if (this.#progress !== null) await this.#keep({ ...this.#progress, finished: true });
    this.status = 'idle';
    this.steps = [];
    this.at = -1;
  }

  async #load(): Promise<Sample> {
    this.status = 'loading';
    this.fast = (await this.#ports.getSetting(FAST_KEY)) === true;
    this.#sample ??= await this.#ports.loadSample();
    this.explanation = this.#sample.explanation;
    return this.#sample;
  }

  async #keep(progress: Progress): Promise<void> {
    this.#progress = progress;
    this.byItself = progress.byItself;
    await this.#ports.setSetting(PROGRESS_KEY, progress);
  }

  async #play(): Promise<void> {
    const progress = this.#progress;
    const sample = this.#sample;
    if (progress === null || sample === null) return;
    this.#abort = new AbortController();
    this.bankId = progress.bankId;
    this.status = 'playing';
    this.steps = progress.steps.map(({ runId, kind }, index) => ({
      runId,
      kind,
      about: (sample.build[index] ?? sample.last).about,
      state: 'to-come',
      answer: null,
      verdict: null,
      placed: [],
    }));
    // The list is drawn before the first run is: two short tasks rather than a long one.
    await this.#ports.pause(0, this.#abort.signal);
    for (const index of this.steps.keys()) {
      if (!(await this.#step(index, sample.build[index] ?? sample.last))) {
        this.status = 'paused';
        return;
      }
    }
    await this.#keep({ ...progress, byItself: this.byItself, finished: true });
    this.status = 'done';
  }

  /** One run to its end with what follows from it; false where it was stopped or failed. */
  async #step(index: number, sampleTask: SampleTask): Promise<boolean> {
    const step = this.steps[index];
    if (step === undefined || this.bankId === null) return false;
    const { runs } = this.#ports;
    let record = await runs.getRun(step.runId);
    if (record?.status !== 'finished') {
      if (index > 0 && !(await this.#mayBegin())) return false;
      this.at = index;
      this.#change(index, { state: 'running' });
      record = (await this.#run(step, record, sampleTask)) ?? undefined;
      if (record?.status !== 'finished') return false;
    } else {
      this.at = index;
      await this.#runner.show(record);
    }
    const placed = step.kind === 'build' ? await this.#accept(record) : [];
    const answer = record.answer;
    const verdict =
      answer === null ? 'unknown' : await this.#ports.grader.grade(sampleTask.task, answer);
    this.#change(index, { state: 'done', answer, verdict, placed });
    return true;
  }

  async #run(
    step: SampleStep,
    known: RunRecord | undefined,
    { task, reference, picture }: SampleTask,
  ): Promise<RunRecord | null> {
    const { blobs, references, clock } = this.#ports;
    await blobs.put(picture.bytes, picture.mediaType);
    await references.putReference(reference);
    const now = clock.now();
    const record: RunRecord = known ?? {
      id: step.runId,
      taskId: task.id,
      config: configOf(step.kind, this.bankId),
      status: 'running',
      answer: null,
      createdAt: now,
      updatedAt: now,
      userFeedback: [],
      label: SAMPLE_LABEL,
    };
    return this.#runner.drive(record, task);
  }

  async #accept(record: RunRecord): Promise<readonly PlacedLesson[]> {
    const { bankId } = record.config;
    if (bankId === null) return [];
    const drafts = await this.#ports.runs.listDrafts(bankId);
    const own = drafts.filter(({ runId, heldFor }) => runId === record.id && heldFor === null);
    return this.#ports.acceptDrafts(bankId, own, record.config);
  }

  /** Waits for the next step to be asked for, or for a moment to read; false after a stop. */
  async #mayBegin(): Promise<boolean> {
    const { signal } = this.#abort;
    if (this.byItself) {
      await this.#ports.pause(this.fast ? 0 : READING_MS, signal);
    } else {
      this.status = 'waiting';
      await new Promise<void>((resolve) => (this.#next = resolve));
      this.#next = null;
      this.status = 'playing';
    }
    return !signal.aborted;
  }

  #change(index: number, change: Partial<SampleStep>): void {
    this.steps = this.steps.map((step, at) => (at === index ? { ...step, ...change } : step));
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    this.problem = null;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.problem = error.message;
      this.status = 'paused';
    }
  }
}

/** Construction says what is right; the new task is solved as in the paper, with no feedback. */
function configOf(kind: SampleStep['kind'], bankId: string | null): RunConfig {
  const building = kind === 'build';
  return {
    ...DEFAULT_RUN_CONFIG,
    feedback: building ? 'reference' : 'none',
    lessons: building ? 'accept' : 'none',
    bankId: kind === 'without' ? null : bankId,
    // Lessons are built task by task from nothing, so that each shows where it came from.
    retrieve: kind === 'with',
  };
}

function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
