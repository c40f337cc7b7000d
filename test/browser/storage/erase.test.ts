import { describe, expect, test } from 'vitest';
import { withFork } from './erase-material.ts';
import { contents, fill, freshName } from './filled.ts';
import { bytesOf, cropOf, lessonOf, manifestOf, START } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';
import { bankOf, evidenceFor, storedText } from './erase-material.ts';
import { verifyChain, replay } from '../../../src/core/bank/log.ts';
import { StorageError } from '../../../src/core/errors.ts';

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
  const nothing = { banks: [], drafts: 0, exports: [], elsewhere: [], runsGiven: [] };
  expect(await storage.eraseTask(first.id)).toEqual({
    ok: true,
    value: { ...nothing, runs: 1, images: 2, imagesKept: 1 },
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

describe('a task whose lessons are in banks', () => {
  test('goes from every bank: its lessons, their crops and the question, and a shared lesson loses its evidence', async () => {
    const name = freshName();
    const storage = await openTestStorage({ name });
    const { first, images } = await fill(storage, 3);
    const crop = cropOf(await storage.blobs.put(bytesOf(9, 900), 'image/png'), images.own);
    const own = lessonOf(201, crop);
    const both = lessonOf(202);
    const manifest = await bankOf(storage, 'Own', [
      { ...own, evidence: [evidenceFor(first.id, 1)] },
      { ...both, evidence: [evidenceFor(first.id, 2), evidenceFor('other', 3)] },
    ]);
    const other = await bankOf(storage, 'Other', [
      { ...lessonOf(203), evidence: [evidenceFor(first.id, 4)] },
    ]);
    await storage.banks.putSnapshot(manifest.id, {
      head: (await storage.banks.getBank(manifest.id))?.head ?? START,
      groups: '',
      structure: { nodes: 1, state: '{}', pieces: [own.id] },
      texts: [own.content.guidance],
    });
    const erased = await storage.eraseTask(first.id);
    expect(erased).toMatchObject({
      ok: true,
      value: {
        banks: [
          { bankId: manifest.id, report: { lessons: [own.id], evidence: 1 } },
          { bankId: other.id },
        ],
        images: 3,
      },
    });
    expect(await storage.blobs.get(crop.hash)).toBeUndefined();
    expect(await storage.banks.readStructure(manifest.id)).toBeUndefined();
    for (const bank of [manifest, other]) {
      const log = await storage.banks.readLog(bank.id, 0);
      expect(verifyChain(log)).toBeNull();
      expect(replay(bank, log).ok).toBe(true);
      expect((await storage.banks.getBank(bank.id))?.head).toMatchObject({
        hash: log.at(-1)?.hash,
      });
    }
    const text = await storedText(name);
    for (const gone of [
      first.id,
      own.content.guidance,
      lessonOf(203).content.anchor,
      first.question,
    ]) {
      expect(text).not.toContain(gone);
    }
    expect(text).toContain(both.content.guidance);
  });

  test('is shown beforehand with what goes from each bank and which files are out of reach', async () => {
    const name = freshName();
    const storage = await openTestStorage({ name });
    const { first } = await fill(storage, 3);
    const both = {
      ...lessonOf(202),
      evidence: [evidenceFor(first.id, 2), evidenceFor('other', 3)],
    };
    const own = await bankOf(storage, 'Own', [
      { ...lessonOf(201), evidence: [evidenceFor(first.id, 1)] },
      both,
    ]);
    const apart = await bankOf(storage, 'Apart', [lessonOf(301)]);
    const note = (bankId: string | null, fileName: string) =>
      storage.exports.note({
        kind: bankId === null ? 'back-up' : 'text',
        bankId,
        fileName,
        at: '2026-01-01',
        head: bankId === null ? null : { seq: 2, hash: '' },
      });
    await note(own.id, 'own.md');
    await note(apart.id, 'apart.md');
    await note(null, 'grove.zip');
    const before = await contents(name);
    const preview = await storage.previewTaskErasure(first.id);
    expect(await contents(name)).toEqual(before);
    expect(preview).toMatchObject({
      ok: true,
      value: {
        runs: 1,
        banks: [{ bankId: own.id, name: 'Own', report: { entriesErased: 1, evidence: 1 } }],
        exports: [{ fileName: 'own.md' }, { fileName: 'grove.zip' }],
      },
    });
    const banks = preview.ok ? preview.value.banks : [];
    const expected = new Map(banks.map(({ bankId, head }) => [bankId, head]));
    const late = { at: '2026-02-02T00:00:00.000Z', expected: new Map() };
    await expect(storage.eraseTask(first.id, late)).rejects.toMatchObject({ code: 'head-moved' });
    expect(await contents(name)).toEqual(before);
    expect(await storage.eraseTask(first.id, { ...late, expected })).toEqual(preview);
  });

  test('stays whole where one of the banks is frozen, and says which', async () => {
    const storage = await openTestStorage();
    const { first } = await fill(storage, 3);
    const lesson = { ...lessonOf(201), evidence: [evidenceFor(first.id, 1)] };
    await bankOf(storage, 'Live', [lesson]);
    await bankOf(storage, 'Kept', [lesson], [{ type: 'freeze', reason: '' }]);
    const refused = await storage.eraseTask(first.id);
    expect(refused).toMatchObject({ ok: false, refusal: { reason: 'frozen' } });
    expect(!refused.ok && refused.refusal.message).toContain('“Kept”');
    expect(await storage.runs.getTask(first.id)).toBeDefined();
  });
});

describe('erasing lessons', () => {
  test('a preview says what goes and changes nothing; erasing then takes just that', async () => {
    const name = freshName();
    const storage = await openTestStorage({ name });
    const { manifest, entries } = await fill(storage, 150);
    const lessons = ['lesson-000070', 'lesson-000071'];
    const before = await contents(name);
    const preview = await storage.previewLessonErasure(manifest.id, lessons);
    expect(await contents(name)).toEqual(before);
    expect(preview).toMatchObject({
      ok: true,
      value: { banks: [{ report: { lessons, entriesErased: 2, firstSeq: 70 } }], images: 0 },
    });
    const expected = new Map([[manifest.id, { seq: 150, hash: entries.at(-1)?.hash ?? '' }]]);
    const at = '2026-02-02T00:00:00.000Z';
    const erased = await storage.eraseLessons(manifest.id, lessons, { expected, at });
    expect(erased).toEqual(preview);
    const log = await storage.banks.readLog(manifest.id, 0);
    expect(log).toHaveLength(151);
    expect(log.slice(0, 69)).toEqual(entries.slice(0, 69));
    expect(log.at(-1)?.operation).toMatchObject({ type: 'erase', lessons, entries: [70, 71] });
    expect(await storage.eraseLessons(manifest.id, lessons)).toMatchObject({
      ok: false,
      refusal: { reason: 'not-found' },
    });
  });

  test('lists the files that may hold them, and no file of before or of another bank', async () => {
    const storage = await openTestStorage();
    const { manifest } = await fill(storage, 9);
    const other = await bankOf(storage, 'Other', [lessonOf(300)]);
    const note = (bankId: string, seq: number) =>
      storage.exports.note({
        kind: 'text',
        bankId,
        fileName: `${seq}.md`,
        at: '2026-01-01',
        head: { seq, hash: '' },
      });
    await note(manifest.id, 4);
    await note(manifest.id, 5);
    await note(other.id, 8);
    await storage.bundles.exportBundle(manifest.id);
    await storage.exports.note({
      kind: 'back-up',
      bankId: null,
      fileName: 'grove.zip',
      at: '2026-01-02',
      head: null,
    });
    const preview = await storage.previewLessonErasure(manifest.id, ['lesson-000005']);
    const files = preview.ok ? preview.value.exports : [];
    expect(files.map(({ kind, fileName, head }) => [kind, fileName, head?.seq])).toEqual([
      ['text', '5.md', 5],
      ['bundle', 'metro.grove', 9],
      ['back-up', 'grove.zip', undefined],
    ]);
  });

  test('lists a fork that holds them, and leaves it as it is', async () => {
    const storage = await openTestStorage();
    const { manifest } = await fill(storage, 9);
    const fork = await withFork(storage, manifest.id);
    const before = await storage.banks.readLog(fork.id, 0);
    const erased = await storage.eraseLessons(manifest.id, ['lesson-000005']);
    expect(erased.ok && erased.value.elsewhere).toEqual([
      { bankId: fork.id, name: 'Fork', held: false, isFork: true, lessons: 1 },
    ]);
    expect(await storage.banks.readLog(fork.id, 0)).toEqual(before);
  });

  test('erases nothing where the bank has moved on since the preview', async () => {
    const name = freshName();
    const storage = await openTestStorage({ name });
    const { manifest } = await fill(storage, 9);
    const before = await contents(name);
    const expected = new Map([[manifest.id, START]]);
    const erased = storage.eraseLessons(manifest.id, ['lesson-000005'], { expected });
    await expect(erased).rejects.toThrow(
      expect.objectContaining({ code: 'head-moved' }) as StorageError,
    );
    expect(await contents(name)).toEqual(before);
  });

  test('a draft that says the same goes from the inbox; a bank that is not here is refused', async () => {
    const storage = await openTestStorage();
    const { manifest, draft } = await fill(storage, 3);
    await bankOf(storage, 'Own', [{ ...lessonOf(1), content: draft.content }]).then(
      async ({ id }) => {
        const erased = await storage.eraseLessons(id, ['lesson-000001']);
        expect(erased).toMatchObject({ ok: true, value: { drafts: 1 } });
      },
    );
    expect(await storage.runs.listDrafts(manifest.id)).toEqual([]);
    expect(await storage.previewLessonErasure(manifestOf('None').id, ['x'])).toMatchObject({
      refusal: { reason: 'not-found' },
    });
  });
});
