import { z } from 'zod';
import type { Refusal, Result } from '../result.ts';
import { findingSchema } from '../trajectory.ts';
import { extractJson, readShape } from './json-reply.ts';

/** What a critic replies with. Ready only where `ready` is true and there is no finding. */
export const criticReplySchema = z.object({
  ready: z.boolean(),
  reason: z.string().default(''),
  findings: z.array(findingSchema).default([]),
});
export type CriticReply = z.infer<typeof criticReplySchema>;

/** The same as JSON Schema, for backbones that constrain decoding. */
export const CRITIC_JSON_SCHEMA: Record<string, unknown> = z.toJSONSchema(criticReplySchema, {
  io: 'input',
});

/** Reads a critic's reply out of JSON, a fence or prose. Refuses `not-json` and `bad-shape`. */
export function parseCriticReply(
  reply: string,
): Result<CriticReply, Refusal<'not-json' | 'bad-shape'>> {
  const json = extractJson(reply);
  return json.ok ? readShape(criticReplySchema, json.value) : json;
}
