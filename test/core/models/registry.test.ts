import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { prebuiltAppConfig } from '@mlc-ai/web-llm';
import { describe, expect, test } from 'vitest';
import { boxConventionOf } from '../../../src/core/evolve/model/box-convention.ts';
import {
  isLanguageEntry,
  registrySchema,
  type LanguageEntry,
} from '../../../src/core/models/model-entry.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const { models } = registrySchema.parse(
  JSON.parse(readFileSync(resolve(ROOT, 'models/registry.json'), 'utf8')),
);
const language = models.filter(isLanguageEntry);
const byRuntime = (runtime: LanguageEntry['runtime']) =>
  language.filter((entry) => entry.runtime === runtime);

const SUFFIXES = { fp32: '', fp16: '_fp16', q8: '_quantized', q4: '_q4', q4f16: '_q4f16' } as const;

test('every model is listed once, and those that the issue names are there', () => {
  expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
  const repositories = language.map(({ source }) => source?.repository);
  for (const name of ['Qwen3.5-2B', 'Qwen3.5-0.8B', 'SmolLM2-360M-Instruct', 'gemma-4-E2B-it']) {
    for (const dtype of ['q4f16', 'q4f32']) {
      expect(repositories).toContain(`mlc-ai/${name}-${dtype}_1-MLC`);
    }
  }
  expect(repositories).toContain('HuggingFaceTB/SmolLM2-360M-Instruct');
  const revisions = language.flatMap(({ source }) =>
    source === null ? [] : [[source.repository, source.revision]],
  );
  for (const pinned of [
    ['onnx-community/Qwen3.5-2B-ONNX', 'b1fc7ca3afafcb8e4b13d29715a6b9ea5af1d1cb'],
    ['onnx-community/Qwen3.5-2B-ONNX-OPT', '2ea7886f48b926aca97de8b0e041ffca7e3ebaa9'],
    ['onnx-community/Qwen3.5-0.8B-ONNX', 'c0d619322dad7c4441a8841a53fc59772ddddcc0'],
  ]) {
    expect(revisions).toContainEqual(pinned);
  }
});

test('a model of WebLLM is as the installed package has it', () => {
  expect(byRuntime('web-llm')).toHaveLength(8);
  for (const { id, source, files, language: facts, memoryBytes, requires } of byRuntime(
    'web-llm',
  )) {
    const record = prebuiltAppConfig.model_list.find(
      ({ model }) => model === `${source?.host}/${source?.repository}`,
    );
    const library = files.find(({ path }) => path === facts.library);
    expect(library?.url, id).toBe(record?.model_lib);
    expect(record?.model_lib).toMatch(new RegExp(`/${library?.path}$`, 'u'));
    expect(memoryBytes / 1_048_576, id).toBeCloseTo(record?.vram_required_MB ?? NaN, 3);
    expect(facts.context, id).toBe(record?.overrides?.context_window_size);
    expect(requires, id).toEqual(expect.arrayContaining(record?.required_features ?? []));
    const paths = files.map(({ path }) => path);
    expect(paths.includes('mlc-model-manifest.json'), id).toBe(
      record?.model_manifest !== undefined,
    );
    expect(paths, id).toEqual(
      expect.arrayContaining(['mlc-chat-config.json', 'tensor-cache.json', 'tokenizer.json']),
    );
    expect(facts.images, id).toBeNull();
  }
});

test('a model of transformers.js has a graph for each of its parts in each dtype', () => {
  expect(byRuntime('transformers').length).toBeGreaterThan(4);
  for (const { id, dtype, files, language: facts } of byRuntime('transformers')) {
    const parts =
      facts.architecture === 'causal'
        ? ['model']
        : ['embed_tokens', 'decoder_model_merged', 'vision_encoder'];
    const dtypes = [...new Set(Object.values(dtype))].map((name) =>
      typeof name === 'string' && name !== 'compiled' ? SUFFIXES[name] : 'none',
    );
    expect(
      files.map(({ path }) => path).filter((path) => path.endsWith('.onnx')),
      id,
    ).toEqual(dtypes.flatMap((suffix) => parts.map((part) => `onnx/${part}${suffix}.onnx`)));
  }
});

describe('for every language model', () => {
  test('16-bit weights ask for a GPU with 16-bit arithmetic, and lead to weights that do not', () => {
    for (const { id, dtype, requires, otherwise } of language) {
      const is16Bit = /f16/u.test(id);
      expect(requires.includes('shader-f16'), id).toBe(is16Bit);
      if (dtype.webgpu === 'q4f16') expect(is16Bit, id).toBe(true);
      const next = language.find((entry) => entry.id === otherwise);
      expect(next !== undefined, id).toBe(is16Bit);
      expect(next?.requires ?? [], id).toEqual([]);
    }
    const chained = language.find(({ id }) => id === 'qwen3.5-2b-mlc-q4f16');
    expect(chained?.otherwise).toBe('qwen3.5-2b-mlc-q4f32');
  });

  test('two images and 1,500 tokens of text fit the prompt, and a reply of 700 the context', () => {
    for (const { id, roles, language: facts } of language) {
      const { context, promptBudget, images } = facts;
      expect(promptBudget, id).toBeGreaterThanOrEqual(1500 + 2 * (images?.tokensEach ?? 0));
      expect(context - promptBudget, id).toBeGreaterThanOrEqual(700);
      expect(roles.includes('vision'), id).toBe(images !== null);
      // Nothing beyond this prefilled with certainty (shared/ENGINES.md).
      expect(promptBudget, id).toBeLessThanOrEqual(2617);
    }
  });

  test('an image costs what is said at the size that is said, and boxes are as the family writes them', () => {
    const seeing = language.filter(({ language: facts }) => facts.images !== null);
    expect(seeing.length).toBeGreaterThanOrEqual(3);
    for (const { id, source, language: facts } of seeing) {
      // Qwen3.5 has cells of 2 × 2 patches of 16 pixels.
      expect(facts.images?.tokensEach, id).toBe(((facts.images?.longestSidePx ?? 0) / 32) ** 2);
      expect(facts.images?.boxes, id).toBe(boxConventionOf(source?.repository ?? ''));
    }
  });

  test('a self-test is short, and its answer is not in its question', () => {
    for (const { id, language: facts } of language) {
      const { question = '', answer = '', maxNewTokens = 0 } = facts.selfTest ?? {};
      expect(question, id).not.toContain(answer);
      expect(answer.length, id).toBeGreaterThan(0);
      expect(maxNewTokens, id).toBeLessThanOrEqual(32);
    }
  });

  test('what nobody has seen is said to be unknown', () => {
    for (const { id, files, notes } of language) {
      const unseen = files.some(({ bytes, sha256 }) => bytes === null || sha256 === null);
      expect(/Nobody here has seen the files/u.test(notes), id).toBe(unseen);
    }
  });
});
