import { drawGain, seededWeights } from './seeded-values.mjs';
import { VOCABULARY_SIZE } from './tokenizer.mjs';

/** BERT's shape, as small as keeps every part of it. */
export const SHAPE = {
  hidden: 32,
  layers: 2,
  heads: 4,
  inner: 64,
  positions: 128,
  types: 2,
  words: VOCABULARY_SIZE,
  epsilon: 1e-12,
};

/** @typedef {import('./seeded-values.mjs').Weight} Weight */
/** @typedef {import('./seeded-values.mjs').DrawWeight} DrawWeight */
/** @typedef {{ matrix: Weight, bias: Weight }} Linear a row times the matrix, plus the bias */
/** @typedef {{ gain: Weight, bias: Weight }} Norm */
/** @typedef {ReturnType<typeof encoderWeights>} EncoderWeights */
/** @typedef {ReturnType<typeof drawLayer>} Layer */

/**
 * The encoder's weights. What all tokens are given alike (their type, biases, the mean of what GELU
 * lets through) is kept small beside their words, or all texts would have one direction; none is 0, so
 * that a runtime that drops one is noticed.
 *
 * @param {{ seed?: number }} [options]
 */
export function encoderWeights({ seed = 1 } = {}) {
  const draw = seededWeights(seed);
  const { hidden } = SHAPE;
  return {
    words: draw('embeddings.words', [SHAPE.words, hidden], 1),
    positions: draw('embeddings.positions', [SHAPE.positions, hidden], 0.2),
    types: draw('embeddings.types', [SHAPE.types, hidden], 0.05),
    norm: drawNorm(draw, 'embeddings.norm'),
    layers: Array.from({ length: SHAPE.layers }, (_, at) => drawLayer(draw, `layer.${at}`)),
  };
}

/**
 * @param {DrawWeight} draw
 * @param {string} name
 */
export function drawLayer(draw, name) {
  const { hidden, inner } = SHAPE;
  return {
    query: linear('query', [hidden, hidden], 1.5),
    key: linear('key', [hidden, hidden], 1.5),
    value: linear('value', [hidden, hidden], 1),
    attended: linear('attended', [hidden, hidden], 1),
    attendedNorm: drawNorm(draw, `${name}.attended-norm`),
    inner: linear('inner', [hidden, inner], 0.5),
    outer: linear('outer', [inner, hidden], 0.5),
    outerNorm: drawNorm(draw, `${name}.outer-norm`),
  };

  /**
   * @param {string} part
   * @param {readonly [number, number]} shape
   * @param {number} growth how much wider than what goes in comes out
   */
  function linear(part, shape, growth) {
    return drawLinear(draw, `${name}.${part}`, { shape, growth });
  }
}

/**
 * @param {DrawWeight} draw
 * @param {string} name
 * @param {{ shape: readonly [number, number], growth: number }} options as `drawLayer` says
 * @returns {Linear}
 */
export function drawLinear(draw, name, { shape: [rows, columns], growth }) {
  return {
    matrix: draw(`${name}.matrix`, [rows, columns], growth / Math.sqrt(rows)),
    bias: draw(`${name}.bias`, [columns], 0.02),
  };
}

/**
 * @param {DrawWeight} draw
 * @param {string} name
 * @returns {Norm}
 */
export function drawNorm(draw, name) {
  return {
    gain: drawGain(draw, `${name}.gain`, SHAPE.hidden),
    bias: draw(`${name}.bias`, [SHAPE.hidden], 0.02),
  };
}
