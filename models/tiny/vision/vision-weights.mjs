import { SHAPE as TEXT_SHAPE } from '../decoder/decoder-weights.mjs';
import { drawLayer, drawNorm, SHAPE as LAYER_SHAPE } from '../encoder-weights.mjs';
import { seededWeights } from '../seeded-values.mjs';

/** A tile's sides and its patches' in pixels, and patches that become one row, along each side. */
export const SHAPE = {
  colours: 3,
  tile: 64,
  patch: 8,
  joined: 2,
  layers: 2,
  hidden: LAYER_SHAPE.hidden,
  /** What a row has that takes a word's place. */
  features: TEXT_SHAPE.hidden,
};

/** Patches along a tile's side. */
export const PATCHES = SHAPE.tile / SHAPE.patch;
/** Rows that a tile becomes. */
export const TILE_ROWS = (PATCHES / SHAPE.joined) ** 2;

/** @typedef {ReturnType<typeof visionWeights>} VisionWeights */

/**
 * The weights of what looks at a tile: its patches, as words are to the encoder, whose layers it has;
 * and what makes rows for the decoder of neighbours.
 *
 * @param {{ seed?: number }} [options]
 */
export function visionWeights({ seed = 1 } = {}) {
  const { colours, patch, hidden, joined, features } = SHAPE;
  // Other draws than the decoder's of the same seed.
  const draw = seededWeights(~seed);
  const seen = colours * patch ** 2;
  const together = hidden * joined ** 2;
  return {
    patches: draw('patches', [hidden, colours, patch, patch], 2 / Math.sqrt(seen)),
    positions: draw('positions', [PATCHES ** 2, hidden], 0.2),
    norm: drawNorm(draw, 'norm'),
    layers: Array.from({ length: SHAPE.layers }, (_, at) => drawLayer(draw, `layer.${at}`)),
    projection: draw('projection', [together, features], 1 / Math.sqrt(together)),
  };
}
