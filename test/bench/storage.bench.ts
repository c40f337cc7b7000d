/** Storage at size, on the real IndexedDB of the browser this runs in. */
import { openStorage, type GroveStorage } from '../../src/storage/open-storage.ts';
import {
  callOf,
  deleteDatabase,
  entriesFrom,
  ids,
  manifestOf,
  START,
} from '../browser/storage/material.ts';

/** One measured number. */
export interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const MEBIBYTE = 1 << 20;

/** Measures storage; `full` takes ten times the entries. Needs a browser, and leaves nothing in it. */
export async function run(full: boolean): Promise<readonly Measure[]> {
  const name = `bench-${ids.next()}`;
  const storage = await openStorage({ name });
  try {
    return [
      ...(await durability('strict')),
      ...(await durability('relaxed')),
      await oneByOne(storage, full ? 10_000 : 1000),
      ...(await openLog(storage, full ? 100_000 : 10_000)),
      await journal(storage),
      ...(await backUpAndRestore(storage)),
    ];
  } finally {
    await storage.close();
    await deleteDatabase(name);
  }
}

const count = (value: number) => value.toLocaleString('en');

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[values.length >> 1] ?? 0;
}

/** One small row per transaction, by IndexedDB itself: what waiting for the disk costs a write. */
async function durability(kind: IDBTransactionDurability): Promise<Measure[]> {
  const name = `bench-${ids.next()}`;
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.result.createObjectStore('rows');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('not opened'));
  });
  const row = callOf('run', 0, 'image');
  const times: number[] = [];
  for (let key = 0; key < 200; key += 1) {
    const write = () =>
      new Promise<void>((resolve, reject) => {
        const transaction = database.transaction('rows', 'readwrite', { durability: kind });
        transaction.objectStore('rows').put(row, key);
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
      });
    times.push(await time(write));
  }
  database.close();
  await deleteDatabase(name);
  return [{ name: `one write, ${kind} (median of 200)`, value: median(times), unit: 'ms' }];
}

async function oneByOne({ banks }: GroveStorage, length: number): Promise<Measure> {
  const manifest = manifestOf('One by one');
  await banks.createBank(manifest);
  const entries = entriesFrom(START, length);
  let head = START;
  const value = await time(async () => {
    for (const entry of entries) head = await banks.append(manifest.id, head, [entry]);
  });
  return { name: `append ${count(length)} entries one by one`, value, unit: 'ms' };
}

async function openLog({ banks }: GroveStorage, length: number): Promise<Measure[]> {
  const manifest = manifestOf('Large');
  await banks.createBank(manifest);
  const entries = entriesFrom(START, length);
  const wrote = await time(() => banks.append(manifest.id, START, entries));
  const read = await time(() => banks.readLog(manifest.id, 0));
  return [
    { name: `append ${count(length)} entries at once`, value: wrote, unit: 'ms' },
    { name: `read a log of ${count(length)} entries`, value: read, unit: 'ms' },
  ];
}

async function journal({ journal: calls }: GroveStorage): Promise<Measure> {
  const times: number[] = [];
  for (let ordinal = 0; ordinal < 200; ordinal += 1) {
    times.push(await time(() => calls.record(callOf('run', ordinal, 'image'))));
  }
  return { name: 'record a call (median of 200)', value: median(times), unit: 'ms' };
}

async function backUpAndRestore(storage: GroveStorage): Promise<Measure[]> {
  let file = new Blob();
  const wrote = await time(async () => {
    ({ file } = await storage.backUp({ now: '2026-01-01T00:00:00.000Z' }));
  });
  const read = await time(() => storage.restore(file, { mode: 'replace' }));
  return [
    { name: 'back up everything', value: wrote, unit: 'ms' },
    { name: 'size of that back-up', value: file.size / MEBIBYTE, unit: 'MB' },
    { name: 'restore it', value: read, unit: 'ms' },
  ];
}
