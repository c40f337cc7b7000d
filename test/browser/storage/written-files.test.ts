import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { cdp } from 'vitest/browser';
import { hashBytes } from '../../../src/core/canonical.ts';
import { sweepWrittenFiles } from '../../../src/storage/written-files.ts';
import { ASKED, freshBank, putBank } from './bundle-material.ts';
import { openTestStorage } from './open-test-storage.ts';

/** The files that wait on the disk, by name, with their sizes. */
async function waiting(): Promise<ReadonlyMap<string, number>> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle('written-files', { create: true });
  const sizes = new Map<string, number>();
  for await (const handle of folder.values()) {
    if (handle instanceof FileSystemFileHandle) {
      sizes.set(handle.name, (await handle.getFile()).size);
    }
  }
  return sizes;
}

const hashOf = async (file: Blob) => hashBytes(new Uint8Array(await file.arrayBuffer()));

beforeEach(() => sweepWrittenFiles({ all: true }));

test('an export lies on the disk until it is an hour old, and is read from there', async () => {
  const storage = await openTestStorage();
  const bank = freshBank(51, 60);
  await putBank(storage, bank);
  const { file } = await storage.bundles.exportBundle(bank.manifest.id);
  expect([...(await waiting()).values()]).toEqual([file.size]);
  await sweepWrittenFiles();
  const there = await openTestStorage();
  expect(await there.bundles.importBundle(file, ASKED)).toMatchObject({ type: 'held' });

  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + 3_700_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await sweepWrittenFiles();
  expect(await waiting()).toEqual(new Map());
});

test('an export that was stopped or refused leaves no file', async () => {
  const storage = await openTestStorage();
  const bank = freshBank(52, 200);
  await putBank(storage, bank);
  const stop = new AbortController();
  const stopped = storage.bundles.exportBundle(bank.manifest.id, {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  await expect(stopped).rejects.toThrow();
  expect(await waiting()).toEqual(new Map());
});

test('erasing lessons, a task or everything takes written files along', async () => {
  const storage = await openTestStorage();
  const bank = freshBank(53, 40);
  await putBank(storage, bank);
  await storage.bundles.exportBundle(bank.manifest.id);
  const lesson = bank.entries.flatMap(({ operation }) =>
    operation.type === 'add-lesson' ? [operation.lesson.id] : [],
  )[0];
  await storage.previewLessonErasure(bank.manifest.id, [lesson ?? '']);
  expect((await waiting()).size).toBe(1);
  expect(await storage.eraseLessons(bank.manifest.id, [lesson ?? ''])).toMatchObject({ ok: true });
  expect((await waiting()).size).toBe(0);
  await storage.bundles.exportBundle(bank.manifest.id);
  expect((await waiting()).size).toBe(1);
  expect(await storage.eraseEverything()).toMatchObject({ ok: true });
  expect((await waiting()).size).toBe(0);
});

test('where the disk has no room, the rest of the file stays in memory and is the same', async () => {
  const storage = await openTestStorage();
  const bank = freshBank(54, 60);
  await putBank(storage, bank);
  const first = await storage.bundles.exportBundle(bank.manifest.id);
  const expected = await hashOf(first.file);
  await sweepWrittenFiles({ all: true });
  const session = cdp() as unknown as { send(method: string, about: object): Promise<unknown> };
  const setQuota = (size: object) =>
    session.send('Storage.overrideQuotaForOrigin', { origin: location.origin, ...size });
  onTestFinished(async () => void (await setQuota({})));
  const { usage = 0 } = await navigator.storage.estimate();
  await setQuota({ quotaSize: usage + Math.floor(first.file.size / 2) });
  const again = await storage.bundles.exportBundle(bank.manifest.id);
  const [onDisk = 0] = (await waiting()).values();
  expect(onDisk).toBeLessThan(again.file.size);
  expect(await hashOf(again.file)).toBe(expected);
});
