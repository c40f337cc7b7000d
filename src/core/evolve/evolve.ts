import { MediaError, ModelCallError, StorageError } from '../errors.ts';
import type { AttemptResult } from '../harness/harness.ts';
import { EMPTY_MEMORY } from '../memory.ts';
import {
  feedbackSchema,
  type Feedback,
  type RetrievalRecord,
  type RunEnd,
  type RunEvent,
} from '../run.ts';
import { taskSchema } from '../task.ts';
import { costOfCalls } from './cost.ts';
import { distilLesson } from './distil.ts';
import { judgeAttempt } from './judge-attempt.ts';
import { buildMemoryInput } from './memory-input.ts';
import { wellFormed } from './recorded-work.ts';
import { retrieveOnce } from './retrieve-once.ts';
import { attemptScope, relay, type AttemptScope, type RunOptions } from './run-scope.ts';
import { updateMemory, type MemoryState } from './update-memory.ts';

/** What is known of a run so far: what it ends with if it ends now. */
interface Progress {
  attempts: number;
  answer: string | null;
  readonly answers: string[];
}

/**
 * The question loop (DESIGN.md §2, EpiCon 4.2) as a pure function of its ports: retrieves once,
 * attempts, judges, updates W, distils, and tells it in events. Everything that could come out
 * differently a second time (model calls, policies' work, times) goes through the journal, so the same
 * options and journal give the same durable events, and a run that was stopped or cut off goes on from
 * its last completed call by running again. A model, storage or media failure ends it with `run-fail`,
 * an abort with `run-finish` and end `stopped`; a bug is thrown.
 */
export async function* runTask(options: RunOptions): AsyncGenerator<RunEvent, void> {
  const run: RunOptions = {
    ...options,
    task: taskSchema.parse(wellFormed(options.task)),
    userFeedback: options.userFeedback.map(({ attempt, feedback }) => ({
      attempt,
      feedback: feedbackSchema.parse(wellFormed(feedback)),
    })),
  };
  const progress: Progress = { attempts: 0, answer: null, answers: [] };
  yield { type: 'run-start', runId: run.runId, config: run.config };
  try {
    const end = yield* attemptUntilReady(run, progress);
    yield { type: 'run-finish', end, answer: progress.answer, attempts: progress.attempts };
  } catch (error) {
    yield endOf(error, run.signal, progress);
  }
}

async function* attemptUntilReady(
  run: RunOptions,
  progress: Progress,
): AsyncGenerator<RunEvent, RunEnd> {
  const retrieval = yield* retrieveOnce(attemptScope(run, 0));
  // Without W a second attempt would be asked the very same again (the paper's single-attempt protocol).
  const limit = run.config.evolve ? run.config.attemptLimit : 1;
  let state: MemoryState = { memory: EMPTY_MEMORY, crop: null };
  for (let attempt = 1; ; attempt += 1) {
    const scope = attemptScope(run, attempt);
    if (retrieval?.localOnly === true) scope.caller.keepHere();
    const { result, feedback, ready } = yield* makeAttempt(scope, state, retrieval);
    progress.attempts = attempt;
    progress.answer = result.answer;
    progress.answers.push(result.answer);
    if (ready || attempt >= limit) {
      const { answers } = progress;
      yield* distilLesson(scope, { state, last: { attempt, ready, feedback }, answers });
      return ready ? 'ready' : 'attempt-limit';
    }
    state = yield* updateMemory(scope, { state, result, feedback });
  }
}

async function* makeAttempt(
  scope: AttemptScope,
  { memory, crop }: MemoryState,
  retrieval: RetrievalRecord | null,
): AsyncGenerator<
  RunEvent,
  { readonly result: AttemptResult; readonly feedback: Feedback; readonly ready: boolean }
> {
  const { task, config, attempt, caller, runId, ports } = scope;
  const questionCrop = memory.inject ? crop : null;
  const input = buildMemoryInput({ retrieval, memory, questionCrop, config });
  yield { type: 'attempt-start', attempt, memory, input };
  const sessionId = `${runId}-attempt-${attempt}`;
  const solveInput = { task, memory: input, attempt, sessionId, config };
  const before = caller.records.length;
  const result = yield* relay(ports.harness.solve(solveInput, caller), attempt);
  const cost = costOfCalls(caller.records.slice(before));
  const { feedback, ready, readyReason } = yield* judgeAttempt(scope, result);
  const { answer, trajectory } = result;
  yield {
    type: 'attempt-finish',
    attempt,
    answer,
    ready,
    readyReason,
    trajectory,
    cost,
    feedback,
  };
  return { result, feedback, ready };
}

function endOf(error: unknown, signal: AbortSignal, progress: Progress): RunEvent {
  const { answer, attempts } = progress;
  const aborted = error instanceof ModelCallError && error.code === 'aborted';
  // A cropper or a fetch below it ends with the platform's own AbortError.
  const platformAbort = signal.aborted && error instanceof Error && error.name === 'AbortError';
  if (aborted || platformAbort) return { type: 'run-finish', end: 'stopped', answer, attempts };
  if (error instanceof ModelCallError) {
    const { code, message, hint } = error;
    return { type: 'run-fail', code, message, hint: hint ?? null };
  }
  if (error instanceof StorageError || error instanceof MediaError) {
    return { type: 'run-fail', code: error.code, message: error.message, hint: null };
  }
  throw error;
}
