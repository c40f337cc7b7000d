import { CHAT_IDS, chatTokenizer } from './decoder/chat-tokenizer.mjs';
import { addDecoder } from './decoder/decoder-graph.mjs';
import { decoderWeights, SHAPE } from './decoder/decoder-weights.mjs';
import { jsonBytes } from './json-bytes.mjs';
import { makeGraph } from './onnx-graph.mjs';

/**
 * The files of a tiny text generator, as `AutoTokenizer` and `AutoModelForCausalLM` of transformers.js
 * load them (fp32), by their paths inside its folder. The same seed gives the same bytes.
 *
 * @param {{ seed?: number }} [options]
 * @returns {Map<string, Uint8Array<ArrayBuffer>>}
 */
export function tinyDecoder({ seed = 1 } = {}) {
  const { tokenizer, configuration } = chatTokenizer({ maximumLength: SHAPE.positions });
  return new Map([
    ['config.json', jsonBytes(decoderConfiguration())],
    ['generation_config.json', jsonBytes(CHAT_IDS)],
    ['tokenizer.json', jsonBytes(tokenizer)],
    ['tokenizer_config.json', jsonBytes(configuration)],
    ['onnx/model.onnx', decoderGraph(decoderWeights({ seed })).toModel()],
  ]);
}

/** `config.json`, in Llama's names. */
export function decoderConfiguration() {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: SHAPE.words,
    hidden_size: SHAPE.hidden,
    num_hidden_layers: SHAPE.layers,
    num_attention_heads: SHAPE.heads,
    num_key_value_heads: SHAPE.memories,
    head_dim: SHAPE.width,
    intermediate_size: SHAPE.inner,
    hidden_act: 'silu',
    max_position_embeddings: SHAPE.positions,
    rms_norm_eps: SHAPE.epsilon,
    rope_theta: SHAPE.turn,
    attention_bias: false,
    mlp_bias: false,
    tie_word_embeddings: false,
    torch_dtype: 'float32',
    ...CHAT_IDS,
  };
}

/**
 * `input_ids`, `attention_mask`, `position_ids` and `past_key_values.*` to `logits` and `present.*`.
 *
 * @param {import('./decoder/decoder-weights.mjs').DecoderWeights} weights
 */
function decoderGraph(weights) {
  const graph = makeGraph('tiny-decoder');
  const words = graph.input({
    name: 'input_ids',
    type: 'int64',
    shape: ['batch_size', 'sequence_length'],
  });
  addDecoder(graph, weights, graph.apply('Gather', [graph.constant(weights.words), words]));
  return graph;
}
