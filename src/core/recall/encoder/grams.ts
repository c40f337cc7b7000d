import { hashOf, mix } from './word-table.ts';

/** Lengths of the pieces of a word, its bounds counted as characters. */
const SHORT = 3;
const LONG = 4;
/** How many dimensions a piece touches. */
const TOUCHED = 8;

/**
 * Adds an unknown word's pieces of 3 and 4 characters to `sum`, each a fixed pseudo-random direction, of
 * length `weight` about: words that share pieces are near each other, all others far from each other.
 */
export function addGrams(sum: Float32Array, word: string, weight: number): void {
  const bounded = `<${word}>`;
  const pieces = countOf(bounded, SHORT) + countOf(bounded, LONG);
  const step = weight / Math.sqrt(pieces * TOUCHED);
  for (const length of [SHORT, LONG]) {
    for (let at = 0; at + length <= bounded.length; at += 1) {
      addDirection(sum, hashOf(bounded, at, at + length), step);
    }
  }
}

function countOf(bounded: string, length: number): number {
  return Math.max(0, bounded.length - length + 1);
}

function addDirection(sum: Float32Array, seed: number, step: number): void {
  let state = seed;
  for (let touched = 0; touched < TOUCHED; touched += 1) {
    state = mix(state + 0x9e3779b9);
    const dimension = (state >>> 1) % sum.length;
    sum[dimension] = (sum[dimension] ?? 0) + ((state & 1) === 0 ? step : -step);
  }
}
