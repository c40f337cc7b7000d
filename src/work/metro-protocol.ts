import { z } from 'zod';
import { modelRequestSchema } from '../core/call.ts';
import { referenceSchema, taskSchema } from '../core/task.ts';

/** What the page asks of the metro worker; `id` comes back with the answer. */
export const metroOrderSchema = z.discriminatedUnion('type', [
  /** A question of the sample by its id, with the picture of its map. */
  z.object({ type: z.literal('question'), id: z.int(), questionId: z.string() }),
  z.object({ type: z.literal('reply'), id: z.int(), request: modelRequestSchema }),
]);
export type MetroOrder = z.infer<typeof metroOrderSchema>;

/** What comes back: a task with its reference and the bytes of its PNG, a reply, or why there is none. */
export const metroAnswerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('question'),
    id: z.int(),
    task: taskSchema,
    reference: referenceSchema,
    bytes: z.instanceof(Uint8Array<ArrayBuffer>),
  }),
  z.object({ type: z.literal('reply'), id: z.int(), text: z.string() }),
  z.object({
    type: z.literal('failure'),
    id: z.int(),
    message: z.string(),
    hint: z.string().optional(),
  }),
]);
export type MetroAnswer = z.infer<typeof metroAnswerSchema>;
