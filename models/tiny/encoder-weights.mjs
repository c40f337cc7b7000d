import { seededValues } from './seeded-values.mjs';
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

/** @typedef {{ name: string, shape: readonly number[], values: Float32Array }} Weight */
/** @typedef {{ matrix: Weight, bias: Weight }} Linear a row times the matrix, plus the bias */
/** @typedef {{ gain: Weight, bias: Weight }} Norm */
/** @typedef {ReturnType<typeof encoderWeights>} EncoderWeights */

/**
 * The encoder's weights. What all tokens are given alike (their type, biases, the mean of what GELU
 * lets through) is kept small beside their words, or all texts would have one direction; none is 0, so
 * that a runtime that drops one is noticed.
 *
 * @param {{ seed?: number }} [options]
 */
export function encoderWeights({ seed = 1 } = {}) {
  const draw = seededValues(seed);
  const { hidden, inner } = SHAPE;
  return {
    words: weight('embeddings.words', [SHAPE.words, hidden], 1),
    positions: weight('embeddings.positions', [SHAPE.positions, hidden], 0.2),
    types: weight('embeddings.types', [SHAPE.types, hidden], 0.05),
    norm: norm('embeddings.norm'),
    layers: Array.from({ length: SHAPE.layers }, (_, at) => layer(`layer.${at}`)),
  };

  /** @param {string} name */
  function layer(name) {
    return {
      query: linear(`${name}.query`, [hidden, hidden], 1.5),
      key: linear(`${name}.key`, [hidden, hidden], 1.5),
      value: linear(`${name}.value`, [hidden, hidden], 1),
      attended: linear(`${name}.attended`, [hidden, hidden], 1),
      attendedNorm: norm(`${name}.attended-norm`),
      inner: linear(`${name}.inner`, [hidden, inner], 0.5),
      outer: linear(`${name}.outer`, [inner, hidden], 0.5),
      outerNorm: norm(`${name}.outer-norm`),
    };
  }

  /**
   * @param {string} name
   * @param {readonly [number, number]} shape
   * @param {number} growth how much wider than what goes in comes out
   * @returns {Linear}
   */
  function linear(name, [rows, columns], growth) {
    return {
      matrix: weight(`${name}.matrix`, [rows, columns], growth / Math.sqrt(rows)),
      bias: weight(`${name}.bias`, [columns], 0.02),
    };
  }

  /**
   * @param {string} name
   * @returns {Norm}
   */
  function norm(name) {
    const around = weight(`${name}.gain`, [hidden], 0.1);
    return {
      gain: { ...around, values: around.values.map((value) => 1 + value) },
      bias: weight(`${name}.bias`, [hidden], 0.02),
    };
  }

  /**
   * @param {string} name
   * @param {readonly number[]} shape
   * @param {number} deviation
   * @returns {Weight}
   */
  function weight(name, shape, deviation) {
    const count = shape.reduce((product, length) => product * length, 1);
    return { name, shape, values: draw(count, deviation) };
  }
}
