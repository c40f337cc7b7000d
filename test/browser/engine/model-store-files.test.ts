import { expect, test } from 'vitest';
import type { EncoderEntry } from '../../../src/core/models/model-entry.ts';
import { BringError, writeAll } from '../../../src/engine/files/file-writing.ts';
import { alone } from '../../../src/engine/files/model-lock.ts';
import {
  filesOf,
  modelFolder,
  newModelFile,
  removeFrom,
  writeJson,
} from '../../../src/engine/files/model-folder.ts';
import { pathIn, readRecord } from '../../../src/engine/files/model-records.ts';
import { modelStore } from '../../../src/engine/files/model-store.ts';
import { askedFor, bytesOf, damage, fileOf, flakyEntry, HASH, SIZE } from './flaky-entry.ts';
import { flakyBytes } from './flaky-files.mjs';

const NOW = '2026-12-03T00:00:00.000Z';
const store = modelStore({ headers: {}, now: () => NOW });
const FILE = new Blob([flakyBytes(SIZE)]);

const damagedOf = async ({ id }: EncoderEntry) =>
  (await store.damaged()).find(({ model }) => model.entry.id === id)?.damaged;

test('a model from a person’s files is listed; one that was removed can be put back until the sweep', async () => {
  const model = { ...flakyEntry(), source: null };
  await expect(store.add(model, new Map())).rejects.toMatchObject({ code: 'missing' });
  const held = await store.add(model, new Map([['onnx/model.onnx', FILE]]));
  expect(held).toMatchObject({ addedAt: NOW, checkedAt: NOW });
  expect(await store.list()).toContainEqual(held);
  await store.forget(model.id);
  expect(await store.get(model.id)).toBeUndefined();
  expect(await store.putBack(model.id)).toBe(true);
  await store.sweep();
  expect(await store.get(model.id)).toEqual(held);
  await store.forget(model.id);
  await store.sweep(model.id);
  expect(await store.putBack(model.id)).toBe(false);
  expect(await store.get(model.id)).toBeUndefined();
  expect(await modelFolder(model.id)).toBeUndefined();
});

test('a model stays as it is while another of its name comes in, and where that fails', async () => {
  const model = flakyEntry();
  const held = await store.add(model, 'download');
  const other = { ...flakyEntry({ drops: 1 }), id: model.id };
  await expect(store.add(other, 'download')).rejects.toMatchObject({ code: 'not-reached' });
  expect(await store.get(model.id)).toEqual(held);
  expect(await (await filesOf(model)).get('onnx/model.onnx')?.arrayBuffer()).toHaveProperty(
    'byteLength',
    SIZE,
  );
  const next = await store.add(other, 'download');
  expect(await store.get(model.id)).toEqual(next);
  expect(next.entry.name).toBe(other.name);
  // Of the old one nothing is left.
  const names: string[] = [];
  for await (const name of (await modelFolder(model.id))?.keys() ?? []) names.push(name);
  expect(names).toHaveLength(2);
});

test('a file that was cut short is seen at once, a changed one by the check; each is repaired alone', async () => {
  const paths = ['config.json', 'onnx/model.onnx', 'tokenizer.json'];
  const model = flakyEntry({ paths });
  const held = await store.add(model, 'download');
  await damage(model, 'cut', 'tokenizer.json');
  expect(await store.get(model.id)).toBeUndefined();
  expect(await damagedOf(model)).toEqual([{ path: 'tokenizer.json', why: 'size' }]);
  await damage(model, 'change', 'onnx/model.onnx');
  const told: number[] = [];
  const found = await store.verify(model.id, { onProgress: ({ bytes }) => told.push(bytes) });
  expect(found).toEqual([
    { path: 'tokenizer.json', why: 'size' },
    { path: 'onnx/model.onnx', why: 'hash' },
  ]);
  expect(told.at(-1)).toBe(2 * SIZE);
  // What the check found is known from then on, without another.
  expect(await damagedOf(model)).toHaveLength(2);
  const before = (await askedFor(model)).length;
  await store.repair(model.id, 'download');
  expect((await askedFor(model)).slice(before)).toEqual(['onnx/model.onnx', 'tokenizer.json']);
  expect(await store.get(model.id)).toEqual(held);
  expect(await store.verify(model.id)).toEqual([]);
});

test('a repair from given files asks for what is missing, and takes no other file', async () => {
  const model = flakyEntry({ drops: 0 });
  await store.add(model, new Map([['onnx/model.onnx', FILE]]));
  const record = await readRecord(model.id);
  await removeFrom(model.id, pathIn(record ?? { in: '' }, 'onnx/model.onnx'));
  expect(await damagedOf(model)).toEqual([{ path: 'onnx/model.onnx', why: 'gone' }]);
  await expect(store.repair(model.id, new Map())).rejects.toMatchObject({ code: 'missing' });
  const wrong = new Map([['onnx/model.onnx', new Blob(['something else'])]]);
  await expect(store.repair(model.id, wrong)).rejects.toMatchObject({ code: 'not-the-file' });
  await store.repair(model.id, new Map([['onnx/model.onnx', FILE]]));
  expect((await store.get(model.id))?.files[0]?.sha256).toBe(HASH);
});

test('a check can be stopped, and then nothing is said of the model', async () => {
  const model = flakyEntry({ paths: ['a.json', 'b.json'] });
  const held = await store.add(model, 'download');
  const stop = new AbortController();
  const stopped = store.verify(model.id, {
    signal: stop.signal,
    onProgress: ({ file }) => file === 2 && stop.abort(new Error('enough')),
  });
  await expect(stopped).rejects.toThrow('enough');
  expect(await store.get(model.id)).toEqual(held);
});

test('while another tab works on a model, this one is refused with what to do', async () => {
  const model = flakyEntry();
  await alone(model.id, async () => {
    for (const work of [
      store.add(model, 'download'),
      store.verify(model.id),
      store.repair(model.id, 'download'),
      store.discard(model.id),
      store.forget(model.id),
    ]) {
      await expect(work).rejects.toMatchObject({
        code: 'busy',
        message: expect.stringContaining('Another tab of Grove is at work'),
      });
    }
  });
  expect((await store.add(model, 'download')).files).toHaveLength(1);
});

test('the record of an older Grove, whose files lie beside it, keeps loading', async () => {
  const model = flakyEntry();
  const folder = await modelFolder(model.id, { create: true });
  if (folder === undefined) throw new Error('it was just made');
  const writable = await (await newModelFile(folder, 'onnx/model.onnx')).createWritable();
  await writable.write(FILE);
  await writable.close();
  const files = [{ path: 'onnx/model.onnx', bytes: SIZE, sha256: HASH }];
  await writeJson(model.id, 'grove.json', { entry: model, files, addedAt: NOW });
  expect(await store.get(model.id)).toEqual({ entry: model, files, addedAt: NOW, checkedAt: null });
  expect((await filesOf(model)).get('onnx/model.onnx')?.size).toBe(SIZE);
  await store.sweep();
  expect(await store.verify(model.id)).toEqual([]);
  expect((await store.get(model.id))?.checkedAt).toBe(NOW);
  // A newer one takes its place.
  await store.add(model, 'download');
  expect((await bytesOf(model)).byteLength).toBe(SIZE);
  await expect(folder.getDirectoryHandle('onnx')).rejects.toThrow();
  expect(await fileOf(model)).toBeDefined();
});

test('a write that does not fit, wholly or at all, is told as no room', () => {
  const full = new DOMException('', 'QuotaExceededError');
  const disks = [
    { write: () => 10 },
    {
      write: () => {
        throw full;
      },
    },
  ];
  for (const disk of disks) {
    expect(() => writeAll(disk, new Uint8Array(20), 0)).toThrow(BringError);
    expect(() => writeAll(disk, new Uint8Array(20), 0)).toThrow('gives Grove no more room');
  }
});
