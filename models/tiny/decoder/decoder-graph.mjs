import { SHAPE } from './decoder-weights.mjs';

/** @typedef {ReturnType<typeof import('../onnx-graph.mjs').makeGraph>} Graph */
/** @typedef {import('./decoder-weights.mjs').DecoderWeights} DecoderWeights */
/** @typedef {import('./decoder-weights.mjs').Layer} Layer */
/** @typedef {import('./decoder-weights.mjs').Weight} Weight */
/** @typedef {{ cosines: string, sines: string }} Turns of each token */
/** @typedef {{ at: number, rows: string, scores: string, turns: Turns }} LayerInputs */

const { hidden, heads, memories, width } = SHAPE;
/** Added to the scores of what is not to be seen: e to this power is 0 in float32. */
const HIDDEN_SCORE = -10_000;
const ALL_TOKENS = 'past_sequence_length + sequence_length';

/**
 * The decoder after its embeddings: adds the inputs `attention_mask`, `position_ids` and
 * `past_key_values.*`, and the outputs `logits` and `present.*`.
 *
 * @param {Graph} graph
 * @param {DecoderWeights} weights
 * @param {string} embedded the new tokens' rows, [batch_size, sequence_length, hidden]
 */
export function addDecoder(graph, weights, embedded) {
  const mask = graph.input({
    name: 'attention_mask',
    type: 'int64',
    shape: ['batch_size', ALL_TOKENS],
  });
  const places = graph.input({
    name: 'position_ids',
    type: 'int64',
    shape: ['batch_size', 'sequence_length'],
  });
  const scores = visibility(graph, { rows: embedded, mask });
  const turns = {
    cosines: turnsAt(graph, weights.cosines, places),
    sines: turnsAt(graph, weights.sines, places),
  };
  const rows = weights.layers.reduce(
    (before, layer, at) => applyLayer(graph, layer, { at, rows: before, scores, turns }),
    embedded,
  );
  const products = multiply(graph, normalise(graph, rows, weights.norm), weights.head);
  graph.output(graph.apply('Add', [products, graph.constant(weights.bias)]), {
    name: 'logits',
    type: 'float',
    shape: ['batch_size', 'sequence_length', SHAPE.words],
  });
}

/**
 * 0 where a new token may look, far below for later ones and for padding: [batch, 1, 1, new, all].
 *
 * @param {Graph} graph
 * @param {{ rows: string, mask: string }} values
 */
function visibility(graph, { rows, mask }) {
  const all = graph.apply('Squeeze', [graph.apply('Shape', [mask], { start: 1, end: 2 })]);
  const fresh = graph.apply('Squeeze', [graph.apply('Shape', [rows], { start: 1, end: 2 })]);
  const past = graph.apply('Sub', [all, fresh]);
  const step = graph.integer(1);
  const columns = graph.apply('Range', [graph.integer(0), all, step]);
  const own = graph.apply('Range', [past, all, step]);
  const earlier = graph.apply('LessOrEqual', [
    columns,
    graph.apply('Unsqueeze', [own, graph.integers([1])]),
  ]);
  const kept = graph.apply('Unsqueeze', [
    graph.apply('Cast', [mask], { to: 9 }),
    graph.integers([1]),
  ]);
  const seen = graph.apply('And', [earlier, kept]);
  const scores = graph.apply('Where', [seen, graph.scalar(0), graph.scalar(HIDDEN_SCORE)]);
  return graph.apply('Unsqueeze', [scores, graph.integers([1, 2])]);
}

/**
 * For each token, alike for all heads.
 *
 * @param {Graph} graph
 * @param {Weight} table
 * @param {string} places
 */
function turnsAt(graph, table, places) {
  const rows = graph.apply('Gather', [graph.constant(table), places]);
  return graph.apply('Unsqueeze', [rows, graph.integers([2])]);
}

/**
 * @param {Graph} graph
 * @param {Layer} layer
 * @param {LayerInputs} inputs
 */
function applyLayer(graph, layer, inputs) {
  const before = normalise(graph, inputs.rows, layer.attendedNorm);
  const context = attention(graph, layer, { ...inputs, rows: before });
  const between = graph.apply('Add', [inputs.rows, multiply(graph, context, layer.attended)]);
  const normal = normalise(graph, between, layer.innerNorm);
  const gate = multiply(graph, normal, layer.gate);
  const open = graph.apply('Mul', [gate, graph.apply('Sigmoid', [gate])]);
  const inner = graph.apply('Mul', [open, multiply(graph, normal, layer.inner)]);
  return graph.apply('Add', [between, multiply(graph, inner, layer.outer)]);
}

/**
 * In plain operators: software WebGPU computes GroupQueryAttention wrongly.
 *
 * @param {Graph} graph
 * @param {Layer} layer
 * @param {LayerInputs} inputs
 */
function attention(graph, layer, { at, rows, scores, turns }) {
  const asked = turned(graph, split(graph, multiply(graph, rows, layer.query), heads), turns);
  const query = graph.apply(
    'Transpose',
    [graph.apply('Reshape', [asked, graph.integers([0, 0, memories, heads / memories, width])])],
    { perm: [0, 2, 3, 1, 4] },
  );
  const own = split(graph, multiply(graph, rows, layer.key), memories);
  const key = remembered(graph, `${at}.key`, turned(graph, own, turns));
  const value = remembered(
    graph,
    `${at}.value`,
    split(graph, multiply(graph, rows, layer.value), memories),
  );
  const products = graph.apply('MatMul', [
    query,
    graph.apply('Transpose', [key], { perm: [0, 1, 2, 4, 3] }),
  ]);
  const scaled = graph.apply('Mul', [products, graph.scalar(1 / Math.sqrt(width))]);
  const shares = graph.apply('Softmax', [graph.apply('Add', [scaled, scores])], { axis: -1 });
  const mixed = graph.apply('Transpose', [graph.apply('MatMul', [shares, value])], {
    perm: [0, 3, 1, 2, 4],
  });
  return graph.apply('Reshape', [mixed, graph.integers([0, 0, hidden])]);
}

/**
 * @param {Graph} graph
 * @param {string} rows
 * @param {number} count of heads
 */
function split(graph, rows, count) {
  return graph.apply('Reshape', [rows, graph.integers([0, 0, count, width])]);
}

/**
 * Each value of a head's first half with its like in the second half, turned by the token's place.
 *
 * @param {Graph} graph
 * @param {string} values [batch, new, heads, width]
 * @param {Turns} turns
 */
function turned(graph, values, { cosines, sines }) {
  const first = part(0, width / 2);
  const second = part(width / 2, width);
  const left = graph.apply('Sub', [
    graph.apply('Mul', [first, cosines]),
    graph.apply('Mul', [second, sines]),
  ]);
  const right = graph.apply('Add', [
    graph.apply('Mul', [second, cosines]),
    graph.apply('Mul', [first, sines]),
  ]);
  return graph.apply('Concat', [left, right], { axis: -1 });

  /**
   * @param {number} from
   * @param {number} to
   */
  function part(from, to) {
    const [start, end, axis] = [[from], [to], [-1]].map((one) => graph.integers(one));
    return graph.apply('Slice', [values, start ?? '', end ?? '', axis ?? '']);
  }
}

/**
 * Past and new keys or values, as an output to be given back, and with an axis for the heads that ask:
 * [batch, memories, 1, all, width].
 *
 * @param {Graph} graph
 * @param {string} name
 * @param {string} values of the new tokens, [batch, new, memories, width]
 */
function remembered(graph, name, values) {
  const past = graph.input({
    name: `past_key_values.${name}`,
    type: 'float',
    shape: ['batch_size', memories, 'past_sequence_length', width],
  });
  const fresh = graph.apply('Transpose', [values], { perm: [0, 2, 1, 3] });
  const all = graph.apply('Concat', [past, fresh], { axis: 2 });
  graph.output(all, {
    name: `present.${name}`,
    type: 'float',
    shape: ['batch_size', memories, ALL_TOKENS, width],
  });
  return graph.apply('Unsqueeze', [all, graph.integers([2])]);
}

/**
 * @param {Graph} graph
 * @param {string} rows
 * @param {Weight} matrix
 */
function multiply(graph, rows, matrix) {
  return graph.apply('MatMul', [rows, graph.constant(matrix)]);
}

/**
 * Each row over its root mean square, scaled.
 *
 * @param {Graph} graph
 * @param {string} rows
 * @param {Weight} gain
 */
function normalise(graph, rows, gain) {
  const squares = graph.apply('Mul', [rows, rows]);
  const mean = graph.apply('ReduceMean', [squares], { axes: [-1], keepdims: 1 });
  const size = graph.apply('Sqrt', [graph.apply('Add', [mean, graph.scalar(SHAPE.epsilon)])]);
  return graph.apply('Mul', [graph.apply('Div', [rows, size]), graph.constant(gain)]);
}
