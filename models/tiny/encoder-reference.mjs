import { encoderWeights, SHAPE } from './encoder-weights.mjs';
import { add, dot, mixed, rowOf, softmax, times, valueAt } from './row.mjs';
import { PADDING_ID } from './tokenizer.mjs';

/** @typedef {import('./encoder-weights.mjs').EncoderWeights} EncoderWeights */
/** @typedef {import('./encoder-weights.mjs').Layer} Layer */
/** @typedef {import('./row.mjs').Row} Row */

/**
 * What the tiny encoder's `last_hidden_state` should be for one text, in plain double precision and with
 * nothing of ONNX: one row a token. Padding at the end is left out, and so has no rows.
 *
 * @param {readonly number[]} ids of tokens, with `[CLS]` and `[SEP]`
 * @param {EncoderWeights} [weights]
 * @returns {readonly Row[]}
 */
export function referenceHiddenState(ids, weights = encoderWeights()) {
  const length = ids.findLastIndex((id) => id !== PADDING_ID) + 1;
  const embedded = ids.slice(0, length).map((id, place) => {
    const word = add(rowOf(weights.words, id), rowOf(weights.types, 0));
    return normalise(add(word, rowOf(weights.positions, place)), weights.norm);
  });
  return weights.layers.reduce(applyLayer, embedded);
}

/**
 * The mean of a text's rows, scaled to length 1.
 *
 * @param {readonly number[]} ids
 * @param {EncoderWeights} [weights]
 */
export function referenceEmbedding(ids, weights = encoderWeights()) {
  return unit(mean(referenceHiddenState(ids, weights)));
}

/**
 * @param {readonly Row[]} rows
 * @returns {Row}
 */
export function mean(rows) {
  const zeros = Array.from({ length: SHAPE.hidden }, () => 0);
  const sum = rows.reduce(add, zeros);
  return sum.map((value) => value / rows.length);
}

/**
 * @param {Row} values
 * @returns {Row}
 */
export function unit(values) {
  const length = Math.sqrt(dot(values, values));
  return values.map((value) => value / length);
}

/**
 * What one layer makes of all rows.
 *
 * @param {readonly Row[]} rows
 * @param {Layer} layer
 * @returns {readonly Row[]}
 */
export function applyLayer(rows, layer) {
  const attended = attention(rows, layer);
  return rows.map((one, at) => {
    const context = linear(attended[at] ?? [], layer.attended);
    const between = normalise(add(one, context), layer.attendedNorm);
    const outer = linear(linear(between, layer.inner).map(gelu), layer.outer);
    return normalise(add(between, outer), layer.outerNorm);
  });
}

/**
 * @param {readonly Row[]} rows
 * @param {Layer} layer
 * @returns {readonly Row[]}
 */
function attention(rows, layer) {
  const width = SHAPE.hidden / SHAPE.heads;
  const queries = rows.map((one) => linear(one, layer.query));
  const keys = rows.map((one) => linear(one, layer.key));
  const values = rows.map((one) => linear(one, layer.value));
  return queries.map((query) =>
    Array.from({ length: SHAPE.heads }, (_, head) => {
      const [from, to] = [head * width, (head + 1) * width];
      const own = query.slice(from, to);
      const shares = softmax(keys.map((key) => dot(own, key.slice(from, to)) / Math.sqrt(width)));
      return mixed(
        shares,
        values.map((value) => value.slice(from, to)),
      );
    }).flat(),
  );
}

/**
 * @param {Row} values
 * @param {import('./encoder-weights.mjs').Linear} weights
 * @returns {Row}
 */
function linear(values, { matrix, bias }) {
  return add(times(values, matrix), [...bias.values]);
}

/**
 * @param {Row} values
 * @param {import('./encoder-weights.mjs').Norm} weights
 * @returns {Row}
 */
export function normalise(values, { gain, bias }) {
  const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
  const centred = values.map((value) => value - middle);
  const deviation = Math.sqrt(dot(centred, centred) / values.length + SHAPE.epsilon);
  return centred.map(
    (value, at) => (value / deviation) * valueAt(gain.values, at) + valueAt(bias.values, at),
  );
}

/** @param {number} x */
function gelu(x) {
  return (x / 2) * (1 + errorFunction(x / Math.SQRT2));
}

/**
 * The series 2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)), whose terms all have x's sign.
 *
 * @param {number} x
 */
function errorFunction(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > Math.abs(sum) * Number.EPSILON; odd += 2) {
    term *= (2 * x * x) / odd;
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
