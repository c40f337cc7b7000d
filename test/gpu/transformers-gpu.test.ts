import { expect, onTestFinished, test } from 'vitest';
import { transformersEngine } from '../../src/engine/transformers/transformers-client.ts';
import { holdDecoder } from '../browser/engine/tiny-language.ts';

/** Software WebGPU compiles shaders anew for each length of input, for seconds: one short one is used. */
const MESSAGES = [{ role: 'user', parts: [{ type: 'text', text: 'a' }] }] as const;

test('on the GPU the logits are those of the processor', async () => {
  const engine = transformersEngine();
  const entry = await holdDecoder('tiny-gpu-a');
  const onProcessor = await engine.load(entry, { device: 'wasm' });
  onTestFinished(() => onProcessor.unload());
  const wanted = await onProcessor.score(MESSAGES);
  const onGpu = await engine.load(entry, { device: 'webgpu' });
  onTestFinished(() => onGpu.unload());
  const logits = await onGpu.score(MESSAGES);
  expect(logits).toHaveLength(wanted.length);
  const furthest = Math.max(...wanted.map((value, at) => Math.abs(value - (logits[at] ?? NaN))));
  expect(furthest).toBeLessThan(1e-4);
}, 120_000);
