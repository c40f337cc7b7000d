import type {
  EncoderId,
  PutNode,
  QuantisedVector,
  RecallQuery,
} from '../../../src/core/recall/index/recall-types.ts';
import { chance, seededWord } from '../../core/recall/index/seeded-bank.ts';

export const ENCODER: EncoderId = { id: 'bench', dimension: 100, revision: '1' };
export const WORDS = 40;
export const QUERY_WORDS = 20;
const VOCABULARY = 20_000;
const TOPICS = 500;

/** Seeded nodes as numbers: Zipf words, and unit vectors around topics. */
export interface Corpus {
  readonly size: number;
  /** `WORDS` a node. */
  readonly words: Uint16Array;
  /** `ENCODER.dimension` a node, with a scale each. */
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
}

/** A query that was drawn from a node: half its words, and its vector with noise. */
export interface DrawnQuery {
  readonly node: number;
  readonly words: readonly number[];
  readonly vector: QuantisedVector;
}

export function makeCorpus(size: number): Corpus {
  const next = chance(size);
  const { dimension } = ENCODER;
  const words = new Uint16Array(size * WORDS);
  for (let at = 0; at < words.length; at += 1) words[at] = Math.floor(VOCABULARY ** next());
  const topics = Float32Array.from({ length: TOPICS * dimension }, () => next() - 0.5);
  const vectors = new Int8Array(size * dimension);
  const scales = new Float32Array(size);
  for (let node = 0; node < size; node += 1) {
    const topic = Math.floor(next() * TOPICS) * dimension;
    const { values, scale } = quantised(
      Float32Array.from({ length: dimension }, (_, at) => (topics[topic + at] ?? 0) + next() - 0.5),
    );
    vectors.set(values, node * dimension);
    scales[node] = scale;
  }
  return { size, words, vectors, scales };
}

/** A vector at the full range of int8; its scale makes it a unit vector. */
function quantised(vector: Float32Array): QuantisedVector {
  const most = vector.reduce((sum, each) => Math.max(sum, Math.abs(each)), 0);
  const values = Int8Array.from(vector, (each) => Math.round((each / most) * 127));
  const square = values.reduce((sum, each) => sum + each * each, 0);
  return { values, scale: Math.fround(1 / Math.sqrt(square)) };
}

export function vectorOf({ vectors, scales }: Corpus, node: number): QuantisedVector {
  const { dimension } = ENCODER;
  const values = vectors.slice(node * dimension, (node + 1) * dimension);
  return { values, scale: scales[node] ?? 0 };
}

export function textOf(words: Iterable<number>): string {
  return Array.from(words, seededWord).join(' ');
}

export function wordsOf({ words }: Corpus, node: number): Uint16Array {
  return words.subarray(node * WORDS, (node + 1) * WORDS);
}

export function idOf(node: number): string {
  return `01K${String(node).padStart(23, '0')}`;
}

export function putOf(corpus: Corpus, node: number): PutNode {
  return {
    type: 'put',
    id: idOf(node),
    step: node,
    fields: { topic: '', scope: '', anchor: textOf(wordsOf(corpus, node)) },
    isTrusted: true,
    rank: 'lesson',
    source: 'bench',
    vector: vectorOf(corpus, node),
  };
}

export function drawQueries(corpus: Corpus, count: number): readonly DrawnQuery[] {
  const next = chance(count + corpus.size);
  return Array.from({ length: count }, () => {
    const node = Math.floor(next() * corpus.size);
    const shuffled = [...wordsOf(corpus, node)]
      .map((word) => ({ word, key: next() }))
      .sort((one, other) => one.key - other.key);
    const { values } = vectorOf(corpus, node);
    return {
      node,
      words: shuffled.slice(0, QUERY_WORDS).map(({ word }) => word),
      vector: quantised(Float32Array.from(values, (each) => each + (next() - 0.5) * 100)),
    };
  });
}

export function recallQueryOf(
  { words, vector }: DrawnQuery,
  mode: RecallQuery['mode'],
): RecallQuery {
  return {
    text: textOf(words),
    vector: { ...vector, encoder: ENCODER },
    mode,
    // What the app asks: trusted lessons and rules.
    filter: { trustedOnly: true, ranks: ['lesson', 'rule'], sources: null, asOfStep: null },
    limit: 10,
  };
}
