import { z } from 'zod';
import type { Lesson, Summary } from '../../bank/node.ts';
import { promptSchema } from '../../harness/prompt.ts';
import { section } from '../../harness/sections.ts';
import { clipToTokens, takeWithin } from '../../harness/token-estimate.ts';
import { accept, refuse, type Result } from '../../result.ts';
import type { ConsolidateInput } from '../organizer.ts';
import consolidateJson from '../prompts/consolidate.json';
import type { ModelQuestion } from './model-question.ts';
import { oneLine, Shown } from './shown.ts';

export const CONSOLIDATE_PROMPT = promptSchema.parse(consolidateJson);

/** All lessons together, and each, in tokens: with the prompt within 1,500. */
const LESSONS_TOKENS = 1000;
const LESSON_TOKENS = 160;
const GROUP_TOKENS = 60;

const replySchema = z.object({
  text: z.string().min(1).max(1200),
  procedure: z.array(z.string().max(240)).max(8),
  conditions: z.string().max(300),
  conflicts: z
    .array(z.object({ lessons: z.array(z.string().max(8)).length(2), about: z.string().max(200) }))
    .max(4),
  supported_by: z.array(z.string().max(8)).min(1).max(48),
});
type Reply = z.infer<typeof replySchema>;

/** What a group's lessons have in common; the model sees as many of them, best first, as fit. */
export function consolidateQuestion({
  group,
  lessons,
  budgetChars,
}: ConsolidateInput): ModelQuestion<Reply, Summary> {
  const seen = takeWithin(lessons, LESSONS_TOKENS, (lesson) => `L99: ${lessonText(lesson)}`);
  const shown = new Shown('L', seen);
  const about = clipToTokens(oneLine(`${group.title}; ${group.scope}`), GROUP_TOKENS);
  return {
    prompt: CONSOLIDATE_PROMPT,
    parts: [section('groups', about), section('lessons', shown.lines(lessonText))],
    reply: replySchema,
    resolve: (reply) => resolveSummary(reply, shown, budgetChars),
  };
}

function lessonText({ content }: Lesson): string {
  const { title, guidance, appliesWhen, cautions } = content;
  const parts = [
    `${title}. ${guidance}`,
    ...(appliesWhen === '' ? [] : [`Applies when ${appliesWhen}.`]),
    ...cautions.map((caution) => `Caution: ${caution}`),
  ];
  return clipToTokens(oneLine(parts.join(' ')), LESSON_TOKENS);
}

function resolveSummary(
  { text, procedure, conditions, conflicts, supported_by }: Reply,
  shown: Shown<Lesson>,
  budgetChars: number,
): Result<Summary> {
  const support = shown.findAll(supported_by);
  if (!support.ok) return { ok: false, refusal: { ...support.refusal, path: 'supported_by' } };
  const made: Summary['conflicts'][number][] = [];
  for (const [at, { lessons, about }] of conflicts.entries()) {
    const pair = shown.findAll(lessons);
    if (!pair.ok) return { ok: false, refusal: { ...pair.refusal, path: `conflicts.${at}` } };
    const [first, second] = pair.value;
    if (first === undefined || second === undefined || first === second) {
      return refuse('no-conflict', 'a conflict is between two lessons', `conflicts.${at}`);
    }
    made.push({ lessons: [first.id, second.id], about: oneLine(about), settled: null });
  }
  const steps = procedure.map(oneLine).filter((step) => step !== '');
  const written = { text: text.trim(), procedure: steps, conditions: oneLine(conditions) };
  const length = [written.text, ...steps, written.conditions].reduce(
    (sum, part) => sum + [...part].length,
    0,
  );
  if (written.text === '') return refuse('empty-text', 'the text is empty', 'text');
  if (length > budgetChars) {
    return refuse(
      'over-budget',
      `it has ${length} characters; the budget is ${budgetChars}`,
      'text',
    );
  }
  const supportedBy = [...new Set(support.value.map(({ id }) => id))];
  return accept({ ...written, conflicts: made, supportedBy });
}
