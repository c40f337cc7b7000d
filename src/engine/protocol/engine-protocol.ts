import { z } from 'zod';
import { deviceSchema, modelEntrySchema } from '../../core/models/model-entry.ts';

/** Pieces of a reply that may be on the way before the page has taken the first of them. */
export const PIECES_AHEAD = 16;

const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image'),
    bytes: z.instanceof(Uint8Array<ArrayBuffer>),
    mediaType: z.string(),
  }),
]);

const messagesSchema = z.array(
  z.object({ role: z.enum(['system', 'user', 'assistant']), parts: z.array(partSchema) }),
);

const requestSchema = z.object({
  messages: messagesSchema,
  schema: z.record(z.string(), z.unknown()).nullable(),
  maxNewTokens: z.int().positive(),
  temperature: z.number().nonnegative(),
});

/**
 * What a page asks of an engine's worker; `id` comes back with what answers it. `pull` lets so many more
 * pieces of a reply come, `abort` ends it: both name the order they are about and have no answer.
 */
export const engineOrderSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load'), id: z.int(), model: modelEntrySchema, device: deviceSchema }),
  z.object({ type: z.literal('embed'), id: z.int(), texts: z.array(z.string()) }),
  z.object({ type: z.literal('generate'), id: z.int(), request: requestSchema }),
  z.object({ type: z.literal('score'), id: z.int(), messages: messagesSchema }),
  z.object({ type: z.literal('pull'), id: z.int(), pieces: z.int().positive() }),
  z.object({ type: z.literal('abort'), id: z.int() }),
]);
export type EngineOrder = z.infer<typeof engineOrderSchema>;

export const engineCodeSchema = z.enum([
  'missing-file',
  'not-loadable',
  'no-gpu',
  'no-feature',
  'no-memory',
  'device-lost',
  'prompt-too-long',
  'not-askable',
  'stopped',
  'failed',
]);

/** What comes back. `working`, `phase` and `text` are signs of life; the others end their order. */
export const engineAnswerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('working'), id: z.int() }),
  z.object({
    type: z.literal('phase'),
    id: z.int(),
    phase: z.enum(['reading', 'compiling', 'warming']),
  }),
  z.object({ type: z.literal('loaded'), id: z.int() }),
  z.object({
    type: z.literal('embedded'),
    id: z.int(),
    /** One vector after the other. */
    vectors: z.instanceof(Float32Array<ArrayBuffer>),
  }),
  z.object({
    type: z.literal('scored'),
    id: z.int(),
    /** Of each token of the vocabulary. */
    logits: z.instanceof(Float32Array<ArrayBuffer>),
  }),
  z.object({ type: z.literal('text'), id: z.int(), text: z.string() }),
  z.object({
    type: z.literal('generated'),
    id: z.int(),
    generated: z.object({
      text: z.string(),
      finishReason: z.enum(['stop', 'length']),
      promptTokens: z.int().nonnegative(),
      completionTokens: z.int().nonnegative(),
      prefillMs: z.number().nonnegative(),
      decodeMs: z.number().nonnegative(),
    }),
  }),
  z.object({
    type: z.literal('failure'),
    id: z.int(),
    code: engineCodeSchema,
    message: z.string(),
  }),
  /** The GPU is gone: whatever was asked and will be asked of this worker fails. */
  z.object({ type: z.literal('lost'), message: z.string() }),
]);
export type EngineAnswer = z.infer<typeof engineAnswerSchema>;

/** Codes after which the same worker can be asked again; after any other it is ended. */
export function leavesUsable(code: string): boolean {
  return code === 'prompt-too-long' || code === 'not-askable' || code === 'stopped';
}
