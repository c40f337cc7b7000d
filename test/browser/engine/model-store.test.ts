import { expect, test } from 'vitest';
import { hashBytes } from '../../../src/core/canonical.ts';
import type { ModelEntry } from '../../../src/core/models/model-entry.ts';
import { modelFile, modelFolder } from '../../../src/engine/model-folder.ts';
import { modelStore } from '../../../src/engine/model-store.ts';
import { flakyBytes } from './flaky-files.mjs';

const NOW = '2026-12-03T00:00:00.000Z';
const SIZE = 3_000_000;
const HASH = hashBytes(flakyBytes(SIZE));

const store = modelStore({ headers: {}, now: () => NOW });

let made = 0;

/** A model whose only file is downloaded from `flaky-files.mjs`. */
function entry(drops: number, over: Partial<ModelEntry['files'][number]> = {}): ModelEntry {
  made += 1;
  const name = `m${made}`;
  return {
    id: `flaky-${name}`,
    name: `Flaky ${name}`,
    roles: ['encoder'],
    runtime: 'transformers',
    source: {
      host: `${location.origin}/flaky`,
      repository: `${SIZE}-${drops}-${name}`,
      revision: 'main',
    },
    dtype: 'fp32',
    files: [{ path: 'onnx/model.onnx', bytes: SIZE, sha256: HASH, ...over }],
    approximateBytes: SIZE,
    encoder: { dimension: 32, pooling: 'mean', queryPrefix: '', passagePrefix: '', context: 128 },
    licence: 'none',
    notes: '',
  };
}

async function bytesOf({ id, files }: ModelEntry): Promise<Uint8Array> {
  const folder = await modelFolder(id);
  const handle = folder && (await modelFile(folder, files[0]?.path ?? ''));
  return new Uint8Array((await (await handle?.getFile())?.arrayBuffer()) ?? new ArrayBuffer());
}

test('a download that breaks off ten times goes on each time where it stopped', async () => {
  const model = entry(10);
  const reached: number[] = [];
  for (let drop = 0; drop < 10; drop += 1) {
    await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-reached' });
    reached.push((await bytesOf(model)).byteLength);
    expect(await store.get(model.id)).toBeUndefined();
  }
  const told: number[] = [];
  const held = await store.add(model, 'download', { onProgress: ({ bytes }) => told.push(bytes) });
  expect(held.files).toEqual([{ path: 'onnx/model.onnx', bytes: SIZE, sha256: HASH }]);
  expect(hashBytes(await bytesOf(model))).toBe(HASH);
  // Nothing that had come was asked for again.
  expect(reached).toEqual([...reached].sort((first, second) => first - second));
  expect(reached.at(-1)).toBeGreaterThan(SIZE / 2);
  expect(told[0]).toBeGreaterThanOrEqual(reached.at(-1) ?? SIZE);
  expect(await store.get(model.id)).toEqual(held);
}, 60_000);

test('another version of the file begins anew', async () => {
  const model = entry(1);
  await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-reached' });
  const source = model.source && { ...model.source, revision: 'newer' };
  const held = await store.add({ ...model, source }, 'download');
  expect(held.files[0]?.sha256).toBe(HASH);
});

test('a stopped download leaves no model, and goes on later', async () => {
  const model = entry(0);
  const stop = new AbortController();
  const reason = new Error('enough');
  const stopped = store.add(model, 'download', {
    signal: stop.signal,
    onProgress: () => stop.abort(reason),
  });
  await expect(stopped).rejects.toBe(reason);
  expect(await store.get(model.id)).toBeUndefined();
  expect((await store.add(model, 'download')).files[0]?.sha256).toBe(HASH);
});

test('a file of another size or hash is refused, and not kept', async () => {
  for (const over of [{ bytes: SIZE - 1 }, { sha256: '0'.repeat(64) }]) {
    const model = entry(0, over);
    await expect(store.add(model, 'download')).rejects.toMatchObject({ code: 'not-the-file' });
    expect((await bytesOf(model)).byteLength).toBe(0);
    expect(await store.get(model.id)).toBeUndefined();
  }
});

test('what a server refuses is said by its host and path', async () => {
  const model = entry(0);
  const source = model.source && { ...model.source, repository: 'nothing' };
  await expect(store.add({ ...model, source }, 'download')).rejects.toThrow(/answered 404 for/u);
});

test('a model from a person’s files is listed; one that was removed can be put back until the sweep', async () => {
  const model = { ...entry(0), source: null };
  const file = new Blob([flakyBytes(SIZE)]);
  await expect(store.add(model, new Map())).rejects.toMatchObject({ code: 'missing' });
  const held = await store.add(model, new Map([['onnx/model.onnx', file]]));
  expect(await store.list()).toContainEqual(held);
  await store.forget(model.id);
  expect(await store.get(model.id)).toBeUndefined();
  await store.putBack(held);
  await store.sweep();
  expect(await store.get(model.id)).toEqual(held);
  await store.forget(model.id);
  await store.sweep();
  await store.putBack(held);
  expect(await store.get(model.id)).toBeUndefined();
});

test('a model whose file the browser has cleared is none', async () => {
  const model = entry(0);
  await store.add(model, 'download');
  const folder = await modelFolder(model.id);
  const inside = await folder?.getDirectoryHandle('onnx');
  await inside?.removeEntry('model.onnx');
  expect(await store.get(model.id)).toBeUndefined();
});
