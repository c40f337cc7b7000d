import type { GrammarMatcher } from '@mlc-ai/web-xgrammar';

/** Whether each token may come next, a bit each, the lowest first. */
export type TokenMask = Int32Array;

/** Tokens that a mask holds, the likeliest first, at most so many. Logits that are no number are passed over. */
export function likeliestTokens(
  logits: Float32Array,
  mask: TokenMask,
  most: number,
): readonly number[] {
  const ids: number[] = [];
  const least = () => (ids.length < most ? -Infinity : (logits[ids.at(-1) ?? 0] ?? 0));
  let floor = -Infinity;
  for (let word = 0; word < mask.length; word += 1) {
    // The lowest bit that is left, until none is.
    for (let bits = mask[word] ?? 0; bits !== 0; bits &= bits - 1) {
      const id = word * 32 + 31 - Math.clz32(bits & -bits);
      const logit = logits[id] ?? NaN;
      if (!(logit > floor)) continue;
      let at = Math.min(ids.length, most - 1);
      for (; at > 0 && (logits[ids[at - 1] ?? 0] ?? 0) < logit; at -= 1) ids[at] = ids[at - 1] ?? 0;
      ids[at] = id;
      floor = least();
    }
  }
  return ids;
}

/** The mask of a matcher, at once: what XGrammar's own `getNextTokenBitmask` gives a moment later. */
export function nextTokenMask(matcher: GrammarMatcher, tokens: number): TokenMask {
  const handle: unknown = Reflect.get(matcher, 'handle');
  const words: unknown = isMaskMaker(handle) ? handle.GetNextTokenBitmask(tokens) : null;
  if (!isWords(words)) throw new TypeError('this version of XGrammar gives no token mask');
  try {
    return Int32Array.from({ length: words.size() }, (_, at) => words.get(at));
  } finally {
    words.delete();
  }
}

interface MaskMaker {
  GetNextTokenBitmask(tokens: number): unknown;
}

/** A vector of the runtime that XGrammar was compiled with. */
interface Words {
  size(): number;
  get(at: number): number;
  delete(): void;
}

function isMaskMaker(value: unknown): value is MaskMaker {
  return has(value, 'GetNextTokenBitmask');
}

function isWords(value: unknown): value is Words {
  return has(value, 'size') && has(value, 'get') && has(value, 'delete');
}

function has(value: unknown, name: string): boolean {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
  );
}
