import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entryOfFolder } from '../../../src/core/models/folder-entry.ts';
import {
  isEncoderEntry,
  modelEntrySchema,
  registrySchema,
} from '../../../src/core/models/model-entry.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const registry = registrySchema.parse(
  JSON.parse(readFileSync(resolve(ROOT, 'models/registry.json'), 'utf8')),
);

test('the registry knows the three encoders, each once, with what a person wants to know', () => {
  expect(registry.models.filter(isEncoderEntry).map(({ id }) => id)).toEqual([
    'arctic-embed-xs',
    'minilm-l6',
    'embeddinggemma-300m',
  ]);
  for (const { files, source, dtype } of registry.models.filter(isEncoderEntry)) {
    expect(source?.host).toBe('https://huggingface.co');
    const weights = { fp32: '', fp16: '_fp16', q8: '_quantized', q4: '_q4', q4f16: '_q4f16' }[
      dtype
    ];
    expect(files.map(({ path }) => path)).toContain(`onnx/model${weights}.onnx`);
  }
});

test('a path out of the model’s folder is none', () => {
  const [known] = registry.models;
  for (const path of ['../x', '/x', 'a/../../x', 'a/./x', 'a\\x', 'https://x/y', '']) {
    const files = [{ path, bytes: null, sha256: null }];
    expect(modelEntrySchema.safeParse({ ...known, files }).success, path).toBe(false);
  }
});

describe('a folder', () => {
  const folder = (name: string, files: Readonly<Record<string, unknown>>) => ({
    name,
    sizes: new Map(
      Object.entries(files).map(([path, value]) => [path, JSON.stringify(value).length]),
    ),
    text: async (path: string) => JSON.stringify(files[path]),
  });
  const least = {
    'config.json': { hidden_size: 96, max_position_embeddings: 300 },
    'tokenizer.json': {},
    'onnx/model.onnx': 'weights',
  };
  const entryOf = async (name: string, files: Readonly<Record<string, unknown>>) => {
    const entry = await entryOfFolder(folder(name, files), registry.models);
    return entry.ok ? entry.value : entry.refusal;
  };

  test('says how it pools and prefixes; where it does not, the mean without a prefix is taken', async () => {
    expect(await entryOf('My Encoder (v2)', least)).toMatchObject({
      id: 'my-encoder-v2-',
      dtype: 'fp32',
      source: null,
      encoder: { dimension: 96, pooling: 'mean', queryPrefix: '', passagePrefix: '', context: 300 },
      notes: expect.stringContaining('does not say how to pool'),
    });
    const said = await entryOf('e', {
      ...least,
      '1_Pooling/config.json': { pooling_mode_cls_token: true, word_embedding_dimension: 96 },
      'config_sentence_transformers.json': { prompts: { query: 'ask: ', document: 'tell: ' } },
    });
    expect(said).toMatchObject({
      encoder: { pooling: 'cls', queryPrefix: 'ask: ', passagePrefix: 'tell: ' },
      notes: 'Added from a folder.',
    });
  });

  test('with several weights gives the small ones that lose little, and what lies beside them', async () => {
    const entry = await entryOf('e', {
      ...least,
      'onnx/model_q4.onnx': 'w',
      'onnx/model_quantized.onnx': 'w',
      'onnx/model_quantized.onnx_data': 'w',
      'README.md': 'not needed',
    });
    expect(entry).toMatchObject({ dtype: 'q8' });
    const paths = 'files' in entry ? entry.files.map(({ path }) => path) : [];
    expect(paths).toEqual([
      'config.json',
      'tokenizer.json',
      'onnx/model_quantized.onnx',
      'onnx/model_quantized.onnx_data',
    ]);
  });

  test('that the registry knows is taken as the registry has it, and must be whole', async () => {
    const [known] = registry.models;
    const files = Object.fromEntries((known?.files ?? []).map(({ path }) => [path, 'x']));
    expect(await entryOf('snowflake-arctic-embed-xs', files)).toEqual(known);
    expect(await entryOf('snowflake-arctic-embed-xs', least)).toMatchObject({
      reason: 'missing-files',
      message: expect.stringContaining('onnx/model_quantized.onnx'),
    });
  });

  test('that is no encoder is refused by what it lacks', async () => {
    expect(await entryOf('photos', { 'a.jpg': 1 })).toMatchObject({ reason: 'missing-files' });
    const broken = { ...least, 'config.json': { hidden_size: 'many' } };
    expect(await entryOf('e', broken)).toMatchObject({ reason: 'not-readable' });
  });

  test('of MLC, with the library compiled for it, is a model of WebLLM; what it lacks is named', async () => {
    const mlc = {
      'mlc-chat-config.json': { quantization: 'q4f16_1', context_window_size: 4096 },
      'tokenizer.json': {},
      'tensor-cache.json': {},
      'params_shard_0.bin': 'weights',
    };
    expect(await entryOf('own-merge-MLC', mlc)).toMatchObject({
      message: expect.stringContaining('.wasm'),
    });
    const entry = await entryOf('own-merge-MLC', { ...mlc, 'own-webgpu.wasm': 'library' });
    expect(modelEntrySchema.parse(entry)).toMatchObject({
      ...{ id: 'own-merge-mlc', runtime: 'web-llm', requires: ['shader-f16'] },
      language: { library: 'own-webgpu.wasm', context: 4096, promptBudget: 2560 },
    });
    const paths = 'files' in entry ? entry.files.map(({ path }) => path) : [];
    expect(paths).toContain('params_shard_0.bin');
  });

  test('of ONNX parts is a language model, by the dtype that is there in whole for each device', async () => {
    const config = { architectures: ['LlamaForCausalLM'], max_position_embeddings: 2048 };
    const described = { 'config.json': config, 'tokenizer.json': {}, 'tokenizer_config.json': {} };
    expect(await entryOf('lm', described)).toMatchObject({
      message: expect.stringContaining('onnx/model.onnx'),
    });
    const weights = { 'onnx/model_q4f16.onnx': 'w', 'onnx/model_quantized.onnx': 'w' };
    const entry = await entryOf('lm', {
      ...described,
      ...weights,
      'onnx/model_q4f16.onnx_data': 'w',
    });
    expect(modelEntrySchema.parse(entry)).toMatchObject({
      ...{ roles: ['text'], dtype: { webgpu: 'q4f16', wasm: 'q8' }, requires: ['shader-f16'] },
      language: { context: 2048, promptBudget: 1348, images: null },
    });
    const paths = 'files' in entry ? entry.files.map(({ path }) => path) : [];
    expect(paths).toContain('onnx/model_q4f16.onnx_data');
    const own = { 'grove-model.json': { name: 'Mine', language: { promptBudget: 900 } } };
    expect(await entryOf('lm', { ...described, ...weights, ...own })).toMatchObject({
      ...{ id: 'lm', name: 'Mine', language: { promptBudget: 900, context: 2048 } },
    });
    const wrong = { 'grove-model.json': { language: { promptBudget: 'many' } } };
    expect(await entryOf('lm', { ...described, ...weights, ...wrong })).toMatchObject({
      message: expect.stringContaining('language.promptBudget'),
    });
  });
});
