import { GPT2Tokenizer } from '@huggingface/transformers';
import { expect, test } from 'vitest';
import { tinyDecoder } from '../../../models/tiny/decoder.mjs';
import {
  referenceFeatures,
  referenceImageReading,
  referenceImageTokens,
} from '../../../models/tiny/image-text-reference.mjs';
import { imageTextWeights, tinyImageText } from '../../../models/tiny/image-text.mjs';
import { seededValues } from '../../../models/tiny/seeded-values.mjs';
import { IMAGE_ID } from '../../../models/tiny/vision/image-tokens.mjs';
import { SHAPE, TILE_ROWS } from '../../../models/tiny/vision/vision-weights.mjs';
import { hashesOf, jsonOf } from './model-files.ts';

const files = tinyImageText();
const weights = imageTextWeights();

const tokenizer = new GPT2Tokenizer(
  jsonOf(files, 'tokenizer.json'),
  jsonOf(files, 'tokenizer_config.json'),
);

function idsOf(text: string): readonly number[] {
  const { input_ids } = tokenizer(text, { return_tensor: false });
  return input_ids;
}

function lengthOf(of: ReadonlyMap<string, Uint8Array>): number {
  return [...of.values()].reduce((sum, { length }) => sum + length, 0);
}

/** The pixels of a tile, from −1 to 1. */
function noise(seed: number): Float32Array {
  return seededValues(seed)(SHAPE.colours * SHAPE.tile ** 2, 1 / Math.sqrt(3));
}

function promptOf(tiles: number): readonly number[] {
  const [before = '', after = ''] = tokenizer
    .apply_chat_template(
      [{ role: 'user', content: [{ type: 'image' }, { type: 'text', text: 'What is seen?' }] }],
      { add_generation_prompt: true, tokenize: false },
    )
    .split('<image>');
  return idsOf(`${before}${'<image>'.repeat(tiles * TILE_ROWS)}${after}`);
}

function distances(
  first: readonly (readonly number[])[],
  second: readonly (readonly number[])[],
): readonly number[] {
  return first.map((row, at) =>
    Math.hypot(...row.map((value, from) => value - (second[at]?.[from] ?? 0))),
  );
}

test('the same seed gives the same bytes, another seed another model', () => {
  const hashes = hashesOf(files);
  expect(hashesOf(tinyImageText({ seed: 1 }))).toEqual(hashes);
  const others = hashesOf(tinyImageText({ seed: 2 }));
  for (const [path, hash] of Object.entries(hashes)) {
    if (path.endsWith('.onnx')) expect(others[path]).not.toBe(hash);
    else expect(others[path]).toBe(hash);
  }
});

// Whoever changes these compares the new ones with ONNX Runtime (models/tiny/README.md).
test('the bytes are those that ONNX Runtime was compared with', () => {
  expect(hashesOf(files)).toMatchObject({
    'onnx/vision_encoder.onnx': '47ba396bd72661b46f80cbe6ceb29568b8d3bbc91db38b3d4577cc567ab86fe3',
    'onnx/embed_tokens.onnx': '06db9b5c91be243a416aa8c0624455d0fdbe5a2242994cacea27eb1f276ed62d',
    'onnx/decoder_model_merged.onnx':
      '6200048ef7ef540c2120224676b35631d6f5a13178d95b8281d67c1770bb838f',
    'tokenizer.json': '5721036c481faea59caa79e15010ec8ae7c9fd00d4e03dd21a3518d6af3b42e1',
  });
});

test('its files and the decoder’s together are below two megabytes', () => {
  expect(lengthOf(files) + lengthOf(tinyDecoder())).toBeLessThan(2_000_000);
});

test('the configurations say the same of an image as the tokens and the weights', () => {
  expect(jsonOf(files, 'config.json')).toMatchObject({
    model_type: 'idefics3',
    image_token_id: tokenizer.convert_tokens_to_ids('<image>'),
    text_config: { model_type: 'llama', num_hidden_layers: weights.text.layers.length },
  });
  expect(jsonOf(files, 'processor_config.json')).toMatchObject({
    image_seq_len: referenceFeatures(noise(1), weights.vision).length,
  });
  expect(jsonOf(files, 'preprocessor_config.json')).toMatchObject({
    size: { longest_edge: 256 },
    max_image_size: { longest_edge: SHAPE.tile },
  });
});

test('all that the processor writes around an image are single tokens', () => {
  const tiles = [1, 2, 3, 4].flatMap((row) => [1, 2, 3, 4].map((at) => `<row_${row}_col_${at}>`));
  const around = ['<image>', '<fake_token_around_image>', '<global-img>', ...tiles];
  expect(idsOf(around.join(''))).toEqual(around.map((_, at) => IMAGE_ID + at));
});

test('a tile becomes a row of features for each place, as wide as a word', () => {
  const rows = referenceFeatures(noise(1), weights.vision);
  expect(rows.map((row) => row.length)).toEqual(
    Array.from({ length: 16 }, () => weights.text.words.shape[1]),
  );
});

test('each part of a tile changes all rows, and most the one that stands for it', () => {
  const tile = noise(2);
  const rows = referenceFeatures(tile, weights.vision);
  const part = SHAPE.patch * SHAPE.joined;
  for (const place of [0, 3, 6, 15]) {
    const [top, left] = [Math.floor(place / 4) * part, (place % 4) * part];
    const changed = tile.map((value, at) => {
      const [y, x] = [Math.floor(at / SHAPE.tile) % SHAPE.tile, at % SHAPE.tile];
      return y >= top && y < top + part && x >= left && x < left + part ? -value : value;
    });
    const far = distances(rows, referenceFeatures(changed, weights.vision));
    expect(Math.min(...far)).toBeGreaterThan(0.01);
    expect(far.indexOf(Math.max(...far))).toBe(place);
  }
});

test('another image has another answer', () => {
  const prompt = promptOf(1);
  const answers = [3, 4, 5].map((seed) =>
    referenceImageTokens(prompt, { tiles: [noise(seed)], count: 8, weights }).join(),
  );
  expect(new Set(answers).size).toBe(answers.length);
});

test('tiles stand in the order of their places', () => {
  const prompt = promptOf(2);
  const first = referenceImageReading(prompt, { tiles: [noise(6), noise(7)], weights });
  const turned = referenceImageReading(prompt, { tiles: [noise(7), noise(6)], weights });
  expect(distances([first.logits], [turned.logits])[0]).toBeGreaterThan(1);
});

test('more or fewer places than rows of features, and half a tile, are refused', () => {
  const tiles = [noise(8)];
  expect(() => referenceImageReading(promptOf(2), { tiles, weights })).toThrow(RangeError);
  expect(() => referenceImageReading(idsOf('x'), { tiles, weights })).toThrow(RangeError);
  const half = noise(8).subarray(0, 5000);
  expect(() => referenceFeatures(half, weights.vision)).toThrow(RangeError);
});
