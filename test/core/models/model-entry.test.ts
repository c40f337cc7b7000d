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
});
