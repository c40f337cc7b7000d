import { expect, onTestFinished, test } from 'vitest';
import { tinyEncoder } from '../../../models/tiny/encoder.mjs';
import { encoderOfFolder } from '../../../src/core/models/encoder-folder.ts';
import type { EncoderEntry } from '../../../src/core/models/model-entry.ts';
import { modelStore } from '../../../src/engine/files/model-store.ts';
import { transformersEngine } from '../../../src/engine/transformers/transformers-client.ts';
import { tinyEmbedding } from './tiny-embedding.ts';

const store = modelStore({ headers: {}, now: () => '2026-12-03T00:00:00.000Z' });

/** The tiny encoder as a model on this device, with some of its files changed. */
async function hold(
  id: string,
  change: (files: Map<string, Uint8Array<ArrayBuffer>>) => void = () => undefined,
): Promise<EncoderEntry> {
  const files = tinyEncoder();
  change(files);
  const entry = await encoderOfFolder({
    name: id,
    sizes: new Map([...files].map(([path, { byteLength }]) => [path, byteLength])),
    text: async (path) => new TextDecoder().decode(files.get(path)),
  });
  if (!entry.ok) throw new Error(entry.refusal.message);
  await store.add(
    entry.value,
    new Map([...files].map(([path, bytes]) => [path, new Blob([bytes])])),
  );
  return entry.value;
}

const TEXTS = [
  'How many stops are there between the two stations?',
  'a',
  'Prices on a receipt, in euros and cents: 12.50 €',
  'कितने स्टेशन हैं? 駅はいくつ',
  'the same words again and again, '.repeat(40),
];

test('vectors are those of the reference, alone or among longer texts', async () => {
  const engine = transformersEngine();
  const encoder = await engine.loadEncoder(await hold('tiny-a'));
  onTestFinished(() => encoder.unload());
  const together = await encoder.embed(TEXTS);
  for (const [at, text] of TEXTS.entries()) {
    const [alone] = await encoder.embed([text]);
    const wanted = await tinyEmbedding(text);
    for (const [dimension, value] of wanted.entries()) {
      expect(Math.abs((together[at]?.[dimension] ?? NaN) - value)).toBeLessThan(1e-3);
      expect(Math.abs((alone?.[dimension] ?? NaN) - value)).toBeLessThan(1e-3);
    }
  }
  expect(await encoder.embed([])).toEqual([]);
}, 60_000);

test('files that are missing or damaged are named, and the next model loads', async () => {
  const engine = transformersEngine();
  const missing = { ...(await hold('tiny-b')), id: 'tiny-nowhere' };
  await expect(engine.loadEncoder(missing)).rejects.toMatchObject({
    code: 'missing-file',
    message: expect.stringContaining('config.json'),
  });
  const damaged = await hold('tiny-c', (files) => {
    files.set('onnx/model.onnx', new Uint8Array(5000).fill(7));
  });
  await expect(engine.loadEncoder(damaged)).rejects.toMatchObject({ code: 'not-loadable' });
  const lying = await hold('tiny-d');
  const facts = { ...lying.encoder, dimension: 48 };
  await expect(engine.loadEncoder({ ...lying, encoder: facts })).rejects.toThrow(/32 dimensions/u);
  const sound = await engine.loadEncoder(await hold('tiny-e'));
  expect(await sound.embed(['works'])).toHaveLength(1);
  sound.unload();
  await expect(sound.embed(['gone'])).rejects.toMatchObject({ code: 'stopped' });
}, 60_000);

test('a worker that gives no sign of life is ended, and what waits for it is told', async () => {
  const engine = transformersEngine({ silentMs: 1 });
  await expect(engine.loadEncoder(await hold('tiny-f'))).rejects.toMatchObject({ code: 'silent' });
});
