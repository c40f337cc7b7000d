import { expect, test } from 'vitest';
import { contents, fill, freshName } from './filled.ts';
import { openTestStorage } from './open-test-storage.ts';

test('erasing everything leaves no row in any table', async () => {
  const name = freshName();
  const storage = await openTestStorage({ name });
  await fill(storage);
  expect(await storage.eraseEverything()).toEqual({ ok: true, value: undefined });
  expect(Object.values(await contents(name)).flat()).toEqual([]);
  await fill(storage);
  expect(await storage.banks.listBanks()).toHaveLength(2);
});

test('erasing a task takes its runs, reference and own images, and nothing that is used elsewhere', async () => {
  const storage = await openTestStorage();
  const { first, second, firstRun, secondRun, manifest, images } = await fill(storage);
  expect(await storage.eraseTask(first.id)).toEqual({
    ok: true,
    value: { runs: 1, images: 2, imagesKept: 1 },
  });
  expect(await storage.runs.getTask(first.id)).toBeUndefined();
  expect(await storage.references.getReference(first.id)).toBeUndefined();
  expect(await storage.runs.getRun(firstRun.id)).toBeUndefined();
  expect(await storage.runs.getEvents(firstRun.id)).toEqual([]);
  expect(await storage.runs.listDrafts(manifest.id)).toEqual([]);
  const left = async (hash: string) => (await storage.blobs.get(hash)) !== undefined;
  expect(await left(images.own)).toBe(false);
  expect(await left(images.draftCrop)).toBe(false);
  expect(await left(images.shared)).toBe(true);
  expect(await left(images.bankCrop)).toBe(true);
  expect(await left(images.unused)).toBe(true);
  expect(await storage.runs.getTask(second.id)).toEqual(second);
  expect(await storage.runs.getEvents(secondRun.id)).toHaveLength(2);
  expect(await storage.eraseTask(first.id)).toMatchObject({
    ok: false,
    refusal: { reason: 'not-found' },
  });
});

test('an image that a bank still shows outlives its last task', async () => {
  const storage = await openTestStorage();
  const { first, second, images } = await fill(storage);
  await storage.eraseTask(first.id);
  await storage.eraseTask(second.id);
  expect(await storage.blobs.get(images.shared)).toBeDefined();
});
