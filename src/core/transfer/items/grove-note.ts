import { z } from 'zod';
import type { LessonContent } from '../../bank/node.ts';
import { cropSchema } from '../../memory.ts';
import type { BankEntry } from './bank-entries.ts';
import { checkShape } from '../text/problem.ts';

/**
 * What Grove writes beside an item of a format that keeps unknown members, so that the lesson comes
 * back as it was: what the format has no member for, and how the lesson stood. Standing is said for
 * people; it is not read back.
 */
export const groveNoteSchema = z.looseObject({
  title: z.string().min(1),
  appliesWhen: z.string(),
  cautions: z.array(z.string()),
  topic: z.string(),
  scope: z.string(),
  anchor: z.string(),
  crop: cropSchema.nullable(),
});
export type GroveNote = z.infer<typeof groveNoteSchema>;

export function groveNote({ content, rank, standing, groups }: BankEntry): GroveNote {
  const { title, appliesWhen, cautions, topic, scope, anchor, crop } = content;
  return {
    title,
    appliesWhen,
    cautions,
    topic,
    scope,
    anchor,
    crop,
    rank,
    ...standing,
    path: groups.map((group) => group.title),
    groups,
  };
}

/** The note of an item, or null where it has none that fits. */
export function readGroveNote(value: unknown): GroveNote | null {
  const note = checkShape(groveNoteSchema, value);
  return note.ok ? note.value : null;
}

/**
 * Guidance and cautions apart again, as the note lists the cautions. Where someone changed the text,
 * it stands whole as guidance.
 */
export function splitCautions(
  text: string,
  { cautions }: Pick<LessonContent, 'cautions'>,
): Pick<LessonContent, 'guidance' | 'cautions'> {
  const ending = cautions.map((caution) => `\nCaution: ${caution}`).join('');
  const guidance = text.endsWith(ending) ? text.slice(0, text.length - ending.length) : '';
  if (guidance === '') return { guidance: text, cautions: [] };
  return { guidance, cautions: [...cautions] };
}
