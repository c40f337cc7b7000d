import { encoderWeights, SHAPE } from './encoder-weights.mjs';
import { jsonBytes } from './json-bytes.mjs';
import { makeGraph } from './onnx-graph.mjs';
import { encoderTokenizer, PADDING_ID } from './tokenizer.mjs';

/** @typedef {ReturnType<typeof makeGraph>} Graph */
/** @typedef {import('./encoder-weights.mjs').EncoderWeights} EncoderWeights */
/** @typedef {import('./encoder-weights.mjs').Layer} Layer */

/** Added to the scores of padding: e to this power is 0 in float32, and float16 can still say it. */
const PADDING_SCORE = -10_000;

/**
 * The files of a tiny text encoder, as `AutoTokenizer` and `AutoModel` of transformers.js load them
 * (fp32), by their paths inside its folder. The same seed gives the same bytes.
 *
 * @param {{ seed?: number }} [options]
 * @returns {Map<string, Uint8Array<ArrayBuffer>>}
 */
export function tinyEncoder({ seed = 1 } = {}) {
  const { tokenizer, configuration } = encoderTokenizer({ maximumLength: SHAPE.positions });
  return new Map([
    ['config.json', jsonBytes(modelConfiguration())],
    ['tokenizer.json', jsonBytes(tokenizer)],
    ['tokenizer_config.json', jsonBytes(configuration)],
    ['1_Pooling/config.json', jsonBytes(meanPooling())],
    ['onnx/model.onnx', encoderGraph(encoderWeights({ seed })).toModel()],
  ]);
}

/**
 * `input_ids`, `attention_mask` and `token_type_ids` to `last_hidden_state`.
 *
 * @param {EncoderWeights} weights
 */
function encoderGraph(weights) {
  const graph = makeGraph('tiny-encoder');
  const shape = ['batch_size', 'sequence_length'];
  const words = graph.input({ name: 'input_ids', type: 'int64', shape });
  const mask = graph.input({ name: 'attention_mask', type: 'int64', shape });
  const types = graph.input({ name: 'token_type_ids', type: 'int64', shape });
  const scores = paddingScores(graph, mask);
  const hidden = weights.layers.reduce(
    (rows, layer) => applyLayer(graph, layer, { rows, scores }),
    embed(graph, weights, { words, types }),
  );
  graph.output(hidden, {
    name: 'last_hidden_state',
    type: 'float',
    shape: [...shape, SHAPE.hidden],
  });
  return graph;
}

/**
 * @param {Graph} graph
 * @param {EncoderWeights} weights
 * @param {{ words: string, types: string }} ids
 */
function embed(graph, weights, { words, types }) {
  const word = graph.apply('Gather', [graph.constant(weights.words), words]);
  const type = graph.apply('Gather', [graph.constant(weights.types), types]);
  const length = graph.apply('Shape', [words], { start: 1, end: 2 });
  const position = graph.apply('Slice', [
    graph.constant(weights.positions),
    graph.integers([0]),
    length,
    graph.integers([0]),
  ]);
  const sum = graph.apply('Add', [graph.apply('Add', [word, type]), position]);
  return normalise(graph, sum, weights.norm);
}

/**
 * 0 for tokens, far below for padding, to be added to what every head scores for every token.
 *
 * @param {Graph} graph
 * @param {string} mask
 */
export function paddingScores(graph, mask) {
  const kept = graph.apply('Cast', [mask], { to: 1 });
  const left = graph.apply('Sub', [graph.scalar(1), kept]);
  const scores = graph.apply('Mul', [left, graph.scalar(PADDING_SCORE)]);
  return graph.apply('Unsqueeze', [scores, graph.integers([1, 2])]);
}

/**
 * What one layer makes of all rows, with what is to be added to the scores that they give each other.
 *
 * @param {Graph} graph
 * @param {Layer} layer
 * @param {{ rows: string, scores: string }} values
 */
export function applyLayer(graph, layer, { rows, scores }) {
  const attended = linear(graph, attention(graph, layer, { rows, scores }), layer.attended);
  const between = normalise(graph, graph.apply('Add', [rows, attended]), layer.attendedNorm);
  const inner = gelu(graph, linear(graph, between, layer.inner));
  const outer = linear(graph, inner, layer.outer);
  return normalise(graph, graph.apply('Add', [between, outer]), layer.outerNorm);
}

/**
 * @param {Graph} graph
 * @param {Layer} layer
 * @param {{ rows: string, scores: string }} values
 */
function attention(graph, layer, { rows, scores }) {
  const { hidden, heads } = SHAPE;
  const query = split(layer.query, [0, 2, 1, 3]);
  const key = split(layer.key, [0, 2, 3, 1]);
  const value = split(layer.value, [0, 2, 1, 3]);
  const products = graph.apply('MatMul', [query, key]);
  const scaled = graph.apply('Mul', [products, graph.scalar(1 / Math.sqrt(hidden / heads))]);
  const shares = graph.apply('Softmax', [graph.apply('Add', [scaled, scores])], { axis: -1 });
  const mixed = graph.apply('Transpose', [graph.apply('MatMul', [shares, value])], {
    perm: [0, 2, 1, 3],
  });
  return graph.apply('Reshape', [mixed, graph.integers([0, 0, hidden])]);

  /**
   * @param {import('./encoder-weights.mjs').Linear} weights
   * @param {readonly number[]} perm where batch, token, head and its values go
   */
  function split(weights, perm) {
    const shape = graph.integers([0, 0, heads, hidden / heads]);
    const parts = graph.apply('Reshape', [linear(graph, rows, weights), shape]);
    return graph.apply('Transpose', [parts], { perm });
  }
}

/**
 * @param {Graph} graph
 * @param {string} rows
 * @param {import('./encoder-weights.mjs').Linear} weights
 */
function linear(graph, rows, { matrix, bias }) {
  const product = graph.apply('MatMul', [rows, graph.constant(matrix)]);
  return graph.apply('Add', [product, graph.constant(bias)]);
}

/**
 * @param {Graph} graph
 * @param {string} rows
 * @param {import('./encoder-weights.mjs').Norm} weights
 */
export function normalise(graph, rows, { gain, bias }) {
  return graph.apply('LayerNormalization', [rows, graph.constant(gain), graph.constant(bias)], {
    axis: -1,
    epsilon: { float: SHAPE.epsilon },
  });
}

/**
 * x/2 · (1 + erf(x/√2)).
 *
 * @param {Graph} graph
 * @param {string} values
 */
function gelu(graph, values) {
  const curve = graph.apply('Erf', [graph.apply('Mul', [values, graph.scalar(Math.SQRT1_2)])]);
  const gate = graph.apply('Add', [curve, graph.scalar(1)]);
  const half = graph.apply('Mul', [values, graph.scalar(0.5)]);
  return graph.apply('Mul', [half, gate]);
}

/** `config.json`, in BERT's names. */
function modelConfiguration() {
  return {
    architectures: ['BertModel'],
    model_type: 'bert',
    vocab_size: SHAPE.words,
    hidden_size: SHAPE.hidden,
    num_hidden_layers: SHAPE.layers,
    num_attention_heads: SHAPE.heads,
    intermediate_size: SHAPE.inner,
    hidden_act: 'gelu',
    max_position_embeddings: SHAPE.positions,
    type_vocab_size: SHAPE.types,
    layer_norm_eps: SHAPE.epsilon,
    position_embedding_type: 'absolute',
    pad_token_id: PADDING_ID,
    hidden_dropout_prob: 0,
    attention_probs_dropout_prob: 0,
    torch_dtype: 'float32',
  };
}

/** `1_Pooling/config.json`, as sentence-transformers writes it. */
function meanPooling() {
  return {
    word_embedding_dimension: SHAPE.hidden,
    pooling_mode_cls_token: false,
    pooling_mode_mean_tokens: true,
    pooling_mode_max_tokens: false,
    pooling_mode_mean_sqrt_len_tokens: false,
    pooling_mode_weightedmean_tokens: false,
    pooling_mode_lasttoken: false,
    include_prompt: true,
  };
}
