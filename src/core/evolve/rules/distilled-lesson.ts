import type { LessonContent } from '../../bank/node.ts';
import type { Crop, QuestionMemory } from '../../memory.ts';
import { normalizeText, type Task } from '../../task.ts';
import { asSentence, contentWords, splitSentences } from './sentences.ts';

const TITLE_CHARS = 80;

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
