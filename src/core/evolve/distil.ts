import { z } from 'zod';
import {
  lessonContentSchema,
  type Evidence,
  type EvidenceStrength,
  type LessonContent,
} from '../bank/node.ts';
import { isEmptyMemory } from '../memory.ts';
import type { Feedback, LessonDraft, RunConfig, RunEvent } from '../run.ts';
import type { Task } from '../task.ts';
import { quotedAnswer } from './rules/quoted-answer.ts';
import type { AttemptScope } from './run-scope.ts';
import type { MemoryState } from './update-memory.ts';

/** A lesson's content with what is to be said of how it came about; null: none could be made. */
const distilledSchema = lessonContentSchema
  .extend({ reason: z.string().exactOptional() })
  .nullable();

/** The last attempt of a run, as far as a lesson rests on it. */
export interface FinishedAttempt {
  readonly attempt: number;
  readonly ready: boolean;
  readonly feedback: Feedback;
}

/**
 * Distils a lesson at the end of a run (DESIGN.md §2.4). None where lessons are off, no bank is named,
 * W is empty, or a reference or a person said that the last answer, given with W, is still wrong.
 */
export async function* distilLesson(
  scope: AttemptScope,
  finished: {
    readonly state: MemoryState;
    readonly last: FinishedAttempt;
    readonly answers: readonly string[];
  },
): AsyncGenerator<RunEvent, void> {
  const { runId, task, config } = scope;
  const { state, last, answers } = finished;
  const { memory, crop } = state;
  const { bankId } = config;
  const { type, verdict } = last.feedback;
  const refuted = verdict === 'wrong' && (type === 'reference' || type === 'user');
  if (config.lessons === 'none' || bankId === null || isEmptyMemory(memory) || refuted) return;
  const { controller } = scope.ports;
  const input = { task, memory, crop };
  const distilled = yield* scope.doWork({
    role: 'controller',
    name: `${controller.id}-distil@1`,
    input,
    result: distilledSchema,
    async *run(caller) {
      const { content, reason } = yield* controller.distil(input, caller);
      return content === null ? null : { ...content, ...(reason === '' ? {} : { reason }) };
    },
  });
  const { value, cost, at } = distilled;
  if (value === null) return;
  const { reason, ...content } = value;
  const draft = draftLesson({ runId, bankId, task, config, content, last, answers, at });
  yield { type: 'lesson-draft', draft, cost, ...(reason === undefined ? {} : { reason }) };
}

/** `verified`: a reference or a person said right; `judged`: a model or check did; else `unverified`. */
export function evidenceStrength({ feedback, ready }: FinishedAttempt): EvidenceStrength {
  if (feedback.verdict === 'right') {
    return feedback.type === 'reference' || feedback.type === 'user' ? 'verified' : 'judged';
  }
  return feedback.type === 'judged' && ready ? 'judged' : 'unverified';
}

/** A lesson draft from distilled content. Its id follows from the run's, so a replay gives the same. */
export function draftLesson(options: {
  readonly runId: string;
  readonly bankId: string;
  readonly task: Task;
  readonly config: RunConfig;
  readonly content: LessonContent;
  readonly last: FinishedAttempt;
  /** Every answer given in the run. */
  readonly answers: readonly string[];
  /** When it was distilled, ISO 8601. */
  readonly at: string;
}): LessonDraft {
  const { runId, bankId, task, config, content, last, answers, at } = options;
  const source: Evidence = {
    taskId: task.id,
    runId,
    attempt: last.attempt,
    harness: config.harness,
    backbone: config.backbone,
    model: config.model,
    tool: 'grove',
    at,
    feedback: last.feedback.type === 'none' ? config.feedback : last.feedback.type,
    strength: evidenceStrength(last),
    supports: true,
  };
  const text = [content.title, content.guidance, content.appliesWhen, ...content.cautions].join(
    '\n',
  );
  const quotes = quotedAnswer(text, answers, task) !== null;
  return {
    id: `${runId}-lesson`,
    runId,
    bankId,
    content,
    source,
    heldFor: quotes ? 'quotes-answer' : config.lessons === 'inbox' ? 'asked-for' : null,
  };
}
