import { z } from 'zod';
import { hashJson, type Hash } from './canonical.ts';
import { boxSchema } from './box.ts';

/** Who a model call works for. Metering and the call journal are by role. */
export const roleSchema = z.enum([
  'solver',
  'planner',
  'critic',
  'judge',
  'controller',
  'organizer',
  'context',
]);
export type Role = z.infer<typeof roleSchema>;

/** A part of a message. Image parts name bytes in the blob store; adapters fetch them when they send. */
export const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image'),
    hash: z.string(),
    mediaType: z.string(),
    /** Pixel size of these bytes. */
    width: z.int(),
    height: z.int(),
    /** Set on a crop: which source, and which box of it, these pixels are. */
    source: z.object({ hash: z.string(), box: boxSchema }).optional(),
  }),
]);
export type Part = z.infer<typeof partSchema>;
export type ImagePart = Extract<Part, { type: 'image' }>;

export const messageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(partSchema),
});
export type Message = z.infer<typeof messageSchema>;

/** One request to a language model. Plain JSON; its hash is part of the call's key. */
export const modelRequestSchema = z.object({
  /** Which prompt file made it, and its revision: `direct-solver@1`. */
  prompt: z.string(),
  messages: z.array(messageSchema),
  maxOutputTokens: z.int().positive(),
  temperature: z.number(),
  /** Tells k samples of one request apart (DESIGN.md §3, the sample ordinal). */
  sample: z.int().nonnegative(),
  /** JSON Schema of the wanted reply, where the reply must be JSON. */
  responseSchema: z.record(z.string(), z.unknown()).optional(),
});
export type ModelRequest = z.infer<typeof modelRequestSchema>;

/** What a call cost. `estimated` where the server sent no usage and the tokens were counted here. */
export const usageSchema = z.object({
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  images: z.int().nonnegative(),
  estimated: z.boolean(),
});
export type Usage = z.infer<typeof usageSchema>;

export const ZERO_USAGE: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  images: 0,
  estimated: false,
};

/** A complete reply. */
export const modelResponseSchema = z.object({
  text: z.string(),
  reasoning: z.string(),
  finishReason: z.enum(['stop', 'length', 'content-filter', 'other']),
  usage: usageSchema,
  /** The model that answered, as the server or runtime names it. */
  model: z.string(),
});
export type ModelResponse = z.infer<typeof modelResponseSchema>;

/** What a backbone streams: pieces, then exactly one `finish`. Failures are thrown `ModelCallError`s. */
export type ModelChunk =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** The policy of the adapter is about to try again; nothing streamed so far counts. */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly delayMs: number;
      readonly message: string;
    }
  | { readonly type: 'finish'; readonly response: ModelResponse };

/** What identifies a call within a run. */
export const callKeySchema = z.object({
  runId: z.string(),
  /** 1-based attempt; 0 for what happens before the first (retrieval). */
  attempt: z.int().nonnegative(),
  role: roleSchema,
  /** 0-based count of calls by this role within the attempt. */
  ordinal: z.int().nonnegative(),
  sample: z.int().nonnegative(),
  requestHash: z.string(),
});
export type CallKey = z.infer<typeof callKeySchema>;

/** A completed call, as the journal keeps it. A call in flight leaves no record. */
export const callRecordSchema = z.object({
  key: callKeySchema,
  request: modelRequestSchema,
  response: modelResponseSchema,
  /** `simulated`, `rules`, `endpoint:…`: who ran it. */
  backbone: z.string(),
  device: z.enum(['this-device', 'remote']),
  startedAt: z.string(),
  durationMs: z.number().nonnegative(),
});
export type CallRecord = z.infer<typeof callRecordSchema>;

/** The primary key of a call in a table: the key's fields joined in order. */
export function callKeyId(key: CallKey): string {
  return [key.runId, key.attempt, key.role, key.ordinal, key.sample, key.requestHash].join('/');
}

/** The content address of a request. */
export function requestHash(request: ModelRequest): Hash {
  return hashJson(request);
}
