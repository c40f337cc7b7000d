import { z } from 'zod';
import {
  encoderIdSchema,
  nodeChangeSchema,
  quantisedVectorSchema,
  recallCandidateSchema,
  recallQuerySchema,
  recallSettingsSchema,
} from '../core/recall/index/recall-types.ts';
import { recallHeadSchema } from '../core/recall/index/stored-form.ts';

const storedSchema = z.map(z.string(), z.instanceof(Uint8Array<ArrayBuffer>));
const base = { id: z.int(), index: z.string() };

/** What the page asks of the recall worker; `id` comes back with the answer. */
export const recallOrderSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('open'),
    ...base,
    settings: recallSettingsSchema,
    encoder: encoderIdSchema.nullable(),
    stored: storedSchema.nullable(),
  }),
  z.object({
    type: z.literal('apply'),
    ...base,
    head: recallHeadSchema,
    changes: z.array(nodeChangeSchema),
  }),
  z.object({ type: z.literal('query'), ...base, query: recallQuerySchema }),
  z.object({ type: z.literal('store'), ...base }),
  z.object({ type: z.literal('close'), ...base }),
  z.object({ type: z.literal('load-words'), id: z.int(), bytes: z.instanceof(Uint8Array) }),
  z.object({ type: z.literal('encode'), id: z.int(), texts: z.array(z.string()) }),
]);
export type RecallOrder = z.infer<typeof recallOrderSchema>;

/** What comes back. */
export const recallAnswerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('opened'),
    id: z.int(),
    head: recallHeadSchema.nullable(),
    size: z.int().nonnegative(),
    refusal: z.enum(['corrupt', 'made-otherwise']).nullable(),
  }),
  z.object({ type: z.literal('done'), id: z.int(), size: z.int().nonnegative() }),
  z.object({
    type: z.literal('found'),
    id: z.int(),
    candidates: z.array(recallCandidateSchema),
  }),
  z.object({ type: z.literal('stored'), id: z.int(), parts: storedSchema }),
  z.object({ type: z.literal('words-loaded'), id: z.int(), encoder: encoderIdSchema }),
  z.object({ type: z.literal('encoded'), id: z.int(), vectors: z.array(quantisedVectorSchema) }),
  z.object({
    type: z.literal('failure'),
    id: z.int(),
    code: z.enum(['not-open', 'other-encoder', 'broken']),
    message: z.string(),
  }),
]);
export type RecallAnswer = z.infer<typeof recallAnswerSchema>;
