import { z } from 'zod';
import type { Part } from '../../call.ts';
import { askForJson, type JsonReply } from '../../harness/ask-for-json.ts';
import type { Caller, CallEvent } from '../../harness/harness.ts';
import type { Prompt } from '../../harness/prompt.ts';
import { readShape } from '../../harness/json-reply.ts';
import type { Result } from '../../result.ts';

/** How a model is asked: shared by all the organizer's questions. */
export interface AskSettings {
  readonly temperature: number;
  readonly repair: boolean;
}

/** One of the organizer's questions: what the model sees, and how its reply becomes a value. */
export interface ModelQuestion<Reply, T> {
  readonly prompt: Prompt;
  readonly parts: readonly Part[];
  readonly reply: z.ZodType<Reply>;
  /** What the reply means: names become ids. */
  resolve(reply: Reply): Result<T>;
}

/** Asks an organizer's question. Refuses what could not be read, with the reason. */
export function askOrganizer<Reply, T>(
  { prompt, parts, reply, resolve }: ModelQuestion<Reply, T>,
  { temperature, repair }: AskSettings,
  caller: Caller,
): AsyncGenerator<CallEvent, Result<JsonReply<T>>> {
  return askForJson(
    {
      role: 'organizer',
      prompt,
      parts,
      schema: z.toJSONSchema(reply, { io: 'input' }),
      read(json) {
        const parsed = readShape(reply, json);
        return parsed.ok ? resolve(parsed.value) : parsed;
      },
      temperature,
      repair,
    },
    caller,
  );
}
