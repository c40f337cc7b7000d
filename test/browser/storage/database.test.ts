import type { Transaction } from 'dexie';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  SCHEMA_VERSION,
  SCHEMA_VERSIONS,
  type SchemaVersion,
} from '../../../src/storage/database.ts';
import type { SettingRow } from '../../../src/storage/rows.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import fixture from './fixtures/version-1.json';
import { deleteDatabase, ids } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';

const [bank] = fixture.stores.banks.rows;
const [run] = fixture.stores.runs.rows;
/** As it is read now: recall was by words before there was a choice. */
const RUN = { ...run?.run, config: { ...run?.run.config, recallMode: 'bm25' } };
const [task] = fixture.stores.tasks.rows;

/** Writes the fixture with IndexedDB itself, none of Grove's code in between. */
function writeFixture(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, fixture.nativeVersion);
    request.onupgradeneeded = () => {
      for (const [table, store] of Object.entries(fixture.stores)) {
        const { keyPath, autoIncrement } = store;
        const made = request.result.createObjectStore(table, { keyPath, autoIncrement });
        for (const index of store.indexes) {
          made.createIndex(index.name, index.keyPath, { multiEntry: index.multiEntry });
        }
        for (const row of store.rows) made.add(row);
      }
    };
    request.onsuccess = () => {
      request.result.close();
      resolve();
    };
    request.onerror = () => reject(request.error ?? new Error('not written'));
  });
}

/** A raw connection that never lets go by itself. */
function holdOpen(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('not opened'));
  });
}

/** A later schema: another index on runs, and a setting that is named anew. */
const LATER: SchemaVersion = {
  version: SCHEMA_VERSION + 1,
  stores: { runs: 'id, taskId, bankId, [createdAt+id], run.status' },
  async upgrade(transaction: Transaction) {
    const settings = transaction.table<SettingRow, string>('settings');
    const theme = await settings.get('theme');
    if (theme !== undefined) await settings.add({ key: 'appearance', value: theme.value });
    await settings.delete('theme');
  },
};

function fresh(): string {
  const name = `test-${ids.next()}`;
  onTestFinished(() => deleteDatabase(name));
  return name;
}

describe('a database written as version 1', () => {
  test('is read whole by this Grove', async () => {
    const name = fresh();
    await writeFixture(name);
    const storage = await openTestStorage({ name });
    expect(await storage.banks.listBanks()).toEqual([
      { manifest: bank?.manifest, head: bank?.head },
    ]);
    expect(await storage.banks.readLog(bank?.id ?? '', 0)).toEqual(
      fixture.stores.logChunks.rows[0]?.entries,
    );
    // Its snapshot has an older form: the log tells it all, and a new one is left.
    expect(await storage.banks.readStructure(bank?.id ?? '')).toBeUndefined();
    expect(await storage.runs.listRuns(10)).toEqual([RUN]);
    expect(await storage.runs.getEvents(run?.id ?? '')).toHaveLength(1);
    expect(await storage.runs.getTask(task?.id ?? '')).toEqual(task?.task);
    expect(await storage.references.getReference(task?.id ?? '')).toMatchObject({ answers: ['7'] });
    expect(await storage.ledger.list(10)).toHaveLength(1);
  });

  test('is upgraded by a later schema with nothing lost', async () => {
    const name = fresh();
    await writeFixture(name);
    const storage = await openTestStorage({ name, versions: [...SCHEMA_VERSIONS, LATER] });
    expect(await storage.settings.get('appearance')).toBe('dark');
    expect(await storage.settings.get('theme')).toBeUndefined();
    expect(await storage.runs.listRuns(10)).toEqual([RUN]);
    expect(await storage.banks.readLog(bank?.id ?? '', 0)).toHaveLength(1);
    const raw = await holdOpen(name);
    expect([...raw.transaction('runs').objectStore('runs').indexNames]).toContain('run.status');
    raw.close();
  });

  test('stays as it was where an upgrade fails', async () => {
    const name = fresh();
    await writeFixture(name);
    const broken: SchemaVersion = {
      ...LATER,
      async upgrade(transaction) {
        await transaction.table('settings').clear();
        throw new Error('the upgrade fails');
      },
    };
    const opening = openStorage({ name, versions: [...SCHEMA_VERSIONS, broken] });
    await expect(opening).rejects.toMatchObject({ name: 'StorageError', code: 'failed' });
    const storage = await openTestStorage({ name });
    expect(await storage.settings.get('theme')).toBe('dark');
  });
});

test('a database of a newer Grove is refused untouched', async () => {
  const name = fresh();
  const newer = await openStorage({ name, versions: [...SCHEMA_VERSIONS, LATER] });
  await newer.settings.set('appearance', 'dark');
  await newer.close();
  const opening = openStorage({ name });
  await expect(opening).rejects.toMatchObject({ name: 'StorageError', code: 'newer-version' });
  await expect(opening).rejects.toThrow('written by a newer Grove');
  const raw = await holdOpen(name);
  expect(raw.version).toBe(LATER.version * 10);
  raw.close();
});

test('a page lets a newer Grove upgrade, is told, and writes nothing more', async () => {
  const name = fresh();
  let told = 0;
  const old = await openTestStorage({ name, onSuperseded: () => (told += 1) });
  await old.settings.set('theme', 'dark');
  const newer = await openTestStorage({ name, versions: [...SCHEMA_VERSIONS, LATER] });
  expect(told).toBe(1);
  await expect(old.settings.set('theme', 'light')).rejects.toMatchObject({ code: 'closed' });
  expect(await newer.settings.get('appearance')).toBe('dark');
});

test('a page that waits for another to let go is told, and goes on when it does', async () => {
  const name = fresh();
  await writeFixture(name);
  const stubborn = await holdOpen(name);
  const blocked = Promise.withResolvers<void>();
  const opening = openTestStorage({
    name,
    versions: [...SCHEMA_VERSIONS, LATER],
    onBlocked: () => blocked.resolve(),
  });
  await blocked.promise;
  stubborn.close();
  const storage = await opening;
  expect(await storage.settings.get('appearance')).toBe('dark');
});
