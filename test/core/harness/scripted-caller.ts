import type { CallRecord, ModelRequest, Part } from '../../../src/core/call.ts';
import type { Caller } from '../../../src/core/harness/harness.ts';
import { estimateTokens } from '../../../src/core/harness/token-estimate.ts';

/** A caller whose calls are answered by these replies in turn, and then by the last one. */
export function scriptedCaller(
  replies: readonly string[],
  finishReason: CallRecord['response']['finishReason'] = 'stop',
): { readonly caller: Caller; readonly asked: readonly ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    asked,
    caller: {
      async *call(role, request): AsyncGenerator<never, CallRecord> {
        const text = replies[Math.min(asked.length, replies.length - 1)] ?? '';
        asked.push(request);
        return {
          key: { runId: 'r', attempt: 1, role, ordinal: 0, sample: 0, requestHash: '' },
          request,
          response: {
            text,
            reasoning: '',
            finishReason,
            usage: { promptTokens: 1, completionTokens: 1, images: 0, estimated: true },
            model: 'scripted',
          },
          backbone: 'scripted',
          device: 'this-device',
          startedAt: '2026-01-01T00:00:00.000Z',
          durationMs: 1,
        };
      },
    },
  };
}

/** What a generator that yields nothing returns. */
export async function valueOf<T>(source: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const next = await source.next();
    if (next.done === true) return next.value;
  }
}

/** All parts of a request, in order. */
export function partsOf({ messages }: ModelRequest): readonly Part[] {
  return messages.flatMap(({ parts }) => parts);
}

/** The text tokens of a request, as estimated. */
export function tokensOf(request: ModelRequest): number {
  return partsOf(request).reduce(
    (sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : 0),
    0,
  );
}

/** Replies that are nothing to be used, whatever was asked. */
const MALFORMED: readonly string[] = [
  '',
  ' ',
  'I am not sure.',
  '{',
  '{"',
  '{"a":',
  '[]',
  '[{"a": 1}]',
  'null',
  'true',
  '17',
  '"text"',
  '{}',
  '{"x": 1}',
  '```json\n{"x": \n```',
  '<think>{"x": 1}</think>',
  '{"__proto__": {"x": 1}}',
  'the the the the the the the the the the the the the the',
  '\u0000\ud800',
  '{"x": "' + 'a'.repeat(5000),
];

/**
 * Replies to one question that cannot be used: those that never can, and a sound one cut, wrapped in prose
 * where it is cut, with a member left out, of another type, or going on and on. `optional` names members
 * without which it is still sound.
 */
export function malformedFrom(
  sound: Readonly<Record<string, unknown>>,
  optional: readonly string[] = [],
): readonly string[] {
  const text = JSON.stringify(sound);
  const cuts = [0.2, 0.4, 0.6, 0.8, 0.95].map((share) => text.slice(0, text.length * share));
  const names = Object.keys(sound);
  const without = names
    .filter((name) => !optional.includes(name))
    .map((name) => ({ ...sound, [name]: undefined }));
  const mistyped = names.map((name) => ({ ...sound, [name]: { of: 'another type' } }));
  const endless = names.map((name) => ({ ...sound, [name]: 'and so on '.repeat(900) }));
  const mended = [...without, ...mistyped, ...endless].map((reply) => JSON.stringify(reply));
  return [...MALFORMED, ...cuts, ...cuts.map((cut) => `Here it is: ${cut} Good luck!`), ...mended];
}

/** Fails where a policy was not asked with as many malformed replies as the issue wants. */
export const MALFORMED_LEAST = 30;
