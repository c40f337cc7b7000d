import { drawGain, seededWeights } from '../seeded-values.mjs';
import { VOCABULARY_SIZE } from '../tokenizer.mjs';
import { chatVocabulary } from './chat-tokenizer.mjs';
import { tokenBias } from './token-bias.mjs';

/** Llama's shape: two heads ask of each head that remembers. */
export const SHAPE = {
  hidden: 64,
  layers: 2,
  heads: 4,
  memories: 2,
  /** Values a head has: `hidden / heads`. */
  width: 16,
  inner: 96,
  positions: 4096,
  words: VOCABULARY_SIZE,
  epsilon: 1e-5,
  /** The slowest turn takes about this many tokens, times 2π. */
  turn: 10_000,
};

/** @typedef {import('../seeded-values.mjs').Weight} Weight */
/** @typedef {import('../seeded-values.mjs').DrawWeight} DrawWeight */
/** @typedef {ReturnType<typeof decoderWeights>} DecoderWeights */
/** @typedef {DecoderWeights['layers'][number]} Layer */

/**
 * The decoder's weights, each a matrix that a row is multiplied with, or what scales a row. The words
 * that come in and those that go out are drawn apart, or each token would ask for itself again. What
 * attention adds is wide beside the token's own word: what it sees turns with every step, so that a text
 * does not run in a circle.
 *
 * @param {{ seed?: number, vocabulary?: readonly string[] }} [options] the tokens, for their bias
 */
export function decoderWeights({ seed = 1, vocabulary = chatVocabulary() } = {}) {
  const draw = seededWeights(seed);
  const { hidden, words } = SHAPE;
  const input = draw('words', [words, hidden], 1);
  return {
    words: input,
    layers: Array.from({ length: SHAPE.layers }, (_, at) => drawLayer(draw, `layer.${at}`)),
    norm: drawGain(draw, 'norm', hidden),
    head: seldomTwice(draw('head', [hidden, words], 2 / Math.sqrt(hidden)), {
      input,
      token: vocabulary.indexOf('"'),
    }),
    bias: { name: 'bias', shape: [words], values: tokenBias(vocabulary) },
    ...turns(),
  };
}

/**
 * @param {DrawWeight} draw
 * @param {string} name
 */
function drawLayer(draw, name) {
  const { hidden, width, memories, inner } = SHAPE;
  return {
    attendedNorm: drawGain(draw, `${name}.attended-norm`, hidden),
    query: matrix('query', [hidden, hidden], 1.5),
    key: matrix('key', [hidden, memories * width], 1.5),
    value: matrix('value', [hidden, memories * width], 1),
    attended: matrix('attended', [hidden, hidden], 2),
    innerNorm: drawGain(draw, `${name}.inner-norm`, hidden),
    gate: matrix('gate', [hidden, inner], 1.5),
    inner: matrix('inner', [hidden, inner], 1.5),
    outer: matrix('outer', [inner, hidden], 1),
  };

  /**
   * @param {string} part
   * @param {readonly [number, number]} shape
   * @param {number} growth how much wider than what goes in comes out
   */
  function matrix(part, [rows, columns], growth) {
    return draw(`${name}.${part}`, [rows, columns], growth / Math.sqrt(rows));
  }
}

/**
 * A head that seldom asks for one token right after the token itself, whose word is then wide in the row
 * that it is multiplied with: most strings say something before they end.
 *
 * @param {Weight} head
 * @param {{ input: Weight, token: number }} options
 * @returns {Weight}
 */
function seldomTwice(head, { input, token }) {
  const { hidden, words } = SHAPE;
  const values = head.values.map((value, at) => {
    if (at % words !== token) return value;
    const own = input.values[token * hidden + Math.floor(at / words)] ?? 0;
    return value - own / 5;
  });
  return { ...head, values };
}

/**
 * By how much each pair of a head's values is turned at each position: the rotary embedding, as a table,
 * so that no runtime's sine of a large angle counts and a text too long fails.
 *
 * @returns {{ cosines: Weight, sines: Weight }}
 */
function turns() {
  const { positions, width, turn } = SHAPE;
  const shape = [positions, width / 2];
  const angles = Array.from({ length: positions }, (_, position) =>
    Array.from({ length: width / 2 }, (_, pair) => position / turn ** ((2 * pair) / width)),
  ).flat();
  return {
    cosines: { name: 'cosines', shape, values: Float32Array.from(angles, Math.cos) },
    sines: { name: 'sines', shape, values: Float32Array.from(angles, Math.sin) },
  };
}
