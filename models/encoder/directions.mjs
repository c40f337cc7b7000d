/** A text has so many words, where the direction that all texts share is looked for. */
const TEXT_WORDS = 20;
const ROUNDS = 200;
/** A word's weight is a / (a + p), p its share of running text. */
export const A = 0.002;
/** The share of running text that is numbers, for their weight. */
export const NUMBERS_SHARE = 0.01;

/**
 * How much a word says, 0 to 1.
 *
 * @param {number} share
 */
export function weightOf(share, a = A) {
  return a / (a + share);
}

/** @typedef {{ vector: Float64Array, weight: number, share: number }} Drawn a word as texts are drawn from it */

/** @param {Float64Array} vector */
export function unit(vector) {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/**
 * What share of running text a word is, from its rank alone (Zipf and Mandelbrot): the package is in
 * order of frequency and has no counts. Plain arithmetic, so that every machine gives the same.
 *
 * @param {number} words
 */
export function frequencies(words) {
  let total = 0;
  for (let rank = 0; rank < words; rank += 1) total += 1 / (rank + 2.7);
  return (/** @type {number | undefined} */ rank) => {
    if (rank === undefined) throw new Error('a word without a rank');
    return 1 / (rank + 2.7) / total;
  };
}

/**
 * The first principal direction of weighed sums of words drawn by their frequency: what is expected of
 * texts that say nothing in particular, without a corpus. For independent draws the second moment of a
 * sum of n is n E[xxᵀ] + n (n − 1) E[x] E[x]ᵀ; its first eigenvector by power iteration.
 *
 * @param {readonly Drawn[]} entries
 */
export function commonDirection(entries) {
  const size = entries[0]?.vector.length ?? 0;
  const total = entries.reduce((sum, { share }) => sum + share, 0);
  const mean = new Float64Array(size);
  /** Rows of the second moment. */
  const moment = Array.from({ length: size }, () => new Float64Array(size));
  for (const { vector, weight, share } of entries) {
    const drawn = share / total;
    add(mean, vector, drawn * weight);
    moment.forEach((row, at) => add(row, vector, drawn * weight * weight * (vector[at] ?? 0)));
  }
  moment.forEach((row, at) => add(row, mean, (TEXT_WORDS - 1) * (mean[at] ?? 0)));
  let direction = unit(mean);
  for (let round = 0; round < ROUNDS; round += 1) {
    direction = unit(Float64Array.from(moment, (row) => dot(row, direction)));
  }
  return direction;
}

/**
 * Adds `times` a vector to `sum`.
 *
 * @param {Float64Array} sum
 * @param {Float64Array} vector
 * @param {number} times
 */
export function add(sum, vector, times) {
  for (let at = 0; at < sum.length; at += 1) {
    sum[at] = (sum[at] ?? 0) + times * (vector[at] ?? 0);
  }
}

/**
 * @param {Float64Array} first
 * @param {Float64Array} second
 */
export function dot(first, second) {
  let sum = 0;
  for (let at = 0; at < first.length; at += 1) sum += (first[at] ?? 0) * (second[at] ?? 0);
  return sum;
}
