import { describe, expect, test } from 'vitest';
import { hashBytes } from '../../../src/core/canonical.ts';
import type { BundleProgress } from '../../../src/core/transfer/bundle/bundle-progress.ts';
import type { ImportOutcome } from '../../../src/core/transfer/bundle/bundle-store.ts';
import { fromSnapshot } from '../../../src/core/bank/snapshot/read-snapshot.ts';
import { EMPTY_LOG, replay } from '../../../src/core/bank/log.ts';
import { Database } from '../../../src/storage/database.ts';
import { canonicalTree } from '../../core/bank/material.ts';
import { ASKED, freshBank, NOW, openWithBundles, putBank } from './bundle-material.ts';
import { contents, fill, freshName } from './filled.ts';
import { ids, manifestOf } from './material.ts';

async function hashOf(file: Blob): Promise<string> {
  return hashBytes(new Uint8Array(await file.arrayBuffer()));
}

function heldOf(outcome: ImportOutcome) {
  if (outcome.type !== 'held') throw new Error(`not held: ${outcome.type}`);
  return outcome.bank;
}

describe('a bundle', () => {
  test('exported, imported elsewhere, trusted and exported again has the same bytes', async () => {
    for (const sources of [false, true]) {
      const here = await openWithBundles();
      const bank = freshBank(11);
      await putBank(here, bank);
      const first = await here.bundles.exportBundle(bank.manifest.id, { sources });
      expect(first.fileName).toBe('bänk-11-線.grove');
      const there = await openWithBundles();
      const held = heldOf(await there.bundles.importBundle(first.file, ASKED));
      await there.bundles.trustHeld(held.heldId);
      const again = await there.bundles.exportBundle(bank.manifest.id, { sources });
      expect(await hashOf(again.file)).toBe(await hashOf(first.file));
      expect(await there.banks.readLog(bank.manifest.id, 0)).toEqual(bank.entries);
    }
  }, 30_000);

  test('is held where no list shows it, with a snapshot that is the replay, until it is trusted', async () => {
    const here = await openWithBundles();
    const bank = freshBank(12);
    const { id } = bank.manifest;
    await putBank(here, bank);
    const { file } = await here.bundles.exportBundle(id);
    const there = await openWithBundles();
    const held = heldOf(await there.bundles.importBundle(file, ASKED));
    expect(held).toMatchObject({ relation: 'new', importedAt: NOW, fileName: 'metro.grove' });
    expect(held.leftOut).toEqual({ crops: 0, images: 0 });
    expect(await there.banks.listBanks()).toEqual([]);
    expect(await there.banks.getBank(id)).toBeUndefined();
    expect(await there.bundles.listHeld()).toEqual([held]);
    const left = await there.banks.readStructure(held.heldId);
    const { head = EMPTY_LOG, structure } = left ?? {};
    const pieces = { from: 0, to: structure?.pieces.length ?? 0 };
    const texts = await there.banks.readTexts(held.heldId, head, pieces);
    const read = structure && texts && fromSnapshot(bank.manifest, { structure, texts });
    const replayed = replay(bank.manifest, await there.banks.readLog(held.heldId, 0));
    if (!read?.ok || !replayed.ok) throw new Error('neither may fail');
    expect(canonicalTree(read.value)).toBe(canonicalTree(replayed.value));
    expect(await there.bundles.importBundle(file, ASKED)).toEqual({
      type: 'already-held',
      bank: held,
    });
    expect(await there.bundles.trustHeld(held.heldId)).toEqual({
      manifest: bank.manifest,
      head: bank.head,
    });
    expect(await there.bundles.listHeld()).toEqual([]);
    expect(await there.banks.listBanks()).toEqual([{ manifest: bank.manifest, head: bank.head }]);
    expect(await there.bundles.importBundle(file, ASKED)).toEqual({
      type: 'already-here',
      bankId: id,
      sameSettings: true,
    });
    await expect(there.bundles.trustHeld(held.heldId)).rejects.toMatchObject({
      code: 'not-found',
    });
  }, 30_000);

  test('that is thrown away leaves nothing but what something else shows', async () => {
    const here = await openWithBundles();
    const bank = freshBank(13);
    await putBank(here, bank);
    const { file } = await here.bundles.exportBundle(bank.manifest.id, { sources: true });
    const name = freshName();
    const there = await openWithBundles({ name });
    await fill(there);
    const before = await contents(name);
    const held = heldOf(await there.bundles.importBundle(file, ASKED));
    expect(await contents(name)).not.toEqual(before);
    await there.bundles.discardHeld(held.heldId);
    const { blobs: had, ...rest } = before;
    const { blobs: has, ...left } = await contents(name);
    expect(left).toEqual(rest);
    expect(had).toEqual(expect.arrayContaining(has ?? []));
  }, 30_000);

  test('that goes on from the bank here is taken as an update, once that is said', async () => {
    const here = await openWithBundles();
    const bank = freshBank(14);
    const { id } = bank.manifest;
    await putBank(here, bank);
    const { file } = await here.bundles.exportBundle(id);
    for (const length of [0, 20]) {
      const there = await openWithBundles();
      await putBank(there, bank, length);
      const head = (await there.banks.getBank(id))?.head;
      expect(await there.bundles.importBundle(file, ASKED)).toEqual({
        type: 'newer',
        bankId: id,
        name: bank.manifest.name,
        here: head,
        file: bank.head,
      });
      expect(await there.bundles.listHeld()).toEqual([]);
      const as = { type: 'update' } as const;
      const held = heldOf(await there.bundles.importBundle(file, { ...ASKED, as }));
      expect(held.relation).toBe('newer');
      expect((await there.banks.getBank(id))?.head).toEqual(head);
      await there.bundles.trustHeld(held.heldId);
      expect(await there.banks.readLog(id, 0)).toEqual(bank.entries);
    }
  }, 30_000);

  test('of an older or another course leaves the bank here alone, and comes in as a copy', async () => {
    const here = await openWithBundles();
    const bank = freshBank(15);
    const { id } = bank.manifest;
    await putBank(here, bank, 20);
    const { file } = await here.bundles.exportBundle(id);
    const older = await openWithBundles();
    await putBank(older, bank);
    expect(await older.bundles.importBundle(file, ASKED)).toMatchObject({ type: 'older' });
    const other = await openWithBundles();
    await putBank(other, { ...freshBank(16), manifest: bank.manifest });
    const as = { type: 'update' } as const;
    expect(await other.bundles.importBundle(file, { ...ASKED, as })).toMatchObject({
      type: 'diverged',
    });
    const copy = { type: 'copy', id: ids.next(), name: 'Copy' } as const;
    const held = heldOf(await other.bundles.importBundle(file, { ...ASKED, as: copy }));
    await other.bundles.trustHeld(held.heldId);
    expect(await other.banks.readLog(copy.id, 0)).toEqual(bank.entries.slice(0, 20));
    expect(await other.banks.listBanks()).toHaveLength(2);
  }, 30_000);

  test('cannot be trusted over a bank that went on meanwhile', async () => {
    const here = await openWithBundles();
    const bank = freshBank(17);
    const { id } = bank.manifest;
    await putBank(here, bank);
    const { file } = await here.bundles.exportBundle(id);
    const there = await openWithBundles();
    const held = heldOf(await there.bundles.importBundle(file, ASKED));
    await putBank(there, bank, 5);
    await expect(there.bundles.trustHeld(held.heldId)).rejects.toMatchObject({
      code: 'head-moved',
    });
    expect(await there.bundles.listHeld()).toHaveLength(1);
  });

  test('under a passphrase comes in with it alone', async () => {
    const here = await openWithBundles();
    const bank = freshBank(18);
    await putBank(here, bank);
    const passphrase = 'Grüne Linie 5';
    const { file } = await here.bundles.exportBundle(bank.manifest.id, { passphrase });
    const there = await openWithBundles();
    await expect(there.bundles.importBundle(file, ASKED)).rejects.toMatchObject({
      name: 'BundleError',
      code: 'needs-passphrase',
    });
    const wrong = there.bundles.importBundle(file, { ...ASKED, passphrase: 'Gruene Linie 5' });
    await expect(wrong).rejects.toMatchObject({ code: 'wrong-passphrase' });
    expect(heldOf(await there.bundles.importBundle(file, { ...ASKED, passphrase })).head).toEqual(
      bank.head,
    );
  });

  test('says what would leave before it does', async () => {
    const { bundles, ...storage } = await openWithBundles();
    const bank = freshBank(19, 120);
    await putBank({ bundles, ...storage }, bank);
    const preview = await bundles.previewExport(bank.manifest.id, { sources: true });
    const { file, manifest } = await bundles.exportBundle(bank.manifest.id, { sources: true });
    const { lessons, retired, groups } = manifest.counts;
    expect(preview).toMatchObject({
      bank: { id: bank.manifest.id, name: 'Bänk 19 線', localOnly: false },
      entries: bank.entries.length,
      lessons,
      retired,
      groups,
      missing: [],
      lineage: { actors: ['harness: grove', 'person: Ada'], models: expect.any(Array) },
    });
    expect(preview.images.map(({ hash }) => hash).toSorted()).toEqual(
      [...bank.images.keys()].toSorted(),
    );
    expect(preview.questions[0]).toMatch(/^Wie viele Stops/u);
    expect(preview.estimatedBytes / file.size).toBeGreaterThan(0.8);
    expect(preview.estimatedBytes / file.size).toBeLessThan(1.25);
    const less = await bundles.previewExport(bank.manifest.id);
    expect(less.images.every(({ kind }) => kind === 'crop')).toBe(true);
    await expect(bundles.previewExport('nothing')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('leaves out what is not stored or damaged, says so, and comes in so', async () => {
    const name = freshName();
    const here = await openWithBundles({ name });
    const bank = freshBank(20, 120);
    await putBank(here, bank);
    const raw = new Database({ name });
    await raw.open();
    const crops = bank.entries.flatMap(({ operation }) =>
      operation.type === 'add-lesson' ? (operation.lesson.content.crop?.hash ?? []) : [],
    );
    const [gone = '', bad = ''] = [...new Set(crops)];
    await raw.blobs.delete(gone);
    await raw.blobs.update(bad, { bytes: new Uint8Array([1, 2, 3]) });
    raw.close();
    const first = await here.bundles.exportBundle(bank.manifest.id);
    expect(
      first.leftOut.toSorted((a, b) => (a.hash === gone ? -1 : b.hash === gone ? 1 : 0)),
    ).toEqual([
      { kind: 'crop', hash: gone, reason: 'missing' },
      { kind: 'crop', hash: bad, reason: 'damaged' },
    ]);
    const there = await openWithBundles();
    const held = heldOf(await there.bundles.importBundle(first.file, ASKED));
    expect(held.leftOut).toEqual({ crops: 2, images: 0 });
    await there.bundles.trustHeld(held.heldId);
    const again = await there.bundles.exportBundle(bank.manifest.id);
    expect(await hashOf(again.file)).toBe(await hashOf(first.file));
  });
});

describe('work on a bundle', () => {
  test('tells how far it is, in entries and images', async () => {
    const here = await openWithBundles();
    const bank = freshBank(21, 200);
    await putBank(here, bank);
    const told: BundleProgress[] = [];
    const onProgress = (progress: BundleProgress) => void told.push(progress);
    const { file, manifest } = await here.bundles.exportBundle(bank.manifest.id, { onProgress });
    expect(told.filter(({ phase }) => phase === 'log').at(-1)).toMatchObject({
      done: bank.entries.length,
      total: bank.entries.length,
    });
    expect(told.at(-1)).toMatchObject({ phase: 'images', done: manifest.counts.crops });
    told.length = 0;
    const there = await openWithBundles();
    await there.bundles.importBundle(file, { ...ASKED, onProgress });
    const last = told.at(-1);
    expect(last).toMatchObject({ phase: 'images', done: manifest.counts.crops });
    expect(last?.bytes).toBe(last?.bytesTotal);
  });

  test('stops when it is aborted, with the reason it was given, and leaves nothing', async () => {
    const here = await openWithBundles();
    const bank = freshBank(22, 300);
    await putBank(here, bank);
    const { file } = await here.bundles.exportBundle(bank.manifest.id, { sources: true });
    const name = freshName();
    const there = await openWithBundles({ name });
    await fill(there);
    const before = await contents(name);
    for (const phase of ['log', 'nodes', 'images'] as const) {
      const controller = new AbortController();
      const reason = new Error('changed my mind');
      const onProgress = (progress: BundleProgress) => {
        if (progress.phase === phase) controller.abort(reason);
      };
      const run = { signal: controller.signal, onProgress };
      await expect(there.bundles.importBundle(file, { ...ASKED, ...run })).rejects.toBe(reason);
      expect(await contents(name)).toEqual(before);
    }
    const aborted = AbortSignal.abort(new Error('before'));
    await expect(here.bundles.exportBundle(bank.manifest.id, { signal: aborted })).rejects.toThrow(
      'before',
    );
  }, 30_000);

  test('is one import at a time over all tabs', async () => {
    const name = freshName();
    const tabs = [await openWithBundles({ name }), await openWithBundles({ name })] as const;
    const source = await openWithBundles();
    const bank = freshBank(23, 300);
    await putBank(source, bank);
    const { file } = await source.bundles.exportBundle(bank.manifest.id);
    const outcomes = await Promise.allSettled(
      tabs.map((tab) => tab.bundles.importBundle(file, ASKED)),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    if (refused.length > 0) {
      expect(refused).toMatchObject([{ reason: { name: 'BundleError', code: 'busy' } }]);
    }
    expect(await tabs[0].bundles.listHeld()).toHaveLength(1);
  });

  test('that a crash ended is tidied up when storage opens again; what is held stays', async () => {
    const source = await openWithBundles();
    const bank = freshBank(24);
    await putBank(source, bank);
    const { file } = await source.bundles.exportBundle(bank.manifest.id);
    const name = freshName();
    const first = await openWithBundles({ name });
    const held = heldOf(await first.bundles.importBundle(file, ASKED));
    const before = await contents(name);
    await first.banks.createStaging('import-crashed', manifestOf('Crashed'));
    await first.banks.append('import-crashed', { seq: 0, hash: '0'.repeat(64) }, bank.entries);
    const raw = new Database({ name });
    await raw.open();
    // An image of its own, and one that the held bank shows, too.
    const own = { hash: 'f'.repeat(64), mediaType: 'image/png', byteLength: 1 };
    await raw.blobs.put({ ...own, bytes: new Uint8Array(1) });
    const [shown] = await raw.blobs.toCollection().primaryKeys();
    await raw.staged.add({
      ...{ restoreId: 'import-crashed', index: 0, table: 'placed' },
      rows: [own.hash, shown],
    });
    raw.close();
    await first.close();
    const again = await openWithBundles({ name });
    expect(await contents(name)).toEqual(before);
    expect(await again.bundles.listHeld()).toEqual([held]);
  });
});
