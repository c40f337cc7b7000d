import { Dexie } from 'dexie';
import { describe, expect, test } from 'vitest';
import type { BankSnapshot } from '../../../src/core/ports.ts';
import { Database } from '../../../src/storage/database.ts';
import { draftOf, entriesFrom, headOf, ids, manifestOf, START } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';

describe('a bank', () => {
  test('begins empty and is listed', async () => {
    const { banks } = await openTestStorage();
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    expect(await banks.listBanks()).toEqual([{ manifest, head: START }]);
    expect(await banks.getBank(manifest.id)).toEqual({ manifest, head: START });
    expect(await banks.readLog(manifest.id, 0)).toEqual([]);
    await expect(banks.createBank(manifest)).rejects.toMatchObject({ code: 'failed' });
    expect(await banks.getBank('another')).toBeUndefined();
    await expect(banks.readLog('another', 0)).rejects.toMatchObject({ code: 'not-found' });
  });

  test('reads back what was appended in pieces of any size', async () => {
    const name = `test-${ids.next()}`;
    const { banks } = await openTestStorage({ name });
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const entries = entriesFrom(START, 300);
    let at = 0;
    for (const size of [1, 62, 1, 1, 63, 64, 65, 43]) {
      const piece = entries.slice(at, at + size);
      const before = headOf(entries.slice(0, at));
      expect(await banks.append(manifest.id, before, piece)).toEqual(headOf(piece));
      at += size;
    }
    expect(await banks.readLog(manifest.id, 0)).toEqual(entries);
    for (const after of [1, 63, 64, 65, 128, 299, 300]) {
      expect(await banks.readLog(manifest.id, after)).toEqual(entries.slice(after));
    }
    const raw = new Database({ name });
    await raw.open();
    const sizes = (await raw.logChunks.toArray()).map((chunk) => chunk.entries.length);
    raw.close();
    expect(sizes).toEqual([64, 64, 64, 64, 44]);
  });

  test('refuses entries that do not carry on its log, and stays as it was', async () => {
    const { banks } = await openTestStorage();
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const entries = entriesFrom(START, 3);
    await expect(banks.append(manifest.id, START, entries.slice(1))).rejects.toMatchObject({
      code: 'corrupt',
    });
    const forged = entries.map((entry, at) => (at === 2 ? { ...entry, prev: 'x' } : entry));
    await expect(banks.append(manifest.id, START, forged)).rejects.toMatchObject({
      code: 'corrupt',
    });
    expect(await banks.getBank(manifest.id)).toMatchObject({ head: START });
    expect(await banks.readLog(manifest.id, 0)).toEqual([]);
  });

  test('takes one of two appends from two tabs; the other learns that the head moved', async () => {
    const name = `test-${ids.next()}`;
    const tabs = [await openTestStorage({ name }), await openTestStorage({ name })] as const;
    const manifest = manifestOf('Metro');
    await tabs[0].banks.createBank(manifest);
    let head = START;
    for (let round = 0; round < 20; round += 1) {
      const entries = entriesFrom(head, 1 + (round % 3));
      const outcomes = await Promise.allSettled(
        tabs.map((tab) => tab.banks.append(manifest.id, head, entries)),
      );
      const won = outcomes.filter(({ status }) => status === 'fulfilled');
      const lost = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason] : [],
      );
      expect(won).toHaveLength(1);
      expect(lost).toMatchObject([{ name: 'StorageError', code: 'head-moved' }]);
      head = headOf(entries);
    }
    expect(await tabs[1].banks.getBank(manifest.id)).toMatchObject({ head });
    expect(await tabs[1].banks.readLog(manifest.id, 0)).toHaveLength(head.seq);
  });

  test('of 10,000 entries opens by reading 157 chunks', async () => {
    const name = `test-${ids.next()}`;
    const { banks } = await openTestStorage({ name });
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const entries = entriesFrom(START, 10_000);
    await banks.append(manifest.id, START, entries);
    const read = await banks.readLog(manifest.id, 0);
    expect(headOf(read)).toEqual(headOf(entries));
    expect(read).toHaveLength(10_000);
    const raw = new Database({ name });
    await raw.open();
    expect(await raw.logChunks.count()).toBe(157);
    raw.close();
  }, 30_000);

  test('whose chunk is missing is refused as damaged', async () => {
    const name = `test-${ids.next()}`;
    const { banks } = await openTestStorage({ name });
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    await banks.append(manifest.id, START, entriesFrom(START, 100));
    const raw = new Database({ name });
    await raw.open();
    await raw.logChunks.delete([manifest.id, 1]);
    raw.close();
    await expect(banks.readLog(manifest.id, 0)).rejects.toMatchObject({ code: 'corrupt' });
    const head = (await banks.getBank(manifest.id))?.head ?? START;
    await expect(banks.append(manifest.id, head, entriesFrom(head, 1))).rejects.toMatchObject({
      code: 'corrupt',
    });
  });

  test('takes another name and another privacy, and its log stays as it is', async () => {
    const { banks } = await openTestStorage();
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const head = await banks.append(manifest.id, START, entriesFrom(START, 3));
    await banks.changeSettings(manifest.id, { name: 'Maps', localOnly: true });
    const changed = { ...manifest, name: 'Maps', localOnly: true };
    expect(await banks.getBank(manifest.id)).toEqual({ manifest: changed, head });
    expect(await banks.readLog(manifest.id, 0)).toHaveLength(3);
    await expect(banks.changeSettings('another', changed)).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  test('goes with its log, snapshot and inbox', async () => {
    const name = `test-${ids.next()}`;
    const { banks, runs } = await openTestStorage({ name });
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const head = await banks.append(manifest.id, START, entriesFrom(START, 100));
    await banks.putSnapshot(manifest.id, { head, ...snapshotOf('a') });
    await runs.putDraft(draftOf('run', manifest.id, 1, null));
    await banks.deleteBank(manifest.id);
    expect(await banks.listBanks()).toEqual([]);
    const raw = new Database({ name });
    await raw.open();
    const counts = await Promise.all(raw.tables.map((table) => table.count()));
    raw.close();
    expect(counts.every((count) => count === 0)).toBe(true);
  });
});

describe('a snapshot', () => {
  test('comes back as groups, as structure alone, and text by text', async () => {
    const { banks } = await openTestStorage();
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    expect(await banks.readStructure(manifest.id)).toBeUndefined();
    const head = await banks.append(manifest.id, START, entriesFrom(START, 70));
    const words = Array.from({ length: 30 }, (_, at) => `w${at}`);
    const { groups, structure, texts } = snapshotOf(...words);
    await banks.putSnapshot(manifest.id, { head, groups, structure, texts });
    expect(await banks.readGroups(manifest.id)).toEqual({ nodes: 30, groups });
    expect(await banks.readStructure(manifest.id)).toEqual({ head, structure });
    for (const [from, to] of [
      [0, 30],
      [0, 1],
      [7, 12],
      [29, 30],
    ] as const) {
      const found = await banks.readTexts(manifest.id, head, { from, to });
      expect(found).toEqual(texts.slice(from, to));
    }
    expect(await banks.readTexts(manifest.id, head, { from: 29, to: 31 })).toBeUndefined();
    const other = { seq: 70, hash: 'x' };
    expect(await banks.readTexts(manifest.id, other, { from: 0, to: 1 })).toBeUndefined();
  });

  test('is replaced by a newer one, never by an older one, and must name an entry of the log', async () => {
    const { banks } = await openTestStorage();
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const entries = entriesFrom(START, 70);
    await banks.append(manifest.id, START, entries);
    const older = headOf(entries.slice(0, 3));
    const newer = headOf(entries);
    const leave = (head: typeof older, ...words: string[]) =>
      banks.putSnapshot(manifest.id, { head, ...snapshotOf(...words) });
    await leave(older, 'x', 'y', 'z');
    await leave(newer, 'a');
    await leave(older, 'b');
    const { structure, texts } = snapshotOf('a');
    expect(await banks.readStructure(manifest.id)).toEqual({ head: newer, structure });
    expect(await banks.readTexts(manifest.id, newer, { from: 0, to: 1 })).toEqual(texts);
    expect(await banks.readTexts(manifest.id, newer, { from: 0, to: 2 })).toBeUndefined();
    await expect(leave({ seq: 70, hash: 'x' })).rejects.toMatchObject({ code: 'head-moved' });
    await expect(leave({ seq: 71, hash: 'x' })).rejects.toMatchObject({ code: 'head-moved' });
  });

  test('of an older form is passed over, and a new one takes its place', async () => {
    const name = `test-${ids.next()}`;
    const { banks } = await openTestStorage({ name });
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const head = await banks.append(manifest.id, START, entriesFrom(START, 70));
    const { id } = manifest;
    const raw = new Dexie(name);
    await raw.open();
    const rows = { dataId: id, bankId: id };
    await raw.table('snapshots').put({ ...rows, head, structure: { version: 1 }, firstIds: [] });
    await raw.table('snapshotTexts').put({ ...rows, index: 0, texts: [['a', {}]] });
    raw.close();
    expect(await banks.readGroups(id)).toBeUndefined();
    expect(await banks.readStructure(id)).toBeUndefined();
    expect(await banks.readTexts(id, head, { from: 0, to: 1 })).toBeUndefined();
    await banks.putSnapshot(id, { head, ...snapshotOf('a') });
    expect((await banks.readStructure(id))?.structure).toEqual(snapshotOf('a').structure);
  });
});

/** A snapshot of one piece a word; storage does not look into them. */
function snapshotOf(...words: readonly string[]): Omit<BankSnapshot, 'head'> {
  const structure = { nodes: words.length, state: '{}', pieces: words };
  const groups = `groups of ${words.join()}`;
  return { groups, structure, texts: words.map((word) => `text of ${word}`) };
}

describe('a staging bank', () => {
  test('is not listed until one write publishes it', async () => {
    const { banks } = await openTestStorage();
    const manifest = manifestOf('Imported');
    const stagingId = ids.next();
    await banks.createStaging(stagingId, manifest);
    const entries = entriesFrom(START, 100);
    const head = await banks.append(stagingId, START, entries);
    await banks.putSnapshot(stagingId, { head, ...snapshotOf('s') });
    expect(await banks.listBanks()).toEqual([]);
    expect(await banks.getBank(manifest.id)).toBeUndefined();
    expect(await banks.getBank(stagingId)).toBeUndefined();
    await banks.publish(stagingId, null);
    expect(await banks.listBanks()).toEqual([{ manifest, head }]);
    expect(await banks.readLog(manifest.id, 0)).toEqual(entries);
    expect(await banks.readStructure(manifest.id)).toEqual({
      head,
      structure: snapshotOf('s').structure,
    });
    await expect(banks.publish(stagingId, null)).rejects.toMatchObject({ code: 'not-found' });
    const more = entriesFrom(head, 2);
    await banks.append(manifest.id, head, more);
    expect(await banks.readLog(manifest.id, 100)).toEqual(more);
  });

  test('replaces a bank only while that stands where it was looked at', async () => {
    const name = `test-${ids.next()}`;
    const { banks } = await openTestStorage({ name });
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const seen = await banks.append(manifest.id, START, entriesFrom(START, 100));
    const stagingId = ids.next();
    await banks.createStaging(stagingId, { ...manifest, name: 'Metro, imported' });
    const head = await banks.append(stagingId, START, entriesFrom(START, 5));
    const moved = await banks.append(manifest.id, seen, entriesFrom(seen, 1));
    for (const wrong of [seen, null]) {
      await expect(banks.publish(stagingId, wrong)).rejects.toMatchObject({ code: 'head-moved' });
    }
    expect(await banks.getBank(manifest.id)).toEqual({ manifest, head: moved });
    await banks.publish(stagingId, moved);
    expect(await banks.getBank(manifest.id)).toMatchObject({
      manifest: { name: 'Metro, imported' },
      head,
    });
    const raw = new Database({ name });
    await raw.open();
    expect(await raw.logChunks.count()).toBe(1);
    expect(await raw.banks.count()).toBe(1);
    raw.close();
  });

  test('that replaces a bank kept on this device is kept there, too', async () => {
    const { banks } = await openTestStorage();
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const stagingId = ids.next();
    await banks.createStaging(stagingId, manifest);
    await banks.changeSettings(manifest.id, { name: 'Metro', localOnly: true });
    await banks.publish(stagingId, START);
    expect(await banks.getBank(manifest.id)).toMatchObject({ manifest: { localOnly: true } });
  });

  test('that is thrown away leaves nothing, and the bank it was for untouched', async () => {
    const { banks, runs } = await openTestStorage();
    const manifest = manifestOf('Metro');
    await banks.createBank(manifest);
    const draft = draftOf('run', manifest.id, 1, null);
    await runs.putDraft(draft);
    const stagingId = ids.next();
    await banks.createStaging(stagingId, manifest);
    await banks.append(stagingId, START, entriesFrom(START, 5));
    await banks.deleteBank(stagingId);
    expect(await banks.listBanks()).toHaveLength(1);
    expect(await runs.listDrafts(manifest.id)).toEqual([draft]);
  });
});
