import { strFromU8 } from 'fflate';
import { describe, expect, test } from 'vitest';
import { hashBytes } from '../../../src/core/canonical.ts';
import { Database } from '../../../src/storage/database.ts';
import { filledBackUp, NOW, readManifest, unzip } from './filled-back-up.ts';
import { contents, fill, freshName, verifyHashes } from './filled.ts';
import { entriesFrom, ids, manifestOf, START } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';

describe('backing up everything', () => {
  test('gives a zip that any tool opens, without secrets, snapshots or staging banks', async () => {
    const { storage, filled } = await filledBackUp();
    const head = { seq: 150, hash: filled.entries.at(-1)?.hash ?? '' };
    await storage.banks.putSnapshot(filled.manifest.id, {
      head,
      groups: 'groups-of-the-snapshot',
      structure: { nodes: 1, state: '{}', pieces: ['structure-of-the-snapshot'] },
      texts: ['text-of-the-snapshot'],
    });
    const stagingId = ids.next();
    await storage.banks.createStaging(stagingId, manifestOf('half-imported'));
    await storage.banks.append(stagingId, START, entriesFrom(START, 5));
    const progress: number[] = [];
    const { file, rows, images, leftOut } = await storage.backUp({
      now: NOW,
      onProgress: ({ done, total }) => progress.push(done / total),
    });
    const files = await unzip(file);
    const text = Object.values(files)
      .map((bytes) => strFromU8(bytes))
      .join('\n');
    for (const kept of ['sk-do-not-leak', 'of-the-snapshot', 'half-imported', stagingId]) {
      expect(text).not.toContain(kept);
    }
    const manifest = readManifest(files);
    expect(manifest).toMatchObject({
      format: 'grove-backup',
      formatVersion: 1,
      createdAt: NOW,
    });
    const counts = Object.fromEntries(manifest.tables.map((entry) => [entry.table, entry.rows]));
    expect(counts).toEqual({
      banks: 2,
      logChunks: 3,
      tasks: 2,
      references: 2,
      runs: 2,
      runEvents: 4,
      calls: 2,
      drafts: 1,
      settings: 1,
      ledger: 2,
      blobs: 5,
    });
    expect({ rows, images, leftOut }).toEqual({ rows: 21, images: 5, leftOut: [] });
    expect(hashBytes(files[`blobs/${filled.images.own}`] ?? new Uint8Array())).toBe(
      filled.images.own,
    );
    expect(progress.toSorted((a, b) => a - b)).toEqual(progress);
    expect(progress.at(-1)).toBe(1);
  });

  test('stops when it is aborted, with the reason it was given', async () => {
    const { storage } = await filledBackUp();
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const stopped = storage.backUp({
      now: NOW,
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(stopped).rejects.toBe(reason);
    expect((await storage.backUp({ now: NOW })).images).toBe(5);
  });
});

describe('restoring', () => {
  test('after erasing gives back every row, byte for byte', async () => {
    const { name, storage, file } = await filledBackUp();
    await storage.settings.remove('secret.endpoint.a');
    const before = await contents(name);
    await storage.eraseEverything();
    const progress: number[] = [];
    const outcome = await storage.restore(file, {
      mode: 'replace',
      verify: verifyHashes,
      onProgress: ({ done, total }) => progress.push(done / total),
    });
    expect(outcome).toEqual({
      ok: true,
      value: { createdAt: NOW, records: 26, keptBanks: [] },
    });
    expect(await contents(name)).toEqual(before);
    expect(progress.at(-1)).toBe(1);
  });

  test('in place of other data leaves the back-up’s rows and this browser’s secrets', async () => {
    const { file, name: source } = await filledBackUp();
    const name = freshName();
    const storage = await openTestStorage({ name });
    await fill(storage, 10);
    await storage.settings.set('secret.endpoint.a', 'the key of this browser');
    expect(await storage.restore(file, { mode: 'replace' })).toMatchObject({ ok: true });
    expect(await storage.settings.get('secret.endpoint.a')).toBe('the key of this browser');
    const [there, here] = [await contents(source), await contents(name)];
    expect({ ...here, settings: [] }).toEqual({ ...there, settings: [] });
  });

  test('goes on with the bank it restored', async () => {
    const { storage, filled, file } = await filledBackUp();
    await storage.eraseEverything();
    await storage.restore(file, { mode: 'replace' });
    const head = { seq: 150, hash: filled.entries.at(-1)?.hash ?? '' };
    await storage.banks.append(filled.manifest.id, head, entriesFrom(head, 100));
    expect(await storage.banks.readLog(filled.manifest.id, 0)).toHaveLength(250);
  });

  test('stops when it is aborted and changes nothing', async () => {
    const { name, storage, file } = await filledBackUp();
    await storage.settings.set('theme', 'light');
    const before = await contents(name);
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const stopped = storage.restore(file, {
      mode: 'replace',
      signal: controller.signal,
      onProgress: ({ done }) => done > 10 && controller.abort(reason),
    });
    await expect(stopped).rejects.toBe(reason);
    expect(await contents(name)).toEqual(before);
  });

  test('that never ended is tidied up when storage opens again', async () => {
    const name = freshName();
    const { close } = await openTestStorage({ name });
    const raw = new Database({ name });
    await raw.open();
    await raw.staged.add({ restoreId: 'crashed', index: 0, table: 'runs', rows: [] });
    raw.close();
    await close();
    await openTestStorage({ name });
    expect((await contents(name))['staged']).toEqual([]);
  });

  test('is refused while a run goes on', async () => {
    const { name, storage, filled, file } = await filledBackUp();
    const before = await contents(name);
    const outcome = await storage.withRunLock(filled.firstRun.id, () =>
      storage.restore(file, { mode: 'replace' }),
    );
    expect(outcome).toMatchObject({
      value: { ok: false, refusal: { reason: 'held-by-this-page' } },
    });
    expect(await contents(name)).toEqual(before);
  });
});

describe('merging', () => {
  test('the same back-up twice changes nothing the second time', async () => {
    const { file } = await filledBackUp();
    const name = freshName();
    const storage = await openTestStorage({ name });
    await fill(storage, 10);
    expect(await storage.restore(file, { mode: 'merge' })).toMatchObject({ ok: true });
    const once = await contents(name);
    expect(once['banks']).toHaveLength(4);
    expect(once['runs']).toHaveLength(4);
    // Both have the same two tasks and five images: content-addressed, so one of each.
    expect(once['tasks']).toHaveLength(2);
    expect(once['blobs']).toHaveLength(5);
    expect(await storage.restore(file, { mode: 'merge' })).toMatchObject({ ok: true });
    expect(await contents(name)).toEqual(once);
  });

  test('keeps settings, decided lessons and the ledger as they are here', async () => {
    const { storage, filled, file } = await filledBackUp();
    await storage.settings.set('theme', 'light');
    await storage.runs.deleteDraft(filled.draft.id);
    await storage.ledger.clear();
    await storage.restore(file, { mode: 'merge' });
    expect(await storage.settings.get('theme')).toBe('light');
    expect(await storage.runs.listDrafts(filled.manifest.id)).toEqual([]);
    expect(await storage.ledger.list(10)).toEqual([]);
  });

  test('carries a bank further where the file has more of the same log, and never back', async () => {
    const { storage, filled, file } = await filledBackUp();
    const { manifest, entries } = filled;
    const other = await openTestStorage({ name: freshName() });
    await other.banks.createBank(manifest);
    await other.banks.append(manifest.id, START, entries.slice(0, 100));
    expect(await other.restore(file, { mode: 'merge' })).toMatchObject({
      ok: true,
      value: { keptBanks: [] },
    });
    expect(await other.banks.readLog(manifest.id, 0)).toEqual(entries);
    const head = { seq: 150, hash: entries.at(-1)?.hash ?? '' };
    await storage.banks.append(manifest.id, head, entriesFrom(head, 70));
    expect(await storage.restore(file, { mode: 'merge' })).toMatchObject({
      ok: true,
      value: { keptBanks: [] },
    });
    expect(await storage.banks.readLog(manifest.id, 0)).toHaveLength(220);
  });

  test('keeps the bank that is here where the two went different ways, and names it', async () => {
    const { filled, file } = await filledBackUp();
    for (const count of [100, 150, 200]) {
      const other = await openTestStorage({ name: freshName() });
      await other.banks.createBank(filled.manifest);
      const ours = entriesFrom(START, count);
      await other.banks.append(filled.manifest.id, START, ours);
      expect(await other.restore(file, { mode: 'merge' })).toMatchObject({
        ok: true,
        value: { keptBanks: ['Metro'] },
      });
      expect(await other.banks.readLog(filled.manifest.id, 0)).toEqual(ours);
    }
  });

  test('keeps a run that is here whole', async () => {
    const { storage, filled, file } = await filledBackUp();
    await storage.runs.putEvent(filled.firstRun.id, 1, {
      type: 'run-finish',
      end: 'stopped',
      answer: null,
      attempts: 1,
    });
    const before = await storage.runs.getEvents(filled.firstRun.id);
    await storage.restore(file, { mode: 'merge' });
    expect(await storage.runs.getEvents(filled.firstRun.id)).toEqual(before);
  });
});
