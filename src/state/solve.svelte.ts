import { defaultManifest } from '../core/bank/operation.ts';
import { StorageError } from '../core/errors.ts';
import type { BankInfo } from '../core/ports.ts';
import {
  DEFAULT_RUN_CONFIG,
  runConfigSchema,
  type Feedback,
  type LessonDraft,
  type RunConfig,
  type RunRecord,
} from '../core/run.ts';
import type { Task } from '../core/task.ts';
import type { EraserState } from './eraser.svelte.ts';
import { Runner, type RunnerPorts } from './runner.svelte.ts';
import { SAMPLE_LABEL, SampleStory, type PlacedLesson, type SamplePorts } from './sample.svelte.ts';
import { TaskDraft, type TaskMedia } from './task-draft.svelte.ts';

/** A backbone that a person may choose. */
export interface BackboneChoice {
  /** `simulated`, `endpoint:<profile id>`, or `local:<model id>`. */
  readonly id: string;
  readonly label: string;
  readonly model: string;
  readonly device: 'this-device' | 'remote';
  /** Whether it can keep memory and choose lessons, too: a language model can, the simulated solver cannot. */
  readonly keepsMemory: boolean;
}

export interface SolvePorts extends RunnerPorts, SamplePorts {
  readonly media: TaskMedia;
  /** What erases, loaded when it is first asked for. */
  eraser(): Promise<EraserState>;
  /** The backbones there are; reads reactive state. */
  backbones(): readonly BackboneChoice[];
  /** Resolves once `backbones` has those that take a look at this device's files. */
  knowBackbones(): Promise<void>;
}

const SETUP_KEY = 'solve.setup';
const RUNS_LISTED = 30;

/** The Solve page: the task being written, its set-up, the run shown, and the sample story. */
export class SolveState {
  readonly draft: TaskDraft;
  readonly runner: Runner;
  readonly sample: SampleStory;
  config: RunConfig = $state.raw(DEFAULT_RUN_CONFIG);
  banks: readonly BankInfo[] = $state.raw([]);
  earlier: readonly RunRecord[] = $state.raw([]);
  /** Questions of the tasks of `earlier`, by task id. */
  questions: ReadonlyMap<string, string> = $state.raw(new Map());
  /** What became of the shown run's lesson. */
  kept: PlacedLesson | null = $state.raw(null);
  problem: string | null = $state(null);

  readonly #ports: SolvePorts;

  constructor(ports: SolvePorts) {
    this.#ports = ports;
    this.draft = new TaskDraft(ports.media);
    this.runner = new Runner(ports);
    this.sample = new SampleStory(ports, this.runner);
  }

  get backbones(): readonly BackboneChoice[] {
    return this.#ports.backbones();
  }

  /** Who keeps memory in a role as it is set up: `rules`, `model` (the run's own), or a backbone's id. */
  keeperOf(role: 'controller' | 'organizer'): string {
    const chosen = this.config[role];
    const asked = chosen === 'model' ? this.config.backbone : chosen;
    const keeps = this.backbones.some(({ id, keepsMemory }) => id === asked && keepsMemory);
    return keeps ? chosen : 'rules';
  }

  /** Whether the story is being shown rather than a task of one's own. */
  get inSample(): boolean {
    return this.sample.status !== 'idle';
  }

  /** The set-up with models by name, and the rules where a chosen one is not there any more. */
  get runConfig(): RunConfig {
    const { config } = this;
    const model = this.backbones.find(({ id }) => id === config.backbone)?.model ?? config.model;
    return {
      ...{ ...config, model },
      ...this.#memoryRole('controller'),
      ...this.#memoryRole('organizer'),
    };
  }

  /** Reads what was set up and what was run; takes up what was cut off. */
  async open(): Promise<void> {
    await this.#guard(async () => {
      const kept = await this.#ports.getSetting(SETUP_KEY);
      // What a set-up of before did not know is as it is for a new one.
      const stored = runConfigSchema.safeParse({ ...DEFAULT_RUN_CONFIG, ...Object(kept) });
      if (stored.success) this.config = stored.data;
      await this.refresh();
      const cutOff = this.earlier.find(({ status }) => status === 'running');
      // The story takes its own runs up; it knows what follows from each.
      if (cutOff?.label === SAMPLE_LABEL || cutOff === undefined) void this.sample.resume();
      else await this.#takeUp(cutOff);
    });
  }

  /** Reads the lists again: banks and earlier runs. */
  async refresh(): Promise<void> {
    const { runs, banks } = this.#ports;
    const [list, listed] = await Promise.all([banks.listBanks(), runs.listRuns(RUNS_LISTED)]);
    this.banks = list;
    this.earlier = listed;
    const ids = [...new Set(listed.map(({ taskId }) => taskId))];
    const tasks = await Promise.all(ids.map((id) => runs.getTask(id)));
    this.questions = new Map(
      tasks.flatMap((task) => (task === undefined ? [] : [[task.id, task.question] as const])),
    );
  }

  /** Changes the set-up of the next run, and keeps it. */
  setUp(change: Partial<RunConfig>): void {
    this.config = { ...this.config, ...change };
    void this.#guard(() => this.#ports.setSetting(SETUP_KEY, this.config));
  }

  /** Runs the task as it is written. */
  async run(): Promise<void> {
    if (!this.draft.ready || this.runner.busy) return;
    await this.#guard(async () => {
      const { ids, clock } = this.#ports;
      const now = clock.now();
      const task = this.draft.toTask();
      const record: RunRecord = {
        id: ids.next(),
        taskId: task.id,
        config: await this.#configWithBank(),
        status: 'running',
        answer: null,
        createdAt: now,
        updatedAt: now,
        userFeedback: [],
        label: null,
      };
      await this.#drive(record, task);
    });
  }

  /** Goes on with the run that is shown, from its last completed call. */
  async goOn(): Promise<void> {
    if (this.inSample) return this.sample.goOn();
    const { record, task } = this.runner;
    if (record !== null && task !== null) await this.#guard(() => this.#drive(record, task));
  }

  async stop(): Promise<void> {
    if (this.inSample) await this.sample.stop();
    else await this.runner.stop();
  }

  /** "That was wrong because …": the run goes on with what the person said. */
  async sayWrong(reason: string, region: Feedback['region']): Promise<void> {
    const attempt = this.runner.view.entries.findLast(({ type }) => type === 'attempt')?.attempt;
    if (attempt === undefined) return;
    this.kept = null;
    await this.#guard(async () => {
      await this.runner.answer(attempt, { type: 'user', verdict: 'wrong', reason, region });
      await this.refresh();
    });
  }

  /** Takes the drafted lesson into its bank. */
  async keepLesson(draft: LessonDraft): Promise<void> {
    await this.#guard(async () => {
      const [placed] = await this.#ports.acceptDrafts(draft.bankId, [draft], this.runConfig);
      this.kept = placed ?? null;
    });
  }

  /** Shows an earlier run. */
  async show(record: RunRecord): Promise<void> {
    this.kept = null;
    await this.#guard(async () => {
      if (this.inSample) await this.sample.leave();
      await this.runner.stop();
      await this.runner.show(record);
    });
  }

  /** Shows a run by its id; says in `problem` why not, where it could not. */
  async showRun(runId: string): Promise<void> {
    if (this.runner.record?.id === runId) return;
    if (this.runner.busy || this.sample.status === 'playing') {
      this.problem = 'Another run is at work. Stop it to look at an earlier one.';
      return;
    }
    const record = await this.#ports.runs.getRun(runId);
    if (record === undefined) this.problem = 'That run is not on this device.';
    else await this.show(record);
  }

  eraser(): Promise<EraserState> {
    return this.#ports.eraser();
  }

  /** Erases a task for good, as `eraser` has shown it; true where it is done, else the eraser says why not. */
  async eraseTask(taskId: string, eraser: EraserState): Promise<boolean> {
    let done = false;
    await this.#guard(async () => {
      if (this.runner.task?.id === taskId) await this.#leaveRun();
      done = await eraser.erase();
      await this.refresh();
    });
    return done;
  }

  /** An empty task. */
  async newTask(): Promise<void> {
    // First: what is typed while the run is being left stays.
    this.draft.clear();
    await this.#leaveRun();
  }

  /** The shown run's task, to change and run again. */
  async editTask(): Promise<void> {
    const { task } = this.runner;
    if (task !== null) this.draft.fill(task);
    await this.#leaveRun();
  }

  async playSample(byItself: boolean): Promise<void> {
    await this.#guard(async () => {
      await this.#leaveRun();
      await this.sample.start(byItself);
      await this.refresh();
    });
  }

  async #leaveRun(): Promise<void> {
    this.kept = null;
    if (this.inSample) await this.sample.leave();
    await this.runner.clear();
    await this.refresh();
  }

  async #drive(record: RunRecord, task: Task): Promise<void> {
    this.kept = null;
    await this.runner.drive(record, task);
    await this.refresh();
  }

  /**
   * A run that was cut off. Where no model is called it goes on at once; else it waits for a person, since
   * going on sends data and may cost money, or loads gigabytes.
   */
  async #takeUp(record: RunRecord): Promise<void> {
    await this.runner.show(record);
    const { task } = this.runner;
    const { backbone, controller, organizer } = record.config;
    const isCheap = backbone === 'simulated' && controller === 'rules' && organizer === 'rules';
    if (task !== null && isCheap) void this.#drive(record, task);
  }

  /** Who a role goes to, by name; the rules where the chosen model is not there any more. */
  #memoryRole(role: 'controller' | 'organizer'): Partial<RunConfig> {
    const chosen = this.keeperOf(role);
    const model = this.backbones.find(({ id }) => id === chosen)?.model;
    return { [role]: chosen, ...(model === undefined ? {} : { [`${role}Model`]: model }) };
  }

  /** The set-up with a bank for its lessons; a first one is made where there is none. */
  async #configWithBank(): Promise<RunConfig> {
    const { banks, ids, clock, knowBackbones } = this.#ports;
    const [known] = await Promise.all([banks.listBanks(), knowBackbones()]);
    const chosen = known.find(({ manifest }) => manifest.id === this.config.bankId);
    const config = this.runConfig;
    if (chosen !== undefined) return config;
    const own = known.find(({ manifest }) => manifest.name === 'My lessons');
    if (own !== undefined) return { ...config, bankId: own.manifest.id };
    const id = ids.next();
    await banks.createBank(defaultManifest({ id, name: 'My lessons', createdAt: clock.now() }));
    return { ...config, bankId: id };
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    this.problem = null;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.problem = error.message;
    }
  }
}
