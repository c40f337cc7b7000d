import type { Message, ModelRequest, Part } from '../call.ts';
import { promptReference, type Prompt } from './prompt.ts';

/** A request by a prompt: its system text, one user message of `parts`, then what was said since. */
export function promptRequest(
  prompt: Prompt,
  parts: readonly Part[],
  options: {
    readonly temperature: number;
    /** JSON Schema of the wanted reply. */
    readonly responseSchema?: Record<string, unknown> | undefined;
    readonly since?: readonly Message[];
  },
): ModelRequest {
  const { temperature, responseSchema, since = [] } = options;
  return {
    prompt: promptReference(prompt),
    messages: [
      { role: 'system', parts: [{ type: 'text', text: prompt.system }] },
      { role: 'user', parts: [...parts] },
      ...since,
    ],
    maxOutputTokens: prompt.budgetTokens.reply,
    temperature,
    sample: 0,
    ...(responseSchema === undefined ? {} : { responseSchema }),
  };
}
