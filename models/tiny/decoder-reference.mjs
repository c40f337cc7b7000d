import { CHAT_IDS } from './decoder/chat-tokenizer.mjs';
import { decoderWeights, SHAPE } from './decoder/decoder-weights.mjs';
import { add, dot, mixed, rowOf, softmax, times, valueAt } from './row.mjs';

/** @typedef {import('./decoder/decoder-weights.mjs').DecoderWeights} DecoderWeights */
/** @typedef {import('./decoder/decoder-weights.mjs').Layer} Layer */
/** @typedef {import('./row.mjs').Row} Row */

/**
 * What one layer remembers: for each token its keys, turned by their place, and its values, the heads
 * one after the other.
 *
 * @typedef {{ keys: readonly Row[], values: readonly Row[] }} Memory
 */
/**
 * What all layers remember of a text (`present.*`), and the last token's logits.
 *
 * @typedef {{ memories: readonly Memory[], logits: Row }} Reading
 */

const { heads, memories, width, positions } = SHAPE;

/**
 * What the tiny decoder's logits of the last token should be, in plain double precision and with nothing
 * of ONNX.
 *
 * @param {readonly number[]} ids at least one
 * @param {DecoderWeights} [weights]
 * @returns {Row}
 */
export function referenceLogits(ids, weights = decoderWeights()) {
  return referenceReading(ids, { weights }).logits;
}

/**
 * Reads tokens after others that were read before, whose memories stand for them.
 *
 * @param {readonly number[]} ids at least one
 * @param {{ weights?: DecoderWeights, past?: Reading | undefined }} [options]
 * @returns {Reading}
 */
export function referenceReading(ids, { weights = decoderWeights(), past } = {}) {
  return readRows(
    ids.map((id) => rowOf(weights.words, id)),
    { weights, past },
  );
}

/**
 * The tokens that follow a text when the likeliest is always taken, up to `count` and with the one that
 * ends them.
 *
 * @param {readonly number[]} ids
 * @param {{ count: number, weights?: DecoderWeights }} options
 * @returns {readonly number[]}
 */
export function referenceTokens(ids, { count, weights = decoderWeights() }) {
  return tokensAfter(referenceReading(ids, { weights }), { count, weights });
}

/**
 * @param {Reading} past
 * @param {{ count: number, weights: DecoderWeights }} options
 * @returns {readonly number[]}
 */
export function tokensAfter(past, { count, weights }) {
  const tokens = [];
  let reading = past;
  while (tokens.length < count) {
    const token = reading.logits.indexOf(Math.max(...reading.logits));
    tokens.push(token);
    if (token === CHAT_IDS.eos_token_id) break;
    reading = referenceReading([token], { weights, past: reading });
  }
  return tokens;
}

/**
 * As `referenceReading`, of rows that tokens or an image gave.
 *
 * @param {readonly Row[]} rows
 * @param {{ weights: DecoderWeights, past?: Reading | undefined }} options
 * @returns {Reading}
 */
export function readRows(rows, { weights, past }) {
  const read = past?.memories[0]?.keys.length ?? 0;
  if (rows.length === 0) throw new RangeError('no tokens');
  if (read + rows.length > positions) throw new RangeError(`more than ${positions} tokens`);
  /** @type {Memory[]} */
  const remembered = [];
  let between = rows;
  for (const [at, layer] of weights.layers.entries()) {
    const before = past?.memories[at] ?? { keys: [], values: [] };
    const normal = between.map((row) => normalise(row, layer.attendedNorm));
    const memory = remember(normal, layer, before);
    remembered.push(memory);
    between = between.map((row, token) => {
      const context = attention(normal[token] ?? [], layer, { memory, place: read + token });
      return feedForward(add(row, times(context, layer.attended)), layer);
    });
  }
  const last = normalise(between.at(-1) ?? [], weights.norm);
  return {
    memories: remembered,
    logits: add(times(last, weights.head), [...weights.bias.values]),
  };
}

/**
 * @param {readonly Row[]} rows
 * @param {Layer} layer
 * @param {Memory} before
 * @returns {Memory}
 */
function remember(rows, layer, before) {
  const keys = rows.map((row, at) => turned(times(row, layer.key), before.keys.length + at));
  const values = rows.map((row) => times(row, layer.value));
  return { keys: [...before.keys, ...keys], values: [...before.values, ...values] };
}

/**
 * Each head looks at its memory's tokens up to its own.
 *
 * @param {Row} row
 * @param {Layer} layer
 * @param {{ memory: Memory, place: number }} options
 * @returns {Row}
 */
function attention(row, layer, { memory, place }) {
  const query = turned(times(row, layer.query), place);
  return Array.from({ length: heads }, (_, head) => {
    const asked = partOf(query, head);
    const from = Math.floor((head * memories) / heads);
    const scores = memory.keys
      .slice(0, place + 1)
      .map((key) => dot(asked, partOf(key, from)) / Math.sqrt(width));
    return mixed(
      softmax(scores),
      memory.values.slice(0, place + 1).map((value) => partOf(value, from)),
    );
  }).flat();
}

/**
 * @param {Row} row of all heads
 * @param {number} head
 */
function partOf(row, head) {
  return row.slice(head * width, (head + 1) * width);
}

/**
 * The rotary embedding: in each head the value at `pair` and the one half a head later are one point,
 * turned around 0.
 *
 * @param {Row} row of any number of heads
 * @param {number} place
 * @returns {Row}
 */
function turned(row, place) {
  const half = width / 2;
  return row.map((value, at) => {
    const pair = at % half;
    const angle = place * SHAPE.turn ** (-pair / half);
    const isFirst = at % width < half;
    const other = valueAt(row, isFirst ? at + half : at - half);
    return value * Math.cos(angle) + (isFirst ? -other : other) * Math.sin(angle);
  });
}

/**
 * @param {Row} row
 * @param {Layer} layer
 * @returns {Row}
 */
function feedForward(row, layer) {
  const normal = normalise(row, layer.innerNorm);
  const gate = times(normal, layer.gate).map((value) => value / (1 + Math.exp(-value)));
  const inner = times(normal, layer.inner).map((value, at) => value * valueAt(gate, at));
  return add(row, times(inner, layer.outer));
}

/**
 * @param {Row} row
 * @param {import('./decoder/decoder-weights.mjs').Weight} gain
 * @returns {Row}
 */
function normalise(row, gain) {
  const size = Math.sqrt(dot(row, row) / row.length + SHAPE.epsilon);
  return row.map((value, at) => (value / size) * valueAt(gain.values, at));
}
