import { expect, test } from 'vitest';
import { A } from '../../../../models/encoder/directions.mjs';
import { decodeAsset } from '../../../../src/core/recall/encoder/asset.ts';
import { dot, shippedBytes } from './shipped.ts';
import { withWeights } from './with-weights.ts';

const decoded = decodeAsset(shippedBytes());
if (!decoded.ok) throw new Error(decoded.refusal.message);
const shipped = decoded.value;

test('the asset’s weights and common direction are those that the builder’s settings give', () => {
  const again = withWeights(shipped, { a: A, hasCommon: true });
  expect(again.weights).toEqual(shipped.weights);
  expect(dot(again.common, shipped.common)).toBeGreaterThan(0.9999);
  const frequent = shipped.words.find('the');
  expect(shipped.weights[frequent]).toBeLessThan(65_535 / 10);
});

test('with another a, weights and direction are others', () => {
  const other = withWeights(shipped, { a: A / 4, hasCommon: true });
  expect(dot(other.common, shipped.common)).toBeLessThan(0.9999);
  const [before, after] = [shipped, other].map(
    ({ weights, words }) => weights[words.find('station')] ?? 0,
  );
  expect(after).toBeLessThan(before ?? 0);
});
