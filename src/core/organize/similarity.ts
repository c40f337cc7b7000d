import { tokenize } from '../recall/tokenize.ts';

/** A text as weighted words, of length 1. */
export type WordVector = ReadonlyMap<string, number>;

/** Weights of words: rarer over the given texts weighs more. */
export function inverseFrequency(texts: readonly string[]): (word: string) => number {
  return frequencyWeight(texts.map(tokenize));
}

/** The same over texts that are words already. */
export function frequencyWeight(texts: readonly (readonly string[])[]): (word: string) => number {
  const holding = new Map<string, number>();
  for (const words of texts) {
    for (const word of new Set(words)) holding.set(word, (holding.get(word) ?? 0) + 1);
  }
  return (word) => Math.log(1 + texts.length / (1 + (holding.get(word) ?? 0)));
}

/** A text's vector: word counts, damped, times their weights, scaled to length 1. */
export function wordVector(text: string, weight: (word: string) => number): WordVector {
  return vectorOfWords(tokenize(text), weight);
}

/** The same of a text that is words already. */
export function vectorOfWords(
  words: readonly string[],
  weight: (word: string) => number,
): WordVector {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const vector = new Map(
    [...counts].map(([word, count]) => [word, (1 + Math.log(count)) * weight(word)]),
  );
  const length = Math.hypot(...vector.values());
  return length === 0
    ? vector
    : new Map([...vector].map(([word, value]) => [word, value / length]));
}

/** Cosine of two vectors of length 1: 0 (no word in common) to 1. */
export function cosine(first: WordVector, second: WordVector): number {
  const [small, large] = first.size <= second.size ? [first, second] : [second, first];
  let sum = 0;
  for (const [word, value] of small) sum += value * (large.get(word) ?? 0);
  return sum;
}

/** The sum of vectors, scaled to length 1. */
export function centroid(vectors: readonly WordVector[]): WordVector {
  const sum = sumOf(vectors);
  const length = Math.hypot(...sum.values());
  return length === 0 ? sum : new Map([...sum].map(([word, value]) => [word, value / length]));
}

/** The sum of vectors, as long as it is. */
export function sumOf(vectors: readonly WordVector[]): WordVector {
  const sum = new Map<string, number>();
  for (const vector of vectors) {
    for (const [word, value] of vector) sum.set(word, (sum.get(word) ?? 0) + value);
  }
  return sum;
}
