import type { Message, Part, Role } from '../call.ts';
import { accept, refuse, type Refusal, type Result } from '../result.ts';
import type { Caller, CallEvent } from './harness.ts';
import { extractJson } from './json-reply.ts';
import { promptRequest } from './prompt-request.ts';
import type { Prompt } from './prompt.ts';
import { clipToTokens } from './token-estimate.ts';

/** What is asked of a model that replies with JSON, and how the reply is read. */
export interface JsonQuestion<T> {
  readonly role: Role;
  readonly prompt: Prompt;
  readonly parts: readonly Part[];
  /** JSON Schema, for backbones that constrain decoding. */
  readonly schema: Record<string, unknown>;
  /** Reads what the JSON says, or refuses it: schemas are asked for, not relied on. */
  read(json: unknown): Result<T>;
  readonly temperature: number;
  /** One more round that quotes why the first reply was refused (DESIGN.md §2, fallbacks). */
  readonly repair: boolean;
}

/** A reply that could be read, and whether it took the repair round. */
export interface JsonReply<T> {
  readonly value: T;
  readonly repaired: boolean;
}

/** Of a refused reply the model is shown so much, in tokens. */
const QUOTED_TOKENS = 120;

/**
 * Asks a model for JSON. Refuses `not-json`, `cut-off`, or for what `read` refuses, with the last
 * reply's reason. Throws what the caller throws.
 */
export async function* askForJson<T>(
  question: JsonQuestion<T>,
  caller: Caller,
): AsyncGenerator<CallEvent, Result<JsonReply<T>>> {
  const first = yield* ask(question, [], caller);
  if (first.read.ok) return accept({ value: first.read.value, repaired: false });
  if (!question.repair) return first.read;
  const second = yield* ask(question, repairOf(first.text, first.read.refusal), caller);
  return second.read.ok ? accept({ value: second.read.value, repaired: true }) : second.read;
}

async function* ask<T>(
  { role, prompt, parts, schema, read, temperature }: JsonQuestion<T>,
  since: readonly Message[],
  caller: Caller,
): AsyncGenerator<CallEvent, { readonly text: string; readonly read: Result<T> }> {
  const request = promptRequest(prompt, parts, { temperature, responseSchema: schema, since });
  const { text, finishReason } = (yield* caller.call(role, request)).response;
  const json = extractJson(text);
  if (json.ok) return { text, read: read(json.value) };
  const cut = refuse('cut-off', `the reply was cut off at ${request.maxOutputTokens} tokens`);
  return { text, read: finishReason === 'length' ? cut : json };
}

function repairOf(text: string, { message, path }: Refusal): readonly Message[] {
  const where = path === undefined || path === '' ? '' : ` (at ${path})`;
  const told = `That reply cannot be used: ${message}${where}. Reply again with the whole JSON object, mended, and nothing else.`;
  return [
    { role: 'assistant', parts: [{ type: 'text', text: clipToTokens(text, QUOTED_TOKENS) }] },
    { role: 'user', parts: [{ type: 'text', text: told }] },
  ];
}
