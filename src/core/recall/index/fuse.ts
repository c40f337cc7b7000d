import { kthLargest, type ScoredRow } from './top-rows.ts';
import type { RecallMode } from './recall-types.ts';

/** A place on one side; ranks from 1. */
interface Place {
  readonly rank: number;
  readonly score: number;
}

/** A row that was found, with its place on each side. */
export interface FusedRow {
  readonly row: number;
  readonly score: number;
  readonly vector: Place | null;
  readonly words: Place | null;
}

export interface Sides {
  readonly vectors: readonly ScoredRow[];
  readonly words: readonly ScoredRow[];
}

export interface Fusion {
  readonly mode: RecallMode;
  readonly limit: number;
  readonly constant: number;
  readonly isBefore: (row: number, other: number) => boolean;
}

/**
 * The `limit` best rows of both sides: by one side's own score, or by the sum of 1 ÷ (constant + rank)
 * over the sides that hold it. Ties by node id, as `isBefore` says.
 */
export function fuse(
  { vectors, words }: Sides,
  { mode, limit, constant, isBefore }: Fusion,
): readonly FusedRow[] {
  if (mode !== 'fused') {
    const side = mode === 'encoder' ? vectors : words;
    return side.slice(0, limit).map(({ row, score }, at) => {
      const place = { rank: at + 1, score };
      const isVector = mode === 'encoder';
      return { row, score, vector: isVector ? place : null, words: isVector ? null : place };
    });
  }
  const found = new Map<number, FusedRow>();
  vectors.forEach(({ row, score }, at) => {
    const vector = { rank: at + 1, score };
    found.set(row, { row, score: 1 / (constant + at + 1), vector, words: null });
  });
  words.forEach(({ row, score }, at) => {
    const vector = found.get(row) ?? null;
    const share = (vector?.score ?? 0) + 1 / (constant + at + 1);
    const place = { rank: at + 1, score };
    found.set(row, { row, score: share, vector: vector?.vector ?? null, words: place });
  });
  const scores = Float64Array.from(found.values(), ({ score }) => score);
  const least = scores.length > limit ? kthLargest(scores, scores.length, limit) : 0;
  return [...found.values()]
    .filter(({ score }) => score >= least)
    .sort((one, other) => other.score - one.score || (isBefore(one.row, other.row) ? -1 : 1))
    .slice(0, limit);
}
