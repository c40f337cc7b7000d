/** How well texts are ranked for a text, by each way of recall; brute force, apart from the index. */
import type { EncoderAsset } from '../../../src/core/recall/encoder/asset.ts';
import { SCALE_STEP } from '../../../src/core/recall/encoder/asset.ts';
import { WordEncoder } from '../../../src/core/recall/encoder/word-encoder.ts';
import { makeBm25 } from './bm25.ts';
import { scanWords } from '../../../src/core/recall/text/scan-words.ts';
import { tokenize } from '../../../src/core/recall/tokenize.ts';
import { seededRandom } from '../../../src/core/metro/random.ts';

export const WAYS = ['fused', 'encoder', 'bm25', 'plain'] as const;
export type Way = (typeof WAYS)[number];
/** Numbers of texts, best first. */
export type Ranking = readonly number[];

/** How many of each side are fused, and by how much a rank counts: 1 / (60 + rank). */
const DEPTH = 200;
const FUSION = 60;

/** A text that others are ranked for; `skip` is one that may not be found. */
export interface Query {
  readonly text: string;
  readonly skip?: number;
}

/** For each query, the best `DEPTH` texts by each way. */
export function rankTexts(
  asset: EncoderAsset,
  texts: readonly string[],
  queries: readonly Query[],
): Readonly<Record<Way, readonly Ranking[]>> {
  const bm25 = rankByWords(texts, queries);
  const encoder = rankByEncoder(asset, texts, queries);
  const plain = rankByVectors((text) => plainMean(asset, text), texts, queries);
  return { fused: fuseAll(encoder, bm25), encoder, bm25, plain };
}

function rankByWords(texts: readonly string[], queries: readonly Query[]): readonly Ranking[] {
  const bm25 = makeBm25(texts.map((text, at) => ({ id: idOf(at), words: tokenize(text) })));
  return queries.map(({ text, skip = -1 }) =>
    bm25
      .search(tokenize(text), DEPTH + 1)
      .map(({ id }) => Number(id))
      .filter((at) => at !== skip)
      .slice(0, DEPTH),
  );
}

/** By vectors of an asset's encoder. */
export function rankByEncoder(
  asset: EncoderAsset,
  texts: readonly string[],
  queries: readonly Query[],
): readonly Ranking[] {
  const encoder = new WordEncoder(asset);
  return rankByVectors((text) => encoder.encode(text), texts, queries);
}

function rankByVectors(
  encode: (text: string) => Float32Array,
  texts: readonly string[],
  queries: readonly Query[],
): readonly Ranking[] {
  const vectors = texts.map(encode);
  return queries.map(({ text, skip = -1 }) => nearest(encode(text), vectors, skip));
}

/** The mean of the word vectors as they are: no weights, no guesses, no common direction. */
function plainMean(asset: EncoderAsset, text: string): Float32Array {
  const sum = new Float32Array(asset.provenance.dimension);
  const word = (of: string) => {
    const known = asset.words.find(of);
    if (known < 0) return;
    const scale = (asset.scales[known] ?? 0) * SCALE_STEP;
    const start = known * sum.length;
    for (let at = 0; at < sum.length; at += 1) {
      sum[at] = (sum[at] ?? 0) + scale * (asset.vectors[start + at] ?? 0);
    }
  };
  scanWords(text, { word, number: () => {}, compound: (_, parts) => parts.forEach(word) });
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  return length === 0 ? sum : sum.map((value) => value / length);
}

function nearest(query: Float32Array, texts: readonly Float32Array[], skip: number): Ranking {
  const scores = Float64Array.from(texts, (text) => {
    let sum = 0;
    for (let at = 0; at < query.length; at += 1) sum += (query[at] ?? 0) * (text[at] ?? 0);
    return sum;
  });
  const least = scores.toSorted().at(-(DEPTH + 1)) ?? -Infinity;
  return [...scores.keys()]
    .filter((at) => at !== skip && (scores[at] ?? 0) >= least)
    .toSorted((first, second) => (scores[second] ?? 0) - (scores[first] ?? 0) || first - second)
    .slice(0, DEPTH);
}

/** Both sides' rankings of each query as one, by reciprocal rank. */
export function fuseAll(first: readonly Ranking[], second: readonly Ranking[]): readonly Ranking[] {
  return first.map((ranking, query) => fuse(ranking, second[query] ?? []));
}

function fuse(first: Ranking, second: Ranking): Ranking {
  const scores = new Map<number, number>();
  for (const ranking of [first, second]) {
    ranking.forEach((at, rank) => {
      scores.set(at, (scores.get(at) ?? 0) + 1 / (FUSION + rank + 1));
    });
  }
  return [...scores]
    .toSorted(([a, least], [b, most]) => most - least || a - b)
    .map(([at]) => at)
    .slice(0, DEPTH);
}

/** Of each query, the share of the first five that `isRight` says are right. */
export function precisionAt5(
  rankings: readonly Ranking[],
  isRight: (query: number, found: number) => boolean,
): readonly number[] {
  return rankings.map(
    (ranking, query) => ranking.slice(0, 5).filter((found) => isRight(query, found)).length / 5,
  );
}

/** The numbers below `size` in two random halves, `count` times; the same for the same size. */
export function halvesOf(size: number, count: number): readonly Halves[] {
  const random = seededRandom(2024);
  const all = Array.from({ length: size }, (_, at) => at);
  return Array.from({ length: count }, () => {
    const order = random.shuffle(all);
    return { tuning: order.slice(0, size >> 1), reported: order.slice(size >> 1) };
  });
}

export interface Halves {
  readonly tuning: readonly number[];
  readonly reported: readonly number[];
}

/** The mean of `values`, or of those whose numbers are given. */
export function mean(values: readonly number[], numbers?: readonly number[]): number {
  const chosen = numbers?.map((at) => values[at] ?? 0) ?? values;
  return chosen.reduce((sum, value) => sum + value, 0) / Math.max(1, chosen.length);
}

function idOf(at: number): string {
  return String(at).padStart(7, '0');
}
