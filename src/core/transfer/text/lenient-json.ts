import type { Json } from '../../canonical.ts';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';

/** A JSON value that is safe to keep, and what had to be changed for that, as half sentences. */
export interface ReadJson {
  readonly value: Json;
  readonly changes: readonly string[];
}

/** How deep a value from outside may nest; real items stay below 10. */
export const MOST_DEPTH = 100;

/**
 * Reads JSON from outside. Forgiven, and told in `changes`: trailing commas, and `NaN` and
 * `Infinity` (null), as Python writes them. Made safe, and told: half surrogate pairs (U+FFFD), numbers past
 * what a double holds, members called `__proto__` (left out). What is not told, as JSON says it means
 * nothing: how a number is spelled (`0.0`, `0`), how a string is escaped, where members stand whose
 * names are whole numbers (first), and a member that is there twice (the last one stands).
 */
export function readJson(text: string): Result<ReadJson, Refusal<'not-json' | 'too-deep'>> {
  const changes = new Set<string>();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const repaired = repairJson(text);
    try {
      value = JSON.parse(repaired.text);
    } catch {
      return refuse('not-json', 'it is not valid JSON');
    }
    for (const change of repaired.changes) changes.add(change);
  }
  const safe = makeSafe(value, changes, MOST_DEPTH);
  if (safe === undefined) return refuse('too-deep', `it nests more than ${MOST_DEPTH} deep`);
  return accept({ value: safe, changes: [...changes] });
}

/** undefined where it nests too deep. */
function makeSafe(value: unknown, changes: Set<string>, depth: number): Json | undefined {
  if (typeof value === 'string') return safeText(value, changes);
  if (typeof value === 'number') return safeNumber(value, changes);
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const safe = makeSafe(item, changes, depth - 1);
      if (safe === undefined) return undefined;
      items.push(safe);
    }
    return items;
  }
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') {
      changes.add('a member called __proto__ was left out');
      continue;
    }
    const safe = makeSafe(member, changes, depth - 1);
    if (safe === undefined) return undefined;
    members.push([safeText(key, changes), safe]);
  }
  return Object.fromEntries(members);
}

function safeText(text: string, changes: Set<string>): string {
  if (text.isWellFormed()) return text;
  changes.add('a broken character was replaced');
  return text.toWellFormed();
}

function safeNumber(value: number, changes: Set<string>): number | null {
  if (!Number.isFinite(value)) {
    changes.add('a number too large to hold was left empty');
    return null;
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    changes.add('a number with too many digits may have been rounded');
  }
  return Object.is(value, -0) ? 0 : value;
}

/** Takes trailing commas out and puts null for NaN and infinities, outside strings; one pass. */
function repairJson(text: string): { readonly text: string; readonly changes: readonly string[] } {
  const pieces: string[] = [];
  const changes = new Set<string>();
  let from = 0;
  const replace = (at: number, end: number, by: string) => {
    pieces.push(text.slice(from, at), by);
    from = end;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ',') {
      const next = skipSpace(text, at + 1);
      if (text[next] === '}' || text[next] === ']') {
        replace(at, at + 1, '');
        changes.add('a trailing comma was left out');
      }
      at = next - 1;
    } else if (character === 'N' || character === 'I' || character === '-') {
      const word = ['NaN', 'Infinity', '-Infinity'].find((name) => text.startsWith(name, at));
      if (word === undefined) continue;
      replace(at, at + word.length, 'null');
      at += word.length - 1;
      changes.add(`${word} was left empty`);
    }
  }
  pieces.push(text.slice(from));
  return { text: pieces.join(''), changes: [...changes] };
}

/**
 * Where the string that begins at `start` closes. One that never does ends with its line, since JSON
 * has no line ends inside strings: so what is broken on one line stays there.
 */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"' || character === '\n') return at;
    if (character === '\\') at += 1;
  }
  return text.length;
}

/** The first place from `start` on that is no JSON white space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at += 1;
  return at;
}
