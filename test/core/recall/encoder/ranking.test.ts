import { expect, test } from 'vitest';
import { decodeAsset } from '../../../../src/core/recall/encoder/asset.ts';
import { mean, rankTexts, WAYS, type Way } from '../ranking-quality.ts';
import { PARAPHRASES } from './paraphrases.ts';
import { shippedBytes } from './shipped.ts';

const decoded = decodeAsset(shippedBytes());
if (!decoded.ok) throw new Error(decoded.refusal.message);
const texts = PARAPHRASES.map(({ lesson }) => lesson);
const queries = PARAPHRASES.flatMap(({ asked }, right) => asked.map((text) => ({ text, right })));
const rankings = rankTexts(decoded.value, texts, queries);

/** Mean of 1 / rank of the right lesson, and the share of questions that have it in the first three. */
function quality(way: Way) {
  const places = rankings[way].map((ranking, at) => ranking.indexOf(queries[at]?.right ?? -1));
  return {
    reciprocal: mean(places.map((place) => (place < 0 ? 0 : 1 / (place + 1)))),
    inFirst3: mean(places.map((place) => (place >= 0 && place < 3 ? 1 : 0))),
  };
}

test('a question in other words finds its lesson by the encoder more often than by words or a plain mean', () => {
  const all = Object.fromEntries(WAYS.map((way) => [way, quality(way)]));
  const { fused, encoder, bm25, plain } = all;
  expect(queries.length).toBeGreaterThan(50);
  expect(encoder?.reciprocal).toBeGreaterThan(bm25?.reciprocal ?? 1);
  expect(encoder?.reciprocal).toBeGreaterThan(plain?.reciprocal ?? 1);
  expect(fused?.reciprocal).toBeGreaterThan(bm25?.reciprocal ?? 1);
  expect(encoder?.inFirst3).toBeGreaterThan(0.5);
});
