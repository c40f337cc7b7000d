import { GPT2Tokenizer } from '@huggingface/transformers';
import { expect, test } from 'vitest';
import {
  referenceLogits,
  referenceReading,
  referenceTokens,
} from '../../../models/tiny/decoder-reference.mjs';
import { chatVocabulary } from '../../../models/tiny/decoder/chat-tokenizer.mjs';
import { decoderWeights, SHAPE } from '../../../models/tiny/decoder/decoder-weights.mjs';
import { tinyDecoder } from '../../../models/tiny/decoder.mjs';
import { hashesOf, jsonOf } from './model-files.ts';

const files = tinyDecoder();
const weights = decoderWeights();

const tokenizer = new GPT2Tokenizer(
  jsonOf(files, 'tokenizer.json'),
  jsonOf(files, 'tokenizer_config.json'),
);

function idsOf(text: string): readonly number[] {
  const { input_ids } = tokenizer(text, { return_tensor: false });
  return input_ids;
}

function promptOf(content: string): readonly number[] {
  const turns = [{ role: 'user', content }];
  return idsOf(
    tokenizer.apply_chat_template(turns, { add_generation_prompt: true, tokenize: false }),
  );
}

function distance(first: readonly number[], second: readonly number[]): number {
  return Math.hypot(...first.map((value, at) => value - (second[at] ?? 0)));
}

/** How many tokens of those allowed are likeliest, one after another, before one of `ends` is. */
function tokensBefore(ends: string, allowed: RegExp, start: readonly number[]): number {
  const vocabulary = chatVocabulary();
  const choice = vocabulary.flatMap((token, id) => (allowed.test(token) ? [id] : []));
  let reading = referenceReading(start, { weights });
  for (let count = 0; count < 100; count += 1) {
    const logits = choice.map((id) => reading.logits[id] ?? -Infinity);
    const token = choice[logits.indexOf(Math.max(...logits))] ?? 0;
    if (ends.includes(vocabulary[token] ?? '')) return count;
    reading = referenceReading([token], { weights, past: reading });
  }
  return Infinity;
}

const QUESTIONS = [
  'How many stations are there?',
  'Read the chart, and say which bar is the longest.',
  'x',
  'Was soll zuerst geprüft werden? 数学',
];

test('the same seed gives the same bytes, another seed another model', () => {
  const hashes = hashesOf(files);
  expect(hashesOf(tinyDecoder({ seed: 1 }))).toEqual(hashes);
  const { 'onnx/model.onnx': model, ...others } = hashesOf(tinyDecoder({ seed: 2 }));
  expect(hashes).toMatchObject(others);
  expect(model).not.toBe(hashes['onnx/model.onnx']);
});

// Whoever changes these two compares the new ones with ONNX Runtime (models/tiny/README.md).
test('the bytes are those that ONNX Runtime was compared with', () => {
  expect(hashesOf(files)).toMatchObject({
    'onnx/model.onnx': '2a5224b1eaca2f08f975165aa68d2aa216cda7d9e47721f876b2a780a95339e2',
    'tokenizer.json': '916a6bf84b980260fb9a3ab67d881ddf61e2d0d0c3ea4267b05706e6a9b5cae9',
  });
});

test('all files together are below a megabyte', () => {
  expect([...files.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThan(1_000_000);
});

test('the configuration says the shape of the weights', () => {
  expect(jsonOf(files, 'config.json')).toMatchObject({
    model_type: 'llama',
    vocab_size: tokenizer.get_vocab().size,
    hidden_size: SHAPE.heads * SHAPE.width,
    num_hidden_layers: weights.layers.length,
    num_key_value_heads: 2,
    head_dim: 16,
    max_position_embeddings: 4096,
  });
  expect(weights.words.shape).toEqual([tokenizer.get_vocab().size, SHAPE.hidden]);
  expect(chatVocabulary()).toEqual(
    [...tokenizer.get_vocab()].sort(([, a], [, b]) => a - b).map(([token]) => token),
  );
});

test('turns are written as ChatML, and a turn ends with the token that ends a text', () => {
  const turns = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Look: ' }, { type: 'image' }] },
    { role: 'assistant', content: 'A line.' },
  ];
  expect(tokenizer.apply_chat_template(turns, { tokenize: false })).toBe(
    '<|im_start|>system\nBe brief.<|im_end|>\n' +
      '<|im_start|>user\nLook: <image><|im_end|>\n' +
      '<|im_start|>assistant\nA line.<|im_end|>\n',
  );
  expect(promptOf('x').slice(-2)).toEqual(idsOf('assistant\n').slice(-2));
  expect(idsOf('<|endoftext|><|im_start|><|im_end|>')).toEqual([0, 1, 2]);
  expect(jsonOf(files, 'generation_config.json')).toEqual({
    pad_token_id: tokenizer.pad_token_id,
    bos_token_id: 1,
    eos_token_id: 2,
  });
});

test('padding goes before a text', () => {
  expect(tokenizer(['a', ''], { padding: true, return_tensor: false })).toEqual({
    input_ids: [idsOf('a'), [0]],
    attention_mask: [[1], [0]],
  });
});

test('any JSON can be read back from its tokens', () => {
  const text = JSON.stringify(
    { 'ä"\\': ['数学 🎉', -1.5e-7, null, true, {}, '\u0000\n'] },
    null,
    2,
  );
  expect(tokenizer.decode([...idsOf(text)])).toBe(text);
});

test('a text read in parts gives the logits and memories of the whole', () => {
  const ids = promptOf(QUESTIONS[0] ?? '');
  const whole = referenceReading(ids, { weights });
  const parts = [ids.slice(0, 1), ids.slice(1, 20), ids.slice(20)].reduce(
    (past: ReturnType<typeof referenceReading> | undefined, part) =>
      referenceReading(part, { weights, past }),
    undefined,
  );
  expect(parts).toEqual(whole);
  expect(whole.memories.map(({ keys }) => keys.length)).toEqual([ids.length, ids.length]);
  expect(whole.logits).toEqual(referenceLogits(ids));
});

test('a token sees the earlier ones and where they stand, and no later one', () => {
  const ids = idsOf('the red line and then the blue line');
  const logits = referenceLogits(ids, weights);
  const [first = 0, second = 0, ...rest] = ids;
  expect(distance(logits, referenceLogits([second, first, ...rest], weights))).toBeGreaterThan(1);
  expect(distance(logits, referenceLogits([0, ...rest], weights))).toBeGreaterThan(1);
  const longer = referenceReading([...ids, 5], { weights });
  const [memory] = referenceReading(ids, { weights }).memories.slice(-1);
  expect(longer.memories.at(-1)?.keys.slice(0, -1)).toEqual(memory?.keys);
});

test('what it writes is plain text that does not run in a circle and ends only at its limit', () => {
  for (const question of QUESTIONS) {
    const tokens = referenceTokens(promptOf(question), { count: 80, weights });
    expect(tokens).toHaveLength(80);
    expect(tokenizer.decode([...tokens])).toMatch(/^[ -~]+$/u);
    expect(new Set(tokens.slice(-40)).size).toBeGreaterThan(10);
  }
});

test('different questions have different answers', () => {
  const answers = QUESTIONS.map((question) =>
    referenceTokens(promptOf(question), { count: 5, weights }).join(),
  );
  expect(new Set(answers).size).toBe(QUESTIONS.length);
});

test('strings, numbers and lists that it has begun it soon ends', () => {
  for (const question of QUESTIONS) {
    const prompt = promptOf(question);
    const string = [...prompt, ...idsOf('{"answer":"')];
    expect(tokensBefore('"', /^[^\\<]+$/u, string)).toBeLessThan(25);
    const number = [...prompt, ...idsOf('{"count":1')];
    expect(tokensBefore('}', /^[0-9}]$/u, number)).toBeLessThan(10);
    const list = [...prompt, ...idsOf('["a"')];
    expect(tokensBefore(']', /^[,\]]$/u, list)).toBeLessThan(10);
  }
});

test('an unknown token, no token and a text too long are refused', () => {
  expect(() => referenceLogits([SHAPE.words], weights)).toThrow(RangeError);
  expect(() => referenceLogits([], weights)).toThrow(RangeError);
  const long = new Array<number>(SHAPE.positions + 1).fill(5);
  expect(() => referenceLogits(long, weights)).toThrow(RangeError);
});
