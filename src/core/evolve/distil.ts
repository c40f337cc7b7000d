import {
  lessonContentSchema,
  type Evidence,
  type EvidenceStrength,
  type LessonContent,
} from '../bank/node.ts';
import { isEmptyMemory, type Crop, type QuestionMemory } from '../memory.ts';
import type { Feedback, LessonDraft, RunConfig, RunEvent } from '../run.ts';
import { normalizeText, type Task } from '../task.ts';
import { quotedAnswer } from './rules/quoted-answer.ts';
import { asSentence, contentWords, splitSentences } from './rules/sentences.ts';
import type { AttemptScope } from './run-scope.ts';
import type { MemoryState } from './update-memory.ts';

/** The last attempt of a run, as far as a lesson rests on it. */
export interface FinishedAttempt {
  readonly attempt: number;
  readonly ready: boolean;
  readonly feedback: Feedback;
}

const TITLE_CHARS = 80;

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
  const distilled = yield* scope.doWork({
    role: 'controller',
    name: 'rules-distil@1',
    input: { task, memory, crop },
    result: lessonContentSchema,
    async *run() {
      return distilContent(task, memory, crop);
    },
  });
  const { value: content, cost, at } = distilled;
  const draft = draftLesson({ runId, bankId, task, config, content, last, answers, at });
  yield { type: 'lesson-draft', draft, cost };
}

/**
 * What W says, as a lesson, by rules: title from its first sentence, conditions and cautions as they
 * stand, topic and scope from the question's words without its names and numbers, the question as
 * anchor, the crop of W's visual. Reference answers take no part.
 */
export function distilContent(
  task: Task,
  memory: QuestionMemory,
  crop: Crop | null,
): LessonContent {
  const topic = topicOf(task.question);
  return {
    title: titleOf(memory.guidance),
    guidance: memory.guidance,
    appliesWhen: memory.appliesWhen,
    cautions: [...memory.cautions],
    topic,
    scope: memory.appliesWhen === '' ? topic : memory.appliesWhen,
    anchor: normalizeText(task.question),
    crop,
  };
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

function titleOf(guidance: string): string {
  const first = asSentence(splitSentences(guidance)[0] ?? guidance).replace(/[.!]$/u, '');
  if ([...first].length <= TITLE_CHARS) return first;
  const words = first.split(' ');
  let title = words.shift() ?? first;
  for (const word of words) {
    if ([...title].length + [...word].length + 2 > TITLE_CHARS) break;
    title = `${title} ${word}`;
  }
  return `${[...title]
    .slice(0, TITLE_CHARS - 1)
    .join('')
    .replace(/[,;:]$/u, '')}…`;
}

/** The question's content words without quoted parts, numbers, and names (capitals within a sentence). */
function topicOf(question: string): string {
  const plain = question
    .replace(/["“”][^"“”]*["“”]/gu, ' ')
    .replace(/(?<=[^.!?:\s]\s+)\p{Lu}[\p{L}\p{N}'’-]*/gu, ' ')
    .replace(/\p{N}+/gu, ' ');
  const words = contentWords(plain);
  return (words.length > 0 ? words : contentWords(question)).slice(0, 12).join(' ');
}
