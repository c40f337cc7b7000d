import { BertTokenizer } from '@huggingface/transformers';
import { expect, test } from 'vitest';
import {
  referenceEmbedding,
  referenceHiddenState,
} from '../../../models/tiny/encoder-reference.mjs';
import { encoderWeights, SHAPE } from '../../../models/tiny/encoder-weights.mjs';
import { tinyEncoder } from '../../../models/tiny/encoder.mjs';
import { hashesOf, jsonOf } from './model-files.ts';

const files = tinyEncoder();

const tokenizer = new BertTokenizer(
  jsonOf(files, 'tokenizer.json'),
  jsonOf(files, 'tokenizer_config.json'),
);

function idsOf(text: string): readonly number[] {
  const { input_ids } = tokenizer(text, { return_tensor: false });
  return input_ids;
}

function dot(first: readonly number[], second: readonly number[]): number {
  return first.reduce((sum, value, at) => sum + value * (second[at] ?? 0), 0);
}

function distance(first: readonly number[], second: readonly number[]): number {
  return Math.hypot(...first.map((value, at) => value - (second[at] ?? 0)));
}

const TEXTS = [
  'Which of these colours was painted first?',
  'A train leaves Leeds at noon; when does it reach York?',
  'How many triangles does the figure hold?',
  'import numpy as np; print(np.mean(values))',
  'Bake the bread for forty minutes at 220 degrees',
  'If a step fails, look at the picture again and say which part was misread before trying another',
];

test('the same seed gives the same bytes, another seed another model', () => {
  const hashes = hashesOf(files);
  expect(hashesOf(tinyEncoder({ seed: 1 }))).toEqual(hashes);
  const { 'onnx/model.onnx': model, ...others } = hashesOf(tinyEncoder({ seed: 2 }));
  expect(hashes).toMatchObject(others);
  expect(model).not.toBe(hashes['onnx/model.onnx']);
});

// Whoever changes these two compares the new ones with ONNX Runtime (models/tiny/README.md).
test('the bytes are those that ONNX Runtime was compared with', () => {
  expect(hashesOf(files)).toMatchObject({
    'onnx/model.onnx': '1b5623cf5ea1c900c6aab798266403d3a170c524b21ba7fc877ff2fb4259cb79',
    'tokenizer.json': '3cee061e1e9f26f071895d7d12099686d1624dbeed2eea4d54e09d81e07dba0d',
  });
});

test('all files together are well below a megabyte', () => {
  expect([...files.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThan(250_000);
});

test('the configuration says the shape of the weights', () => {
  expect(jsonOf(files, 'config.json')).toMatchObject({
    model_type: 'bert',
    vocab_size: tokenizer.get_vocab().size,
    hidden_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    intermediate_size: 64,
    max_position_embeddings: 128,
    type_vocab_size: 2,
  });
  expect(jsonOf(files, '1_Pooling/config.json')).toMatchObject({
    pooling_mode_mean_tokens: true,
    word_embedding_dimension: 32,
  });
  expect(encoderWeights().words.shape).toEqual([tokenizer.get_vocab().size, SHAPE.hidden]);
});

test('a text is one [CLS], its tokens and one [SEP], and padding is id 0 and masked', () => {
  const ids = idsOf(' the red line?');
  const tokens = [...tokenizer.get_vocab().keys()];
  expect(ids.map((id) => tokens[id])).toEqual(['[CLS]', 'Ġthe', 'Ġred', 'Ġline', '?', '[SEP]']);
  expect(tokenizer(['', 'a'], { padding: true, return_tensor: false })).toEqual({
    input_ids: [
      [2, 3, 0],
      [2, idsOf('a')[1], 3],
    ],
    attention_mask: [
      [1, 1, 0],
      [1, 1, 1],
    ],
    token_type_ids: [
      [0, 0, 0],
      [0, 0, 0],
    ],
  });
});

test('any text can be read back from its tokens', () => {
  const text = 'Ünïcödé — 数学 🎉\n\n  x\u0000\u00ad\u00a0½ [x]';
  expect(tokenizer.decode([...idsOf(text)], { skip_special_tokens: true })).toBe(text);
  expect(idsOf(text)).not.toContain(tokenizer.convert_tokens_to_ids('[UNK]'));
});

test('the reference gives a row for each token, and none for padding, which changes nothing', () => {
  const ids = idsOf(TEXTS[0] ?? '');
  const rows = referenceHiddenState(ids);
  expect(rows.map((row) => row.length)).toEqual(ids.map(() => SHAPE.hidden));
  expect(referenceHiddenState([...ids, 0, 0, 0])).toEqual(rows);
  expect(referenceEmbedding([...ids, 0, 0, 0])).toEqual(referenceEmbedding(ids));
});

test('an embedding has length 1', () => {
  for (const text of ['', ...TEXTS]) {
    const embedding = referenceEmbedding(idsOf(text));
    expect(dot(embedding, embedding)).toBeCloseTo(1, 12);
  }
});

test('different texts have clearly different vectors, nearly the same text nearly the same', () => {
  const embeddings = TEXTS.map((text) => referenceEmbedding(idsOf(text)));
  const cosines = embeddings.flatMap((first, at) =>
    embeddings.slice(0, at).map((second) => dot(first, second)),
  );
  expect(Math.max(...cosines)).toBeLessThan(0.8);
  const near = TEXTS.map((text) => referenceEmbedding(idsOf(`${text}!`)));
  near.forEach((embedding, at) =>
    expect(dot(embedding, embeddings[at] ?? [])).toBeGreaterThan(0.8),
  );
});

test('every token sees every other, and where it stands', () => {
  const rows = referenceHiddenState(idsOf(' the red line'));
  const other = referenceHiddenState(idsOf(' the red stop'));
  expect(other.length).toBe(rows.length);
  rows.forEach((row, at) => expect(distance(row, other[at] ?? [])).toBeGreaterThan(0.1));
  const turned = referenceEmbedding(idsOf(' line red the'));
  expect(distance(turned, referenceEmbedding(idsOf(' the red line')))).toBeGreaterThan(0.01);
});

test('an unknown token and a text too long are refused', () => {
  expect(() => referenceHiddenState([2, SHAPE.words, 3])).toThrow(RangeError);
  expect(() => referenceHiddenState(new Array(SHAPE.positions + 1).fill(5))).toThrow(RangeError);
});
