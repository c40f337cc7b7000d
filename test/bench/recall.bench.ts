/** BM25 at size: seeded documents with a vocabulary as skewed as real text's. */
import { makeBm25, type Document } from '../../src/core/recall/bm25.ts';
import type { Measure } from './storage.bench.ts';

const VOCABULARY = 20_000;
const WORDS = 60;
const QUERIES = 50;
const QUERY_WORDS = 20;

/** Measures recall at 10,000 and 100,000 documents; `full` adds a million. */
export async function run(full: boolean): Promise<readonly Measure[]> {
  return [10_000, 100_000, ...(full ? [1_000_000] : [])].flatMap(measure);
}

function measure(size: number): Measure[] {
  const draw = wordSource(size);
  const documents = Array.from({ length: size }, (_, at): Document => ({
    id: `d${at}`,
    words: Array.from({ length: WORDS }, draw),
  }));
  const began = performance.now();
  const index = makeBm25(documents);
  const built = performance.now() - began;
  const times = Array.from({ length: QUERIES }, () => {
    const query = Array.from({ length: QUERY_WORDS }, draw);
    const asked = performance.now();
    index.search(query, 8);
    return performance.now() - asked;
  }).toSorted((first, second) => first - second);
  const of = `${size.toLocaleString('en')} documents`;
  return [
    { name: `index ${of}`, value: built, unit: 'ms' },
    { name: `search ${of} (20 words, median)`, value: times[QUERIES >> 1] ?? 0, unit: 'ms' },
    { name: `search ${of} (20 words, worst of 50)`, value: times.at(-1) ?? 0, unit: 'ms' },
  ];
}

/** Words drawn log-uniformly, so that a word's rank and frequency go as Zipf found. */
function wordSource(seed: number): () => string {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return `w${Math.floor(VOCABULARY ** (state / 2 ** 32))}`;
  };
}
