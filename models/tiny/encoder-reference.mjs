import { encoderWeights, SHAPE } from './encoder-weights.mjs';
import { PADDING_ID } from './tokenizer.mjs';

/** @typedef {import('./encoder-weights.mjs').EncoderWeights} EncoderWeights */
/** @typedef {readonly number[]} Row one token's values */

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
    const type = row(weights.types, 0);
    const position = row(weights.positions, place);
    const sum = row(weights.words, id).map(
      (value, at) => value + get(type, at) + get(position, at),
    );
    return normalise(sum, weights.norm);
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
 * @param {readonly Row[]} rows
 * @param {EncoderWeights['layers'][number]} layer
 * @returns {readonly Row[]}
 */
function applyLayer(rows, layer) {
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
 * @param {EncoderWeights['layers'][number]} layer
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
      return Array.from({ length: width }, (_, at) =>
        shares.reduce((sum, share, token) => sum + share * get(values[token] ?? [], from + at), 0),
      );
    }).flat(),
  );
}

/** @param {Row} scores */
function softmax(scores) {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/**
 * @param {Row} values
 * @param {import('./encoder-weights.mjs').Linear} weights
 * @returns {Row}
 */
function linear(values, { matrix, bias }) {
  const columns = bias.values.length;
  return Array.from(bias.values, (start, column) =>
    values.reduce(
      (sum, value, at) => sum + value * get(matrix.values, at * columns + column),
      start,
    ),
  );
}

/**
 * @param {Row} values
 * @param {import('./encoder-weights.mjs').Norm} weights
 * @returns {Row}
 */
function normalise(values, { gain, bias }) {
  const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
  const centred = values.map((value) => value - middle);
  const deviation = Math.sqrt(dot(centred, centred) / values.length + SHAPE.epsilon);
  return centred.map(
    (value, at) => (value / deviation) * get(gain.values, at) + get(bias.values, at),
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

/**
 * @param {import('./encoder-weights.mjs').Weight} weight
 * @param {number} at
 * @returns {Row}
 */
function row({ name, shape, values }, at) {
  const [rows = 0, columns = 0] = shape;
  if (!Number.isInteger(at) || at < 0 || at >= rows) throw new RangeError(`${name} has no ${at}`);
  return [...values.subarray(at * columns, (at + 1) * columns)];
}

/**
 * @param {Row} first
 * @param {Row} second
 * @returns {Row}
 */
function add(first, second) {
  return first.map((value, at) => value + get(second, at));
}

/**
 * @param {Row} first
 * @param {Row} second
 */
function dot(first, second) {
  return first.reduce((sum, value, at) => sum + value * get(second, at), 0);
}

/**
 * @param {ArrayLike<number>} values
 * @param {number} at
 */
function get(values, at) {
  const value = values[at];
  if (value === undefined) throw new RangeError(`no value ${at}`);
  return value;
}
