import { z } from 'zod';
import { modelEntrySchema } from '../core/models/model-entry.ts';

/** What a page asks of an engine's worker; `id` comes back with what answers it. */
export const engineOrderSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load'), id: z.int(), model: modelEntrySchema }),
  z.object({ type: z.literal('embed'), id: z.int(), texts: z.array(z.string()) }),
]);
export type EngineOrder = z.infer<typeof engineOrderSchema>;

/** What comes back. `working` is a sign of life; the others end their order. */
export const engineAnswerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('working'), id: z.int() }),
  z.object({ type: z.literal('loaded'), id: z.int() }),
  z.object({
    type: z.literal('embedded'),
    id: z.int(),
    /** One vector after the other. */
    vectors: z.instanceof(Float32Array<ArrayBuffer>),
  }),
  z.object({
    type: z.literal('failure'),
    id: z.int(),
    code: z.enum(['missing-file', 'not-loadable', 'failed']),
    message: z.string(),
  }),
]);
export type EngineAnswer = z.infer<typeof engineAnswerSchema>;
