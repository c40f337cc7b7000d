import { makeCaller, type RecordingCaller } from '../harness/caller.ts';
import type { HarnessEvent } from '../harness/harness.ts';
import type { Feedback, RunConfig, RunEvent } from '../run.ts';
import type { Task } from '../task.ts';
import { makeDoWork, type Work, type WorkResult } from './recorded-work.ts';
import type { RunPorts } from './run-ports.ts';

/** All that decides a run, together with its journal. */
export interface RunOptions {
  readonly runId: string;
  readonly task: Task;
  readonly config: RunConfig;
  readonly ports: RunPorts;
  /** What a person said of this run's attempts; part of a replay's input. */
  readonly userFeedback: readonly { readonly attempt: number; readonly feedback: Feedback }[];
  readonly signal: AbortSignal;
}

/** A run at one attempt: its calls and its recorded work. */
export interface AttemptScope extends RunOptions {
  readonly attempt: number;
  readonly caller: RecordingCaller;
  /** Does recorded work and passes its call events on as the run's. */
  doWork<T>(work: Work<T>): AsyncGenerator<RunEvent, WorkResult<T>>;
}

/** The scope of an attempt; 0 is what happens before the first. */
export function attemptScope(run: RunOptions, attempt: number): AttemptScope {
  const { runId, signal, config } = run;
  const { journal, backbone, clock } = run.ports;
  const { localOnly } = config;
  const caller = makeCaller({ journal, backbone, clock, runId, attempt, signal, localOnly });
  const doWork = makeDoWork({ journal, clock, caller, runId, attempt, signal });
  return { ...run, attempt, caller, doWork: (work) => relay(doWork(work), attempt) };
}

/** A harness's or policy's events as events of the run; what the source returns is returned. */
export async function* relay<T>(
  source: AsyncGenerator<HarnessEvent, T>,
  attempt: number,
): AsyncGenerator<RunEvent, T> {
  const returned: { readonly value: T }[] = [];
  // `for await` closes the source where the consumer leaves early, but drops what it returns.
  const capture = (async function* () {
    returned.push({ value: yield* source });
  })();
  for await (const event of capture) yield { ...event, attempt };
  const [first] = returned;
  if (first === undefined) throw new Error('the source ended without returning');
  return first.value;
}
