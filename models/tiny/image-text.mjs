import { decoderConfiguration } from './decoder.mjs';
import { CHAT_IDS, chatTokenizer, chatVocabulary } from './decoder/chat-tokenizer.mjs';
import { addDecoder } from './decoder/decoder-graph.mjs';
import { decoderWeights, SHAPE as TEXT_SHAPE } from './decoder/decoder-weights.mjs';
import { jsonBytes } from './json-bytes.mjs';
import { makeGraph } from './onnx-graph.mjs';
import { IMAGE_ID, IMAGE_SPECIALS, MOST_TILES } from './vision/image-tokens.mjs';
import { visionGraph } from './vision/vision-graph.mjs';
import { SHAPE, TILE_ROWS, visionWeights } from './vision/vision-weights.mjs';

/** @typedef {import('./decoder/decoder-weights.mjs').DecoderWeights} DecoderWeights */
/** @typedef {ReturnType<typeof imageTextWeights>} ImageTextWeights */

/**
 * The files of a tiny model that reads images and text, as `AutoProcessor` and
 * `AutoModelForImageTextToText` of transformers.js load them (fp32), by their paths inside its folder.
 * The same seed gives the same bytes.
 *
 * @param {{ seed?: number }} [options]
 * @returns {Map<string, Uint8Array<ArrayBuffer>>}
 */
export function tinyImageText({ seed = 1 } = {}) {
  const weights = imageTextWeights({ seed });
  const { tokenizer, configuration } = chatTokenizer({
    maximumLength: TEXT_SHAPE.positions,
    specials: IMAGE_SPECIALS,
  });
  return new Map([
    ['config.json', jsonBytes(modelConfiguration())],
    ['generation_config.json', jsonBytes(CHAT_IDS)],
    ['preprocessor_config.json', jsonBytes(imageConfiguration())],
    ['processor_config.json', jsonBytes({ ...PROCESSOR, image_seq_len: TILE_ROWS })],
    ['tokenizer.json', jsonBytes(tokenizer)],
    ['tokenizer_config.json', jsonBytes({ ...configuration, ...PROCESSOR })],
    ['onnx/vision_encoder.onnx', visionGraph(weights.vision).toModel()],
    ['onnx/embed_tokens.onnx', wordsGraph(weights.text).toModel()],
    ['onnx/decoder_model_merged.onnx', rowsGraph(weights.text).toModel()],
  ]);
}

const PROCESSOR = { processor_class: 'Idefics3Processor' };

/** @param {{ seed?: number }} [options] */
export function imageTextWeights({ seed = 1 } = {}) {
  return {
    text: decoderWeights({ seed, vocabulary: chatVocabulary(IMAGE_SPECIALS) }),
    vision: visionWeights({ seed }),
  };
}

/**
 * `input_ids` to `inputs_embeds`.
 *
 * @param {DecoderWeights} weights
 */
function wordsGraph(weights) {
  const graph = makeGraph('tiny-words');
  const shape = ['batch_size', 'sequence_length'];
  const words = graph.input({ name: 'input_ids', type: 'int64', shape });
  graph.output(graph.apply('Gather', [graph.constant(weights.words), words]), {
    name: 'inputs_embeds',
    type: 'float',
    shape: [...shape, TEXT_SHAPE.hidden],
  });
  return graph;
}

/**
 * `inputs_embeds`, `attention_mask`, `position_ids` and `past_key_values.*` to `logits` and `present.*`.
 *
 * @param {DecoderWeights} weights
 */
function rowsGraph(weights) {
  const graph = makeGraph('tiny-image-text');
  const rows = graph.input({
    name: 'inputs_embeds',
    type: 'float',
    shape: ['batch_size', 'sequence_length', TEXT_SHAPE.hidden],
  });
  addDecoder(graph, weights, rows);
  return graph;
}

/** `config.json`, in Idefics 3's names. */
function modelConfiguration() {
  return {
    architectures: ['Idefics3ForConditionalGeneration'],
    model_type: 'idefics3',
    image_token_id: IMAGE_ID,
    scale_factor: SHAPE.joined,
    text_config: decoderConfiguration(),
    vision_config: {
      model_type: 'idefics3_vision',
      image_size: SHAPE.tile,
      patch_size: SHAPE.patch,
      hidden_size: SHAPE.hidden,
      num_hidden_layers: SHAPE.layers,
    },
    torch_dtype: 'float32',
    ...CHAT_IDS,
  };
}

/**
 * `preprocessor_config.json`: an image is scaled until its longer side is `size`, then cut into tiles,
 * before a small copy of the whole; its colours go from −1 to 1.
 */
function imageConfiguration() {
  return {
    ...PROCESSOR,
    image_processor_type: 'Idefics3ImageProcessor',
    do_convert_rgb: true,
    do_resize: true,
    size: { longest_edge: MOST_TILES * SHAPE.tile },
    resample: 2,
    do_image_splitting: true,
    max_image_size: { longest_edge: SHAPE.tile },
    do_rescale: true,
    rescale_factor: 1 / 255,
    do_normalize: true,
    image_mean: [0.5, 0.5, 0.5],
    image_std: [0.5, 0.5, 0.5],
    do_pad: true,
  };
}
