import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completed, hubListingSchema } from '../../../src/core/models/listing.ts';
import { modelEntrySchema, registrySchema } from '../../../src/core/models/model-entry.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const { models } = registrySchema.parse(
  JSON.parse(readFileSync(resolve(ROOT, 'models/registry.json'), 'utf8')),
);

function known(id: string) {
  const entry = models.find((model) => model.id === id);
  if (entry === undefined) throw new Error(`no ${id}`);
  return entry;
}

const HASHES = { a: 'a'.repeat(64), b: 'b'.repeat(64), c: 'c'.repeat(64) };
const small = (path: string, size = 10) => ({ type: 'file', oid: 'f'.repeat(40), size, path });
const large = (path: string, size: number, oid: string) => ({
  type: 'file',
  oid: 'f'.repeat(40),
  size,
  lfs: { oid, size, pointerSize: 135 },
  path,
});

const LIBRARY = 'Qwen3.5-0.8B-q4f16_1_cs1k-webgpu.wasm';
const WEB_LLM = [
  small('.gitattributes'),
  small('README.md'),
  small('mlc-chat-config.json', 2000),
  small('tensor-cache.json', 90_000),
  large('tokenizer.json', 19_000_000, HASHES.a),
  small('tokenizer_config.json', 9000),
  small('merges.txt', 5000),
  ...[0, 10, 2, 1, 3, 4, 5, 6, 7, 8, 9].map((at) =>
    large(`params_shard_${at}.bin`, 33_000_000 + at, HASHES.b),
  ),
];
const ONNX = [
  small('config.json', 3000),
  small('generation_config.json', 200),
  small('preprocessor_config.json', 300),
  small('processor_config.json', 1300),
  small('chat_template.jinja', 7700),
  large('tokenizer.json', 19_000_000, HASHES.a),
  small('tokenizer_config.json', 9000),
  { type: 'directory', oid: 'f'.repeat(40), size: 0, path: 'onnx' },
  ...['embed_tokens', 'decoder_model_merged', 'vision_encoder'].flatMap((part) => [
    small(`onnx/${part}_q4f16.onnx`, 900),
    large(`onnx/${part}_q4f16.onnx_data`, 400_000_000, HASHES.b),
    small(`onnx/${part}_q4.onnx`, 900),
    large(`onnx/${part}_q4.onnx_data`, 500_000_000, HASHES.c),
  ]),
  large('onnx/decoder_model_merged_q4f16.onnx_data_1', 100_000_000, HASHES.c),
];

const complete = (id: string, listing: unknown) =>
  completed(known(id), hubListingSchema.parse(listing));

function filesOf(id: string, listing: unknown) {
  const result = complete(id, listing);
  if (!result.ok) throw new Error(result.refusal.message);
  return new Map(result.value.files.map((file) => [file.path, file]));
}

describe('of a WebLLM model', () => {
  const id = 'qwen3.5-0.8b-mlc-q4f16';

  test('the shards come with it in their order, and nothing that it has no use for', () => {
    expect([...filesOf(id, WEB_LLM).keys()]).toEqual([
      'mlc-chat-config.json',
      'tensor-cache.json',
      'tokenizer.json',
      LIBRARY,
      ...Array.from({ length: 11 }, (_, at) => `params_shard_${at}.bin`),
      'tokenizer_config.json',
    ]);
  });

  test('bytes and hashes are the hub’s; the library keeps its own address', () => {
    const files = filesOf(id, WEB_LLM);
    expect(files.get('params_shard_10.bin')).toEqual({
      path: 'params_shard_10.bin',
      bytes: 33_000_010,
      sha256: HASHES.b,
    });
    // What is no large file there has a hash of another kind.
    expect(files.get('tensor-cache.json')).toMatchObject({ bytes: 90_000, sha256: null });
    expect(files.get(LIBRARY)).toEqual(known(id).files.find(({ path }) => path === LIBRARY));
  });

  test('the bytes of all are summed, and the entry stays one', () => {
    const result = complete(id, WEB_LLM);
    const bytes = result.ok ? result.value.approximateBytes : 0;
    expect(bytes).toBe(2000 + 90_000 + 19_000_000 + 9000 + 11 * 33_000_000 + 55);
    expect(modelEntrySchema.safeParse(result.ok && result.value).success).toBe(true);
  });

  test('the older name of the list of tensors is taken where the newer is not there', () => {
    const older = WEB_LLM.map((file) =>
      file.path === 'tensor-cache.json' ? { ...file, path: 'ndarray-cache.json' } : file,
    );
    const paths = [...filesOf(id, older).keys()];
    expect(paths).toContain('ndarray-cache.json');
    expect(paths).not.toContain('tensor-cache.json');
    const both = [...filesOf(id, [...older, ...WEB_LLM]).keys()];
    expect(both).toContain('tensor-cache.json');
    expect(both).not.toContain('ndarray-cache.json');
  });

  test('what is missing there is named: a description, all shards, one among them', () => {
    const without = (pattern: RegExp) => {
      const result = complete(
        id,
        WEB_LLM.filter(({ path }) => !pattern.test(path)),
      );
      return result.ok ? '' : result.refusal.message;
    };
    expect(without(/^tokenizer\.json$/u)).toContain('tokenizer.json is missing');
    expect(without(/^params_shard/u)).toContain('params_shard_0.bin is missing');
    const gaps = without(/^params_shard_[37]\.bin$/u);
    expect(gaps).toContain('params_shard_3.bin, params_shard_7.bin is missing');
    expect(gaps).toContain('mlc-ai/Qwen3.5-0.8B-q4f16_1-MLC');
  });
});

describe('of a model of transformers.js', () => {
  test('what lies beside each graph of its own dtype comes with it, and its descriptions', () => {
    expect([...filesOf('qwen3.5-2b-onnx-q4f16', ONNX).keys()].sort()).toEqual(
      [
        'chat_template.jinja',
        'config.json',
        'generation_config.json',
        'preprocessor_config.json',
        'processor_config.json',
        'tokenizer.json',
        'tokenizer_config.json',
        'onnx/decoder_model_merged_q4f16.onnx',
        'onnx/decoder_model_merged_q4f16.onnx_data',
        'onnx/decoder_model_merged_q4f16.onnx_data_1',
        'onnx/embed_tokens_q4f16.onnx',
        'onnx/embed_tokens_q4f16.onnx_data',
        'onnx/vision_encoder_q4f16.onnx',
        'onnx/vision_encoder_q4f16.onnx_data',
      ].sort(),
    );
  });

  test('graphs that are not there in its dtype are named', () => {
    const result = complete(
      'qwen3.5-2b-onnx-q4f16',
      ONNX.filter(({ path }) => !path.includes('vision_encoder_q4f16')),
    );
    expect(result).toMatchObject({
      ok: false,
      refusal: {
        reason: 'missing-there',
        message: expect.stringContaining('onnx/vision_encoder_q4f16.onnx is missing'),
      },
    });
  });

  test('an encoder is completed the same way, without what belongs to images', () => {
    const listing = [
      small('config.json'),
      small('preprocessor_config.json'),
      small('special_tokens_map.json'),
      small('tokenizer.json'),
      small('tokenizer_config.json'),
      small('onnx/model_q4.onnx'),
      large('onnx/model_q4.onnx_data', 200, HASHES.c),
    ];
    const paths = [...filesOf('embeddinggemma-300m', listing).keys()];
    expect(paths).toContain('special_tokens_map.json');
    expect(paths).not.toContain('preprocessor_config.json');
  });
});

test('bytes and hashes that the registry knows are not taken from the hub', () => {
  const entry = known('smollm2-360m-onnx-q8');
  const pinned = { path: 'onnx/model_quantized.onnx', bytes: 5, sha256: HASHES.c };
  const files = entry.files.map((file) => (file.path === pinned.path ? pinned : file));
  const listing = files.map(({ path }) => large(path, 99, HASHES.a));
  const result = completed({ ...entry, files }, hubListingSchema.parse(listing));
  expect(result.ok && result.value.files.find(({ path }) => path === pinned.path)).toEqual(pinned);
});

test('what is no listing is refused', () => {
  for (const answer of [{ error: 'Repository not found' }, [{ size: 3 }], 'no', null]) {
    expect(hubListingSchema.safeParse(answer).success).toBe(false);
  }
});
