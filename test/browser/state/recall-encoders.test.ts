import { expect, test, vi } from 'vitest';
import { tinyEncoder } from '../../../models/tiny/encoder.mjs';
import { openRecall, type RecallParts } from '../../../src/compose-recall.ts';
import { EMPTY_LOG, headOf, makeEntries } from '../../../src/core/bank/log.ts';
import type { LogEntry } from '../../../src/core/bank/operation.ts';
import { NO_FILTER } from '../../../src/core/recall/index/recall-types.ts';
import { makeBankLoader } from '../../../src/state/bank-loader.ts';
import { PERSON } from '../../../src/state/bank.svelte.ts';
import type { RecallEncoders } from '../../../src/state/models/recall-encoders.svelte.ts';
import type { GroveStorage } from '../../../src/storage/open-storage.ts';
import { lessonOf } from '../../core/bank/material.ts';
import { manifestOf } from '../storage/material.ts';
import { openTestStorage } from '../storage/open-test-storage.ts';

vi.setConfig({ testTimeout: 60_000 });

const LESSONS = 400;

function open(storage: GroveStorage): Promise<RecallParts> {
  return openRecall({
    storage,
    loader: makeBankLoader(storage.banks),
    downloadHeaders: {},
    policy: { offline: false, allow: async () => undefined },
  });
}

/** A bank of lessons, one a step. */
async function bankIn({ banks }: GroveStorage, lessons = LESSONS): Promise<string> {
  const manifest = manifestOf('Maps');
  await banks.createBank(manifest);
  const log: LogEntry[] = [];
  for (let at = 0; at < lessons; at += 1) {
    const topic = `stops of line ${at}`;
    const lesson = lessonOf(`l${at}`, { topic, title: topic, guidance: `About ${topic}.` });
    const step = { operation: { type: 'add-lesson' as const, lesson }, by: PERSON };
    const last = log.at(-1);
    const head = last === undefined ? EMPTY_LOG : headOf(last);
    log.push(...makeEntries(head, [step], { step: at + 1, at: '2026-12-03T00:00:00.000Z' }));
  }
  await banks.append(manifest.id, EMPTY_LOG, log);
  return manifest.id;
}

const folder = () => [...tinyEncoder()].map(([path, bytes]) => ({ path, file: new Blob([bytes]) }));

const modelOf = (encoders: RecallEncoders, id: string) => {
  const model = encoders.held.find(({ entry }) => entry.id === id);
  if (model === undefined) throw new Error(`no ${id} here`);
  return model;
};

/** Once a part of a bank is encoded. */
const begun = (encoders: RecallEncoders) =>
  expect.poll(() => encoders.switching?.done, { interval: 1, timeout: 30_000 }).toBeGreaterThan(0);

const ask = async ({ recall }: RecallParts, bankId: string) => {
  const bank = await recall.at(bankId);
  const query = { text: 'How many stops has line 7?', filter: NO_FILTER, limit: 5 };
  return {
    encoder: bank.making.encoder?.id,
    found: await bank.find({ ...query, mode: 'encoder' }),
  };
};

test('banks are encoded anew, paused and resumed, while the old vectors answer; then the new ones do', async () => {
  const storage = await openTestStorage();
  const bankId = await bankIn(storage);
  const parts = await open(storage);
  const { encoders, recall } = parts;
  await encoders.open();
  await parts.library.addFolder('tiny one', folder());
  expect(parts.library.problem).toBeNull();
  const words = (await ask(parts, bankId)).encoder;

  const switching = encoders.choose(modelOf(encoders, 'tiny-one'));
  await begun(encoders);
  encoders.pause();
  await switching;
  const paused = encoders.switching?.done ?? 0;
  expect(encoders.switching).toMatchObject({ state: 'paused', bank: 'Maps', number: 1, banks: 1 });
  expect(paused).toBeLessThan(LESSONS);
  expect((await ask(parts, bankId)).encoder).toBe(words);
  expect(encoders.current).toBeNull();

  const done: number[] = [];
  const resumed = encoders.resume();
  await expect
    .poll(
      () => {
        const { switching: now } = encoders;
        if (now !== null && now.of > 0) done.push(now.done);
        return now;
      },
      { interval: 1, timeout: 30_000 },
    )
    .toBeNull();
  await resumed;
  // What was encoded before the pause was not encoded again.
  expect(Math.min(...done)).toBeGreaterThanOrEqual(paused);
  expect(encoders.current).toBe('tiny-one');
  const { encoder, found } = await ask(parts, bankId);
  expect(encoder).toBe('tiny-one');
  expect(found).toHaveLength(5);
  expect(found[0]?.similarity).toBeGreaterThan(0);
  expect(await recall.check(bankId)).toBe(true);

  // Another page begins with the encoder that was chosen, and reads what is stored.
  const again = await open(storage);
  expect((await ask(again, bankId)).found).toEqual(found);
  await again.encoders.open();
  await again.encoders.choose(null);
  expect(again.encoders.current).toBeNull();
  expect((await ask(again, bankId)).encoder).toBe(words);
});

test('a switch that a reload cut off is shown as paused, and goes on; cancelled, all stays', async () => {
  const storage = await openTestStorage();
  const bankId = await bankIn(storage);
  const parts = await open(storage);
  await parts.library.addFolder('tiny two', folder());
  const switching = parts.encoders.choose(modelOf(parts.encoders, 'tiny-two'));
  await begun(parts.encoders);
  parts.encoders.pause();
  await switching;

  const again = await open(storage);
  await again.encoders.open();
  expect(again.encoders.switching).toMatchObject({ state: 'paused' });
  await again.encoders.cancel();
  expect(again.encoders.switching).toBeNull();
  expect((await ask(again, bankId)).encoder).not.toBe('tiny-two');
  await again.encoders.choose(modelOf(again.encoders, 'tiny-two'));
  expect((await ask(again, bankId)).encoder).toBe('tiny-two');
});

test('a model that does not load is said, and the words stay', async () => {
  const storage = await openTestStorage();
  const { encoders, library } = await open(storage);
  await encoders.open();
  const damaged = folder().map(({ path, file }) =>
    path.endsWith('.onnx') ? { path, file: new Blob(['not a model']) } : { path, file },
  );
  await library.addFolder('tiny three', damaged);
  await encoders.choose(modelOf(encoders, 'tiny-three'));
  expect(encoders.problem).toContain('tiny three cannot be loaded');
  expect(encoders.switching).toBeNull();
  expect(encoders.current).toBeNull();
});

test('an encoder that was removed can be put back; once it cannot, its indexes go with it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const storage = await openTestStorage();
  const { encoders, library } = await open(storage);
  const removing = vi.spyOn(storage.recall, 'removeRecall');
  await bankIn(storage, 2);
  await library.addFolder('tiny four', folder());
  const idsHeld = () => encoders.held.map(({ entry }) => entry.id);
  expect(await library.remove('tiny-four')).toBe(true);
  expect(idsHeld()).not.toContain('tiny-four');
  await library.putBack('tiny-four');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(idsHeld()).toContain('tiny-four');
  expect(removing).not.toHaveBeenCalled();
  await library.remove('tiny-four');
  await vi.advanceTimersByTimeAsync(15_000);
  vi.useRealTimers();
  await expect.poll(() => removing.mock.calls.length).toBe(1);
  await library.putBack('tiny-four');
  expect(idsHeld()).not.toContain('tiny-four');
});
