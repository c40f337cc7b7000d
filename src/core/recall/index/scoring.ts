import type { RecallSettings } from './recall-types.ts';

/** BM25 for one state of the collection. */
export interface Scoring {
  readonly k1: number;
  /** The average length of a row, at least 1. */
  readonly average: number;
  /** The norm of a row of length n is `base + perLength × n`. */
  readonly base: number;
  readonly perLength: number;
}

/** How many rows there are, and how many words in them all. */
export interface Totals {
  readonly rows: number;
  readonly length: number;
}

export function scoringOf({ k1, b }: RecallSettings, { rows, length }: Totals): Scoring {
  const average = Math.max(1, length / Math.max(1, rows));
  return { k1, average, base: k1 * (1 - b), perLength: (k1 * b) / average };
}

/** Robertson–Sparck Jones with the +1 that keeps it positive. */
export function rarity(rows: number, holding: number): number {
  return Math.log(1 + (rows - holding + 0.5) / (holding + 0.5));
}

/**
 * Scores are counted in parts of 2⁻²⁸, so that sums below 2²⁵ are exact in whatever order words are
 * added: the same rows score the same in every index. Adding this constant and taking it off again
 * rounds to such parts.
 */
const ROUNDING = 1.5 * 2 ** 24;

/** What one word adds to a row's score: the one formula that results are ordered by. */
export function wordScore(
  weight: number,
  count: number,
  {
    scoring: { k1, base, perLength },
    length,
  }: { readonly scoring: Scoring; readonly length: number },
): number {
  const share = (weight * (k1 + 1) * count) / (count + base + perLength * length);
  return share + ROUNDING - ROUNDING;
}
