import { expect, test } from 'vitest';
import { hashBytes } from '../../../src/core/canonical.ts';
import { modelStore } from '../../../src/engine/files/model-store.ts';
import { askedFor, bytesOf, fileOf, flakyEntry, HASH, SIZE } from './flaky-entry.ts';
import { flakyBytes } from './flaky-files.mjs';

const store = modelStore({ headers: {}, now: () => '2026-12-03T00:00:00.000Z' });

test('a download that breaks off at ten drawn bytes goes on each time where it stopped', async () => {
  const model = flakyEntry({ drops: 10 });
  const reached: number[] = [];
  for (let drop = 0; drop < 10; drop += 1) {
    await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-reached' });
    reached.push((await bytesOf(model)).byteLength);
    expect(await store.get(model.id)).toBeUndefined();
  }
  const [partial] = (await store.partial()).filter(({ entry }) => entry.id === model.id);
  expect(partial).toMatchObject({ from: 'download', bytes: reached.at(-1), isBusy: false });
  const told: number[] = [];
  const came: number[] = [];
  const held = await store.add(model, 'download', {
    onProgress(progress) {
      expect(progress).toMatchObject({ of: SIZE, isExact: true, file: 1, files: 1 });
      if (progress.bytes > 0) told.push(progress.bytes);
      came.push(progress.came);
    },
  });
  expect(held.files).toEqual([{ path: 'onnx/model.onnx', bytes: SIZE, sha256: HASH }]);
  expect(hashBytes(await bytesOf(model))).toBe(HASH);
  // Nothing that had come was asked for again.
  expect(reached).toEqual([...reached].sort((first, second) => first - second));
  expect(reached.at(-1)).toBeGreaterThan(SIZE / 2);
  expect(told[0]).toBeGreaterThanOrEqual(reached.at(-1) ?? SIZE);
  expect(told.at(-1)).toBe(SIZE);
  expect(came.at(-1)).toBe(SIZE - (reached.at(-1) ?? 0));
  expect(await store.get(model.id)).toEqual(held);
  expect((await store.partial()).some(({ entry }) => entry.id === model.id)).toBe(false);
});

test('another version of the file begins anew', async () => {
  const model = flakyEntry({ drops: 1 });
  await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-reached' });
  const source = model.source && { ...model.source, revision: 'newer' };
  const held = await store.add({ ...model, source }, 'download');
  expect(held.files[0]?.sha256).toBe(HASH);
});

test('a file that its server replaced midway, tag and all, begins anew', async () => {
  const sha256 = hashBytes(flakyBytes(SIZE, 1));
  const model = flakyEntry({ drops: 1, manner: 'changing', over: { sha256 } });
  await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-reached' });
  expect((await bytesOf(model)).byteLength).toBeGreaterThan(0);
  expect((await store.add(model, 'download')).files[0]?.sha256).toBe(sha256);
});

test('a server that knows no ranges sends the whole file again', async () => {
  const model = flakyEntry({ drops: 2, manner: 'no-ranges' });
  for (let drop = 0; drop < 2; drop += 1) {
    await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-reached' });
  }
  expect((await store.add(model, 'download')).files[0]?.sha256).toBe(HASH);
  expect(await askedFor(model)).toHaveLength(3);
});

test('a cut that looks like the end of the file is noticed by the size, and gone on from', async () => {
  const model = flakyEntry({ drops: 1, manner: 'silent' });
  await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-reached' });
  expect((await store.add(model, 'download')).files[0]?.sha256).toBe(HASH);
  expect((await askedFor(model))[1]).toMatch(/ bytes=\d+-$/u);
});

test('what came whole is not asked for again, also where hashing it was broken off', async () => {
  const model = flakyEntry({ paths: ['config.json', 'onnx/model.onnx'], over: { bytes: null } });
  const stop = new AbortController();
  const stopped = store.add(model, 'download', {
    signal: stop.signal,
    onProgress: ({ file }) => file === 2 && stop.abort(new Error('enough')),
  });
  await expect(stopped).rejects.toThrow('enough');
  await store.add(model, 'download');
  const asked = await askedFor(model);
  expect(asked.filter((path) => path.startsWith('config.json'))).toHaveLength(1);
});

test('a stopped download leaves no model, and goes on later', async () => {
  const model = flakyEntry({ manner: 'slow' });
  const stop = new AbortController();
  const reason = new Error('enough');
  const stopped = store.add(model, 'download', {
    signal: stop.signal,
    onProgress: ({ bytes }) => bytes > 0 && stop.abort(reason),
  });
  await expect(stopped).rejects.toBe(reason);
  expect(await store.get(model.id)).toBeUndefined();
  const came = (await bytesOf(model)).byteLength;
  expect(came).toBeGreaterThan(0);
  expect(came).toBeLessThan(SIZE);
  expect((await store.add(model, 'download')).files[0]?.sha256).toBe(HASH);
  expect((await askedFor(model))[1]).toBe(`onnx/model.onnx bytes=${came}-`);
});

test('what was begun is thrown away on request', async () => {
  const model = flakyEntry({ drops: 1 });
  await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-reached' });
  await store.discard(model.id);
  expect(await fileOf(model)).toBeUndefined();
  expect((await store.partial()).some(({ entry }) => entry.id === model.id)).toBe(false);
});

test('a file of another size or hash is refused with what to do, and not kept', async () => {
  const cases = [
    [{ bytes: SIZE - 1 }, 'its size is another'],
    [{ bytes: SIZE + 1 }, 'its size is another'],
    [{ sha256: '0'.repeat(64) }, 'its hash is another'],
  ] as const;
  for (const [over, words] of cases) {
    const model = flakyEntry({ over });
    const refused = expect(store.add(model, 'download')).rejects;
    await refused.toMatchObject({ code: 'not-the-file', message: expect.stringContaining(words) });
    expect((await bytesOf(model)).byteLength).toBe(0);
    expect(await store.get(model.id)).toBeUndefined();
  }
});

test('what a server refuses is said by its host and path, with what to do', async () => {
  const model = flakyEntry();
  const source = model.source && { ...model.source, repository: 'nothing' };
  await expect(store.add({ ...model, source }, 'download')).rejects.toThrow(
    /answered 404 for .*model\.onnx\. The file is not there any more: look at/u,
  );
});

test('a server that is not there is said by its host', async () => {
  const model = flakyEntry();
  const source = model.source && { ...model.source, host: 'http://127.0.0.1:9' };
  await expect(store.add({ ...model, source }, 'download')).rejects.toMatchObject({
    code: 'not-reached',
    message: expect.stringContaining('127.0.0.1:9 was not reached'),
  });
});
