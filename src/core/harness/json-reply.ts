import type { z } from 'zod';
import { accept, refuse, type Result, type Refusal } from '../result.ts';
import { withoutThinking } from './answer.ts';

/**
 * Finds the JSON object of a model's reply: the whole reply, a fenced block, or the first balanced
 * object within prose. Refuses `not-json` where there is none. What it finds is untrusted.
 */
export function extractJson(reply: string): Result<unknown, Refusal<'not-json'>> {
  const text = withoutThinking(reply).trim();
  const fenced = [...text.matchAll(/```(?:json\w*)?\s*\n?([\s\S]*?)```/giu)].map(
    (match) => match[1] ?? '',
  );
  for (const candidate of [text, ...fenced, ...balancedObjects(text)]) {
    const value = parseObject(candidate);
    if (value !== undefined) return accept(value);
  }
  return refuse('not-json', 'the reply holds no complete JSON object');
}

/** A value of this shape; refuses `bad-shape` with the first place where it does not fit. */
export function readShape<T>(schema: z.ZodType<T>, json: unknown): Result<T, Refusal<'bad-shape'>> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return accept(parsed.data);
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  return refuse('bad-shape', `${path === '' ? 'the reply' : path}: ${issue?.message ?? ''}`, path);
}

function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Every `{…}` that closes, outermost first, read past strings; one pass over the text. */
function balancedObjects(text: string): readonly string[] {
  const found: { start: number; end: number }[] = [];
  const open: number[] = [];
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"' && open.length > 0) inString = true;
    else if (character === '{') open.push(index);
    else if (character === '}') {
      const start = open.pop();
      if (start !== undefined) found.push({ start, end: index + 1 });
    }
  }
  return found
    .sort((a, b) => a.start - b.start)
    .slice(0, 32)
    .map(({ start, end }) => text.slice(start, end));
}
