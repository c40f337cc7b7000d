import { z } from 'zod';
import type { LessonContent } from '../../bank/node.ts';
import type { Part } from '../../call.ts';
import { promptSchema } from '../../harness/prompt.ts';
import { section } from '../../harness/sections.ts';
import { clipToTokens } from '../../harness/token-estimate.ts';
import { normalizeText } from '../../task.ts';
import { questionMemoryText } from '../memory-input.ts';
import distilJson from '../prompts/distil.json';
import type { DistilInput } from '../controller.ts';

export const DISTIL_PROMPT = promptSchema.parse(distilJson);

/** With the prompt within 1,500 tokens. */
const QUESTION_TOKENS = 350;
const MEMORY_TOKENS = 500;

export const distilReplySchema = z.object({
  title: z.string().min(1).max(80),
  guidance: z.string().min(1).max(900),
  applies_when: z.string().max(200),
  cautions: z.array(z.string().max(200)).max(4),
  topic: z.string().min(1).max(120),
  scope: z.string().max(200),
});

export function distilParts({ task, memory }: DistilInput): readonly Part[] {
  return [
    section('question', clipToTokens(task.question, QUESTION_TOKENS).toWellFormed()),
    section('memory', clipToTokens(questionMemoryText(memory), MEMORY_TOKENS).toWellFormed()),
  ];
}

/** A reply as a lesson: its anchor is the question it came from, its crop the one of W. */
export function lessonOfReply(
  { title, guidance, applies_when, cautions, topic, scope }: z.infer<typeof distilReplySchema>,
  { task, crop }: DistilInput,
): LessonContent {
  const clean = (text: string) => text.toWellFormed().replace(/\s+/gu, ' ').trim();
  return {
    title: clean(title),
    guidance: guidance.toWellFormed().trim(),
    appliesWhen: clean(applies_when),
    cautions: cautions.map(clean).filter((caution) => caution !== ''),
    topic: clean(topic),
    scope: clean(scope),
    anchor: normalizeText(task.question),
    crop,
  };
}
