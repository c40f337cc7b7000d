import { z } from 'zod';
import { evidenceSchema } from '../../bank/node.ts';
import { cropSchema } from '../../memory.ts';

/** The formats of memory items that Grove reads and writes (DESIGN.md §5). */
export const itemFormatSchema = z.enum([
  'grove-lesson',
  'reasoning-bank',
  'reme',
  'ace-playbook',
  'ace-skillbook',
  'ace-delta',
]);
export type ItemFormat = z.infer<typeof itemFormatSchema>;

const count = z.int().nonnegative().nullable();

/**
 * What an item from outside says that a lesson's content cannot; null where the item does not say it.
 * Nothing here counts as evidence: it is another system's word.
 */
export const itemOriginSchema = z.object({
  format: itemFormatSchema,
  id: z.string().nullable(),
  /** The title as it was, where the lesson's is shorter. */
  title: z.string().nullable(),
  /** A heading of a playbook, or the lesson's path in another Grove bank. */
  section: z.string().nullable(),
  /** ReMe's quality score, 0 to 1 in the files seen. */
  score: z.number().nullable(),
  helpful: count,
  harmful: count,
  neutral: count,
  /** How often ReMe gave it, and how often that helped. */
  freq: count,
  utility: count,
  /** The model or person that wrote it. */
  author: z.string().nullable(),
  /** As the file spells it; formats differ. */
  createdAt: z.string().nullable(),
  modifiedAt: z.string().nullable(),
  /** ADD or UPDATE, of a delta. */
  operation: z.string().nullable(),
  /** Of a Grove lesson: where it came from there, and the crop whose pixels are not in the file. */
  evidence: z.array(evidenceSchema),
  crop: cropSchema.nullable(),
  /** Every other member, as it was. */
  members: z.record(z.string(), z.unknown()),
});
export type ItemOrigin = z.infer<typeof itemOriginSchema>;

/** An origin that says nothing but its format and what is given. */
export function originOf(
  format: ItemFormat,
  said: Partial<Omit<ItemOrigin, 'format'>>,
): ItemOrigin {
  return {
    format,
    id: null,
    title: null,
    section: null,
    score: null,
    helpful: null,
    harmful: null,
    neutral: null,
    freq: null,
    utility: null,
    author: null,
    createdAt: null,
    modifiedAt: null,
    operation: null,
    evidence: [],
    crop: null,
    members: {},
    ...said,
  };
}

/** The members of an item that are not named: what goes into `members`. */
export function otherMembers(
  item: Readonly<Record<string, unknown>>,
  named: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !named.includes(key)));
}
