import { readRows, tokensAfter } from './decoder-reference.mjs';
import { applyLayer, normalise } from './encoder-reference.mjs';
import { imageTextWeights } from './image-text.mjs';
import { add, rowOf, times, valueAt } from './row.mjs';
import { IMAGE_ID } from './vision/image-tokens.mjs';
import { PATCHES, SHAPE, visionWeights } from './vision/vision-weights.mjs';

/** @typedef {import('./image-text.mjs').ImageTextWeights} ImageTextWeights */
/** @typedef {import('./vision/vision-weights.mjs').VisionWeights} VisionWeights */
/** @typedef {import('./decoder-reference.mjs').Reading} Reading */
/** @typedef {import('./row.mjs').Row} Row */
/** @typedef {ArrayLike<number>} Tile its pixels: all of red row by row, then green, then blue */

const { colours, tile: side, patch, joined } = SHAPE;

/**
 * What `image_features` should be for one tile, in plain double precision and with nothing of ONNX: its
 * rows, from left to right and then down.
 *
 * @param {Tile} tile
 * @param {VisionWeights} [weights]
 * @returns {readonly Row[]}
 */
export function referenceFeatures(tile, weights = visionWeights()) {
  const embedded = square(PATCHES).map(([y, x], at) => {
    const seen = look(tile, weights, [y * patch, x * patch]);
    return normalise(add(seen, rowOf(weights.positions, at)), weights.norm);
  });
  const rows = weights.layers.reduce(applyLayer, embedded);
  return square(PATCHES / joined).map(([y, x]) => {
    const together = square(joined).flatMap(
      ([down, right]) => rows[(y * joined + down) * PATCHES + x * joined + right] ?? [],
    );
    return times(together, weights.projection);
  });
}

/**
 * The text read, with the tiles' rows in the places that `<image>` leaves them.
 *
 * @param {readonly number[]} ids
 * @param {{ tiles: readonly Tile[], weights?: ImageTextWeights }} options
 * @returns {Reading}
 */
export function referenceImageReading(ids, { tiles, weights = imageTextWeights() }) {
  const features = tiles.flatMap((tile) => referenceFeatures(tile, weights.vision));
  const places = ids.flatMap((id, place) => (id === IMAGE_ID ? [place] : []));
  if (places.length !== features.length) {
    throw new RangeError(`${places.length} places for ${features.length} rows`);
  }
  const rows = ids.map((id, place) =>
    id === IMAGE_ID ? (features[places.indexOf(place)] ?? []) : rowOf(weights.text.words, id),
  );
  return readRows(rows, { weights: weights.text });
}

/**
 * As `referenceTokens`, after a text with images.
 *
 * @param {readonly number[]} ids
 * @param {{ tiles: readonly Tile[], count: number, weights?: ImageTextWeights }} options
 * @returns {readonly number[]}
 */
export function referenceImageTokens(ids, { tiles, count, weights = imageTextWeights() }) {
  const reading = referenceImageReading(ids, { tiles, weights });
  return tokensAfter(reading, { count, weights: weights.text });
}

/**
 * One patch as a row.
 *
 * @param {Tile} tile
 * @param {VisionWeights} weights
 * @param {readonly [number, number]} from its upper left corner
 * @returns {Row}
 */
function look(tile, { patches }, [top, left]) {
  const pixels = Array.from({ length: colours }, (_, colour) =>
    square(patch).map(([y, x]) => valueAt(tile, (colour * side + top + y) * side + left + x)),
  ).flat();
  return Array.from({ length: SHAPE.hidden }, (_, at) =>
    pixels.reduce(
      (sum, pixel, from) => sum + pixel * valueAt(patches.values, at * pixels.length + from),
      0,
    ),
  );
}

/**
 * Row and column of each place in a square, from left to right and then down.
 *
 * @param {number} length of a side
 * @returns {readonly (readonly [number, number])[]}
 */
function square(length) {
  return Array.from({ length: length ** 2 }, (_, at) => [Math.floor(at / length), at % length]);
}
