/** Recall of real questions: of the five found first, how many are of the same subject. */
import { A } from '../../models/encoder/directions.mjs';
import { decodeAsset, type EncoderAsset } from '../../src/core/recall/encoder/asset.ts';
import { WordEncoder } from '../../src/core/recall/encoder/word-encoder.ts';
import { withWeights } from '../core/recall/encoder/with-weights.ts';
import {
  fuseAll,
  halvesOf,
  mean,
  precisionAt5,
  rankByEncoder,
  rankTexts,
  WAYS,
  type Ranking,
  type Way,
} from '../core/recall/ranking-quality.ts';
import { realQuestions } from '../core/recall/real-questions.ts';
import type { Measure } from './storage.bench.ts';
import { QUESTION_PEERS } from './support/question-peers.ts';

const HALVES = 20;
/** What is tuned: the weights' a, and whether the common direction is taken out. */
const TUNED = [A / 4, A / 2, A, A * 2].flatMap((a) => [
  { a, hasCommon: true },
  { a, hasCommon: false },
]);
const PAIRS: readonly (readonly [Way, Way])[] = [
  ['fused', 'bm25'],
  ['fused', 'plain'],
  ['encoder', 'plain'],
  ['encoder', 'bm25'],
];

/** Of each question, the share of the first five that are right. */
type Scores = Readonly<Record<Way, readonly number[]>>;

/**
 * Same-subject precision at 5 on MATH-Vision, each question against the others, for each way of recall:
 * as it ships; and tuned on one half of the questions and reported on the other, for 20 random halves,
 * with the lowest and highest of the paired differences. Nothing where the data is not here.
 */
export async function run(): Promise<readonly Measure[]> {
  const questions = await realQuestions();
  if (questions.length === 0) {
    console.warn('SKIPPED: recall-quality; ../shared/data/benchmarks/mathvision is not here.');
    return [];
  }
  const decoded = decodeAsset(
    new Uint8Array(await (await fetch('/encoder/words.bin')).arrayBuffer()),
  );
  if (!decoded.ok) throw new Error(decoded.refusal.message);
  const asset = decoded.value;
  const texts = questions.map(({ question }) => question);
  const queries = texts.map((text, skip) => ({ text, skip }));
  const isRight = (query: number, found: number) =>
    questions[query]?.subject === questions[found]?.subject;
  const scoresOf = (rankings: readonly Ranking[]) => precisionAt5(rankings, isRight);
  const rankings = rankTexts(asset, texts, queries);
  const shipped: Scores = {
    fused: scoresOf(rankings.fused),
    encoder: scoresOf(rankings.encoder),
    bm25: scoresOf(rankings.bm25),
    plain: scoresOf(rankings.plain),
  };
  const tuned = TUNED.map((settings): Scores => {
    const encoder = rankByEncoder(withWeights(asset, settings), texts, queries);
    const fused = fuseAll(encoder, rankings.bm25);
    return { ...shipped, encoder: scoresOf(encoder), fused: scoresOf(fused) };
  });
  return [
    ...WAYS.map((way) =>
      percent(`same subject in the first 5 of ${texts.length}, ${way}`, mean(shipped[way])),
    ),
    ...reportedHalves(tuned, texts.length),
    ...(await againstPeers(asset, texts, { fused: rankings.fused, isRight })),
  ];
}

/** Other libraries on every sixth question, as asking them takes long; Grove's on the same. */
async function againstPeers(
  asset: EncoderAsset,
  texts: readonly string[],
  ours: {
    readonly fused: readonly Ranking[];
    isRight(query: number, found: number): boolean;
  },
): Promise<readonly Measure[]> {
  const queries = texts.flatMap((_, at) => (at % 6 === 0 ? [at] : []));
  const encoder = new WordEncoder(asset);
  const encoded = texts.map((text) => ({ text, vector: encoder.encode(text) }));
  const share = (rankings: readonly Ranking[]) =>
    mean(precisionAt5(rankings, (at, found) => ours.isRight(queries[at] ?? -1, found)));
  const of = `same subject in the first 5, ${queries.length} of them`;
  const measures = [percent(`${of}, fused`, share(queries.map((at) => ours.fused[at] ?? [])))];
  for (const [name, rank] of Object.entries(QUESTION_PEERS)) {
    measures.push(percent(`${of}, ${name}`, share(await rank(encoded, queries))));
  }
  return measures;
}

/** On each half, what was best by the fused ranking on the other. */
function reportedHalves(tuned: readonly Scores[], size: number): readonly Measure[] {
  const halves = halvesOf(size, HALVES).map(({ tuning, reported }) => {
    const fused = tuned.map((scores) => mean(scores.fused, tuning));
    const best = fused.indexOf(Math.max(...fused));
    const of = (way: Way) => mean(tuned[best]?.[way] ?? [], reported);
    return {
      best,
      fused: of('fused'),
      encoder: of('encoder'),
      bm25: of('bm25'),
      plain: of('plain'),
    };
  });
  const shipped = TUNED.findIndex(({ a, hasCommon }) => a === A && hasCommon);
  return [
    ...WAYS.map((way) =>
      percent(
        `tuned on one half, reported on the other, ${way}`,
        mean(halves.map((half) => half[way])),
      ),
    ),
    ...PAIRS.flatMap(([first, second]) => {
      const differences = halves.map((half) => half[first] - half[second]);
      const name = `  ${first} less ${second}, ${HALVES} halves`;
      return [
        percent(`${name}, lowest`, Math.min(...differences)),
        percent(`${name}, highest`, Math.max(...differences)),
      ];
    }),
    {
      name: '  halves on which another a was best than ships',
      value: halves.filter(({ best }) => best !== shipped).length,
      unit: `of ${HALVES}`,
    },
    {
      name: '  halves on which the common direction was best left in',
      value: halves.filter(({ best }) => TUNED[best]?.hasCommon === false).length,
      unit: `of ${HALVES}`,
    },
  ];
}

function percent(name: string, share: number): Measure {
  return { name, value: share * 100, unit: '%' };
}
