import type { Dictionary } from './dictionary.ts';
import type { IndexFields, RecallSettings, Tokenizer } from './recall-types.ts';
import { COUNT_BITS, MOST_COUNT } from './segment.ts';

const FIELDS = ['topic', 'scope', 'anchor'] as const;

/**
 * A node's words as entries, ascending by word: each counts as often as its fields weigh, 255 at most.
 * `length` is the same sum over all words.
 */
export function indexWords(
  fields: IndexFields,
  dictionary: Dictionary,
  { tokenizer, settings }: { readonly tokenizer: Tokenizer; readonly settings: RecallSettings },
): { readonly entries: Uint32Array; readonly length: number } {
  const counts = new Map<number, number>();
  let length = 0;
  for (const field of FIELDS) {
    const weight = settings.weights[field];
    if (weight === 0 || fields[field] === '') continue;
    const words = tokenizer.tokenize(fields[field]);
    length += weight * words.length;
    for (const word of words) {
      const number = dictionary.add(word);
      counts.set(number, (counts.get(number) ?? 0) + weight);
    }
  }
  const entries = new Uint32Array(counts.size);
  let at = 0;
  for (const [word, count] of counts) {
    entries[at] = ((word << COUNT_BITS) | Math.min(MOST_COUNT, count)) >>> 0;
    at += 1;
  }
  return { entries: entries.sort(), length: Math.min(length, 0xffffffff) };
}
