import { describe, expect, test } from 'vitest';
import {
  deviceOf,
  gpuSentence,
  loadWarnings,
  memoryForModels,
  memorySentence,
  storageSentence,
  type DeviceFacts,
} from '../../../src/core/models/device-facts.ts';
import { recommend } from '../../../src/core/models/recommend.ts';
import { FACTS, LAPTOP, languageEntry, NO_GPU } from './device-examples.ts';

const GIB = 2 ** 30;
const vision = {
  roles: ['text', 'vision'] as ('text' | 'vision')[],
  language: {
    ...FACTS,
    architecture: 'image-text' as const,
    images: { longestSidePx: 640, tokensEach: 400, boxes: 'thousandths' as const },
  },
};
const large = languageEntry('large', {
  ...vision,
  approximateBytes: 1_870_000_000,
  memoryBytes: 2_430_000_000,
});
const small = languageEntry('small', {
  ...vision,
  approximateBytes: 668_000_000,
  memoryBytes: 870_000_000,
});
const plain = languageEntry('plain', {
  dtype: { webgpu: 'q4' },
  requires: [],
  approximateBytes: 1_600_000_000,
  memoryBytes: 2_000_000_000,
});
const tiny = languageEntry('tiny', {
  dtype: { webgpu: 'q4f16', wasm: 'q8' },
  approximateBytes: 390_000_000,
  memoryBytes: 500_000_000,
});
const own = languageEntry('own', {
  runtime: 'browser',
  dtype: { browser: 'compiled' },
  requires: [],
  files: [],
  approximateBytes: 0,
  memoryBytes: 0,
});
const MODELS = [own, large, plain, small, tiny];
const all = (model: { readonly approximateBytes: number }) => model.approximateBytes;
const withFacts = (over: Partial<DeviceFacts>): DeviceFacts => ({ ...LAPTOP, ...over });
const withoutHalf = withFacts({
  gpu: { name: '', isSoftware: false, features: [], limits: {} },
});

describe('what is recommended', () => {
  test.each<[string, DeviceFacts, string | null, string, string]>([
    ['a laptop', LAPTOP, 'large', 'local:large', 'local:large'],
    ['2 GiB', withFacts({ memoryBytes: 2 * GIB }), 'small', 'local:small', 'local:small'],
    ['memory not told', withFacts({ memoryBytes: null }), 'large', 'local:large', 'local:large'],
    ['a GPU without 16-bit numbers', withoutHalf, 'plain', 'rules', 'local:plain'],
    [
      'a full disk',
      withFacts({ storage: { allowedBytes: 5e9, usedBytes: 4.2e9, persisted: false } }),
      'small',
      'local:small',
      'local:small',
    ],
    ['no GPU', NO_GPU, 'tiny', 'rules', 'local:tiny'],
    [
      'a GPU that the processor imitates',
      withFacts({ gpu: { name: 'swiftshader', isSoftware: true, features: [], limits: {} } }),
      'tiny',
      'rules',
      'local:tiny',
    ],
    ['a browser that has its own', { ...NO_GPU, promptApi: 'ready' }, 'own', 'rules', 'local:own'],
    ['half a GiB and no GPU', { ...NO_GPU, memoryBytes: GIB / 2 }, null, 'rules', 'rules'],
  ])('on %s', (_, facts, model, controller, organizer) => {
    const advice = recommend(facts, MODELS, all);
    expect(advice.model?.id ?? null).toBe(model);
    expect(advice).toMatchObject({ controller, organizer });
    expect(advice.bytesToCome).toBe(advice.model?.approximateBytes ?? 0);
    for (const reason of advice.reasons) expect(reason).toMatch(/^\S[^]*\.$/u);
  });

  test('nothing known leaves rules, and names the endpoint', () => {
    const advice = recommend(LAPTOP, [], all);
    expect(advice.title).toBe('Rules only, or an endpoint');
    expect(advice.reasons.join(' ')).toContain('endpoint’s model');
  });

  test('the larger one that does not fit is named with why', () => {
    const short = recommend(withFacts({ memoryBytes: 2 * GIB }), MODELS, all);
    expect(short.reasons.join(' ')).toContain('large would take more memory');
    const full = withFacts({ storage: { allowedBytes: 5e9, usedBytes: 4.2e9, persisted: false } });
    expect(recommend(full, MODELS, all).reasons.join(' ')).toContain('large would take 1.9 GB');
    expect(recommend(LAPTOP, MODELS, all).reasons.join(' ')).not.toContain('would take');
  });

  test('what is here needs no room, and what has partly come counts with the rest', () => {
    const full = withFacts({ storage: { allowedBytes: 5e9, usedBytes: 4.9e9, persisted: false } });
    const held = recommend(full, MODELS, (model) => (model.id === 'large' ? 0 : all(model)));
    expect(held).toMatchObject({ model: large, bytesToCome: 0, bytesInAll: 1_870_000_000 });
    const part = recommend(LAPTOP, MODELS, () => 60_000_000);
    expect(part.bytesToCome).toBe(60_000_000);
  });
});

describe('what is said of a device', () => {
  test('of its GPU', () => {
    expect(gpuSentence(LAPTOP)).toBe(
      'The GPU can be used from the browser, with 16-bit numbers and buffers up to 4.0 GB.',
    );
    expect(gpuSentence(withoutHalf)).toBe(
      'The GPU can be used from the browser, without 16-bit numbers.',
    );
    expect(gpuSentence(NO_GPU)).toContain('offers no GPU here');
    expect(gpuSentence({ ...NO_GPU, knowsWebGpu: false })).toContain('has no WebGPU');
  });

  test.each<[number | null, readonly (typeof large)[], string]>([
    [16, MODELS, 'Memory should hold several models like large at once.'],
    [8, MODELS, 'Memory should hold two models like large at once, not three.'],
    [6, MODELS, 'Memory should hold one model like large, not two at once.'],
    [2, MODELS, 'Memory should hold one model like small, not two at once.'],
    [1, MODELS, 'Memory should hold one model like tiny, not two at once.'],
    [0.5, MODELS, 'Memory should hold 403 MB of models, less than any listed here takes.'],
    [
      null,
      MODELS,
      'The browser does not say how much memory there is. It should hold one model like large, not two at once.',
    ],
  ])('of %s GiB of memory', (gibibytes, models, sentence) => {
    const memoryBytes = gibibytes === null ? null : gibibytes * GIB;
    expect(memorySentence(withFacts({ memoryBytes }), models)).toBe(sentence);
  });

  test('of its storage', () => {
    expect(storageSentence(LAPTOP)).toBe(
      'The browser allows 38 GB of storage, 200 MB of it used, and has promised to keep it.',
    );
    const { storage } = LAPTOP;
    const cleared = withFacts({ storage: { ...storage, usedBytes: 0, persisted: false } });
    expect(storageSentence(cleared)).toContain('0 B of it used, and may clear it');
  });
});

describe('before a load', () => {
  test('it is said that memory is short, that it takes minutes a step, or that it cannot run', () => {
    expect(loadWarnings(large, LAPTOP)).toEqual([]);
    const [short] = loadWarnings(large, withFacts({ memoryBytes: 2 * GIB }));
    expect(short).toContain('about 2.4 GB of memory, and models should take 1.6 GB at most here');
    expect(loadWarnings(tiny, NO_GPU)).toEqual([]);
    const heavy = { ...large, dtype: { wasm: 'q8' as const } };
    expect(loadWarnings(heavy, NO_GPU).join(' ')).toContain('a step takes minutes');
    expect(loadWarnings(large, NO_GPU)).toEqual([
      'It needs a GPU, and this browser offers none that is fit for it.',
    ]);
    expect(loadWarnings(large, withoutHalf)).toEqual([
      'It needs shader-f16, and this GPU has no such thing.',
    ]);
  });

  test('where it runs is the GPU where that is fit, else the processor, else the browser’s own', () => {
    expect(deviceOf(tiny, LAPTOP)).toBe('webgpu');
    expect(deviceOf(tiny, withoutHalf)).toBe('wasm');
    expect(deviceOf(large, NO_GPU)).toBeNull();
    expect(deviceOf(own, LAPTOP)).toBeNull();
    expect(deviceOf(own, withFacts({ promptApi: 'ready' }))).toBe('browser');
  });

  test('models may take three quarters of memory', () => {
    expect(memoryForModels(LAPTOP) / GIB).toBeCloseTo(12);
  });
});
