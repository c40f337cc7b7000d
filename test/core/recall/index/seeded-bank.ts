import {
  NODE_RANKS,
  type EncoderId,
  type NodeChange,
  type QuantisedVector,
  type RecallQuery,
} from '../../../../src/core/recall/index/recall-types.ts';
import { fieldsOf, queryOf } from './reference.ts';

export const ENCODER: EncoderId = { id: 'seeded', dimension: 12, revision: '1' };

/** Numbers from 0 to 1, the same for the same seed. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A vector of length 1, in int8. */
export function seededVector(next: () => number, dimension = ENCODER.dimension): QuantisedVector {
  const values = Int8Array.from({ length: dimension }, () => Math.round((next() - 0.5) * 254));
  const square = values.reduce((sum, each) => sum + each * each, 0);
  return { values, scale: square === 0 ? 0 : Math.fround(1 / Math.sqrt(square)) };
}

/** A word for a number, of letters alone and in no tokenizer's way: `wc`, `wcb`. */
export function seededWord(number: number): string {
  return `w${[...String(number)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('')}`;
}

/** Words as skewed as real text's. */
export function seededText(next: () => number, words: number, vocabulary: number): string {
  const draw = () => seededWord(Math.floor(vocabulary ** next()));
  return Array.from({ length: words }, draw).join(' ');
}

/**
 * A bank's life: nodes come, most of them at first, then some change and some go. Step is the place of a
 * change.
 */
export function seededChanges(seed: number, nodes: number, edits: number): readonly NodeChange[] {
  const next = chance(seed);
  const put = (number: number, step: number): NodeChange => ({
    type: 'put',
    id: `n${String(number).padStart(6, '0')}`,
    step,
    fields: fieldsOf(
      seededText(next, 1 + Math.floor(next() * 16), 3000),
      next() < 0.5 ? seededText(next, 2, 200) : '',
    ),
    isTrusted: next() < 0.8,
    rank: NODE_RANKS[Math.floor(next() * 4)] ?? 'lesson',
    source: `source ${Math.floor(next() * 5)}`,
    vector: next() < 0.9 ? seededVector(next) : null,
  });
  const first = Array.from({ length: nodes }, (_, at) => put(at, at));
  const later = Array.from({ length: edits }, (_, at): NodeChange => {
    const number = Math.floor(next() * nodes * 1.1);
    const step = nodes + at;
    if (next() < 0.4) return { type: 'remove', id: `n${String(number).padStart(6, '0')}`, step };
    return put(number, step);
  });
  return [...first, ...later];
}

/** Queries of every mode and many filters. */
export function seededQueries(seed: number, count: number, steps: number): readonly RecallQuery[] {
  const next = chance(seed);
  return Array.from({ length: count }, (_, at) =>
    queryOf(seededText(next, 1 + Math.floor(next() * 20), 3000), {
      vector: next() < 0.8 ? { ...seededVector(next), encoder: ENCODER } : null,
      mode: (['fused', 'bm25', 'encoder'] as const)[at % 3] ?? 'fused',
      limit: 1 + Math.floor(next() * 250),
      filter: {
        trustedOnly: next() < 0.5,
        ranks: next() < 0.3 ? ['lesson', 'rule'] : null,
        sources: next() < 0.3 ? ['source 1', 'source 3', 'nobody'] : null,
        asOfStep: next() < 0.4 ? Math.floor(next() * steps) : null,
      },
    }),
  );
}
