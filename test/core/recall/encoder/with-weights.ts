import {
  SCALE_STEP,
  WEIGHT_STEP,
  type EncoderAsset,
} from '../../../../src/core/recall/encoder/asset.ts';
import {
  A,
  commonDirection,
  NUMBERS_SHARE,
  weightOf,
} from '../../../../models/encoder/directions.mjs';

/**
 * An asset as it would be with other weights a / (a + p), its common direction found anew, or with none
 * to take out.
 */
export function withWeights(
  asset: EncoderAsset,
  { a, hasCommon }: { readonly a: number; readonly hasCommon: boolean },
): EncoderAsset {
  const { dimension } = asset.provenance;
  const entries = Array.from(asset.weights, (stored, word) => {
    const scale = (asset.scales[word] ?? 0) * SCALE_STEP;
    const values = asset.vectors.subarray(word * dimension, (word + 1) * dimension);
    const isNumber = asset.words.word(word).startsWith('#');
    const shipped = stored * WEIGHT_STEP;
    const share = isNumber ? NUMBERS_SHARE : (A * (1 - shipped)) / shipped;
    return {
      vector: Float64Array.from(values, (value) => value * scale),
      weight: weightOf(share, a),
      share: isNumber ? 0 : share,
    };
  });
  return {
    ...asset,
    weights: Uint16Array.from(entries, ({ weight }) => Math.round(weight / WEIGHT_STEP)),
    common: hasCommon ? Float32Array.from(commonDirection(entries)) : new Float32Array(dimension),
  };
}
