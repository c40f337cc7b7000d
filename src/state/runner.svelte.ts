import { ModelCallError, StorageError } from '../core/errors.ts';
import type { Controller } from '../core/evolve/controller.ts';
import type { Retrieve } from '../core/evolve/run-ports.ts';
import { EMPTY_RUN_VIEW, foldRun, type RunView } from '../core/evolve/run-view.ts';
import type { Backbone, CallJournal, Clock, Cropper, Grader, RunStore } from '../core/ports.ts';
import type { Refusal, Result } from '../core/result.ts';
import { isDurableEvent, type Feedback, type RunConfig, type RunRecord } from '../core/run.ts';
import { backbonesOfRun, type ModelReference } from '../core/run-roles.ts';
import type { Task } from '../core/task.ts';

/** What driving a run asks of the world. */
export interface RunnerPorts {
  readonly runs: RunStore;
  readonly journal: CallJournal;
  readonly cropper: Cropper;
  readonly clock: Clock;
  readonly retrieve: Retrieve;
  readonly grader: Grader;
  /** Who keeps W and gates what is retrieved: the rules, or a model. */
  controller(config: RunConfig): Promise<Controller>;
  /** Throws `ModelCallError` where the endpoint or model is not there any more. */
  backbone(model: ModelReference): Backbone;
  /** Runs `work` while no other page drives the run; see storage. */
  withRunLock<T>(runId: string, work: () => Promise<T>): Promise<Result<T, Refusal>>;
}

/**
 * Drives one run at a time and holds what the page draws of it. Each durable event is stored before
 * the next begins; what it draws is spread over frames, one event each, and tokens once a frame.
 */
export class Runner {
  view: RunView = $state.raw(EMPTY_RUN_VIEW);
  record: RunRecord | null = $state.raw(null);
  task: Task | null = $state.raw(null);
  /** Why the run could not be driven or kept, for people; null where it could. */
  problem: string | null = $state.raw(null);
  /** True from the moment a run is asked for until it has ended and everything is stored. */
  busy = $state(false);

  readonly #ports: RunnerPorts;
  #abort: AbortController | null = null;
  /** Views to be drawn, a frame each, oldest first. */
  #queue: { readonly view: RunView; readonly durable: boolean }[] = [];
  #frame = 0;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
  }

  /** Shows nothing. A run that goes on is stopped first. */
  async clear(): Promise<void> {
    await this.stop();
    this.#show(EMPTY_RUN_VIEW);
    this.record = null;
    this.task = null;
    this.problem = null;
  }

  /** Shows a stored run without driving it. */
  async show(record: RunRecord): Promise<void> {
    const { runs } = this.#ports;
    const [task, events] = await Promise.all([
      runs.getTask(record.taskId),
      runs.getEvents(record.id),
    ]);
    this.task = task ?? null;
    this.record = record;
    this.problem = task === undefined ? 'The task of this run was erased.' : null;
    this.#show(events.reduce(foldRun, EMPTY_RUN_VIEW));
  }

  /**
   * Drives a run from its beginning or from its last completed call, to its end. Resolves to the run
   * as it was stored at the end, or null where it could not be driven; `problem` says why.
   */
  async drive(record: RunRecord, task: Task): Promise<RunRecord | null> {
    if (this.busy) return null;
    this.busy = true;
    this.problem = null;
    this.record = record;
    this.task = task;
    if (this.view.runId !== record.id) this.#show(EMPTY_RUN_VIEW);
    try {
      const driven = await this.#ports.withRunLock(record.id, () => this.#drive(record, task));
      if (!driven.ok) this.problem = driven.refusal.message;
      return driven.ok ? driven.value : null;
    } finally {
      this.busy = false;
    }
  }

  /** Stops the run that goes on, and waits until what it has is stored. */
  async stop(): Promise<void> {
    this.#abort?.abort();
    while (this.busy) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** A person's word on an attempt: the run goes on from there with what they said. */
  async answer(attempt: number, feedback: Feedback): Promise<RunRecord | null> {
    const { record, task } = this;
    if (record === null || task === null || this.busy) return null;
    const kept = record.userFeedback.filter((said) => said.attempt < attempt);
    const config = {
      ...record.config,
      // Another attempt is what the person asks for, also at the limit.
      attemptLimit: Math.min(20, Math.max(record.config.attemptLimit, attempt + 1)),
    };
    const userFeedback = [...kept, { attempt, feedback }];
    await this.#ports.runs.deleteDraft(`${record.id}-lesson`);
    return this.drive({ ...record, config, userFeedback, status: 'running' }, task);
  }

  async #drive(record: RunRecord, task: Task): Promise<RunRecord | null> {
    const { runs, clock } = this.#ports;
    const abort = new AbortController();
    this.#abort = abort;
    let current: RunRecord = { ...record, status: 'running', updatedAt: clock.now() };
    try {
      await runs.putTask(task);
      await runs.putRun(current);
      this.record = current;
      const view = await this.#events(current, task, abort.signal);
      current = { ...current, ...ending(view), updatedAt: clock.now() };
      await runs.putRun(current);
      this.record = current;
      return current;
    } catch (error) {
      if (!(error instanceof StorageError || error instanceof ModelCallError)) throw error;
      // Completed calls are in the journal; only what came after the last of them is not kept.
      this.problem =
        error instanceof ModelCallError
          ? withHint(error)
          : `${error.message} The run can go on later.`;
      this.record = { ...current, status: 'interrupted' };
      this.#show({ ...this.view, status: 'stopped', live: null });
      return null;
    } finally {
      this.#abort = null;
    }
  }

  /** Runs the loop; stores and folds what it tells. */
  async #events(record: RunRecord, task: Task, signal: AbortSignal): Promise<RunView> {
    const { runs, journal, cropper, clock, retrieve, grader, backbone, controller } = this.#ports;
    const { config } = record;
    const serving = backbonesOfRun(config, backbone);
    const { runTask, HARNESSES } = await loadLoop();
    const ports = {
      journal,
      cropper,
      clock,
      grader,
      backbone: serving,
      harness: HARNESSES[config.harness],
      controller: await controller(config),
      retrieve: config.retrieve && config.bankId !== null ? retrieve : null,
    };
    const { id: runId, userFeedback } = record;
    let view = EMPTY_RUN_VIEW;
    let index = 0;
    for await (const event of runTask({ runId, task, config, ports, userFeedback, signal })) {
      view = foldRun(view, event);
      if (isDurableEvent(event)) {
        await runs.putEvent(runId, index, event);
        index += 1;
        if (event.type === 'lesson-draft') await runs.putDraft(event.draft);
      }
      this.#draw(view, isDurableEvent(event));
    }
    await runs.deleteEventsFrom(runId, index);
    await this.#drawn(view);
    return view;
  }

  #show(view: RunView): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#queue = [];
    this.view = view;
  }

  /** Draws a view with the frames to come. Tokens that wait together are drawn together. */
  #draw(view: RunView, durable: boolean): void {
    if (!durable && this.#queue.at(-1)?.durable === false) this.#queue.pop();
    this.#queue.push({ view, durable });
    this.#frame ||= requestAnimationFrame(() => this.#nextFrame());
  }

  #nextFrame(): void {
    const next = this.#queue.shift();
    if (next !== undefined) this.view = next.view;
    this.#frame = this.#queue.length > 0 ? requestAnimationFrame(() => this.#nextFrame()) : 0;
  }

  /** Resolves once everything is drawn; a page that is not seen has no frames, and is not waited for. */
  async #drawn(view: RunView): Promise<void> {
    while (this.#queue.length > 0 && !document.hidden) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    this.#show(view);
  }
}

/** The question loop and what it is made of, loaded at the first run. */
async function loadLoop() {
  const [{ runTask }, { HARNESSES }] = await Promise.all([
    import('../core/evolve/evolve.ts'),
    import('../core/harness/harnesses.ts'),
  ]);
  return { runTask, HARNESSES };
}

function ending(view: RunView): Pick<RunRecord, 'status' | 'answer'> {
  const { status, answer } = view;
  if (status === 'ready' || status === 'attempt-limit') return { status: 'finished', answer };
  return { status: status === 'failed' ? 'failed' : 'stopped', answer };
}

/** What happened and what to do next, as one text. */
function withHint({ message, hint }: ModelCallError): string {
  return hint === undefined ? message : `${message} ${hint}`;
}
