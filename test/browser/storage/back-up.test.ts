import { unzipSync, zipSync, strFromU8, strToU8, type Zippable } from 'fflate';
import { describe, expect, test } from 'vitest';
import { hashBytes, hashJson } from '../../../src/core/canonical.ts';
import type { BackupManifest } from '../../../src/storage/archive/format.ts';
import { contents, fill, freshName, verifyHashes } from './filled.ts';
import { entriesFrom, ids, manifestOf, openTestStorage, START } from './material.ts';

const NOW = '2026-02-03T04:05:06.000Z';

async function filledBackUp() {
  const name = freshName();
  const storage = await openTestStorage({ name });
  const filled = await fill(storage);
  const { file } = await storage.backUp({ now: NOW });
  return { name, storage, filled, file };
}

/** The files of a zip, as bytes. */
async function unzip(file: Blob): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const entries = Object.entries(unzipSync(new Uint8Array(await file.arrayBuffer())));
  return Object.fromEntries(entries.map(([path, bytes]) => [path, new Uint8Array(bytes)]));
}

function zip(files: Record<string, Uint8Array>): Blob {
  const zippable: Zippable = {};
  for (const [path, bytes] of Object.entries(files)) {
    zippable[path] = path.startsWith('blobs/') ? [bytes, { level: 0 }] : bytes;
  }
  return new Blob([zipSync(zippable)]);
}

type Files = Record<string, Uint8Array<ArrayBuffer>>;

function readManifest(files: Files): BackupManifest {
  return JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()));
}

/** Changes a table's text and makes the manifest agree, as a careful forger would. */
function forge(files: Files, table: string, change: (text: string) => string): Files {
  const path = `tables/${table}.jsonl`;
  const text = strToU8(change(strFromU8(files[path] ?? new Uint8Array())));
  const { hash: _, ...manifest } = readManifest(files);
  const tables = manifest.tables.map((entry) =>
    entry.table === table
      ? {
          table: entry.table,
          rows: strFromU8(text).split('\n').length - 1,
          bytes: text.byteLength,
          hash: hashBytes(text),
        }
      : entry,
  );
  const body = { ...manifest, tables };
  const sealed = { ...body, hash: hashJson(body) };
  return { ...files, [path]: text, 'manifest.json': strToU8(JSON.stringify(sealed)) };
}

describe('backing up everything', () => {
  test('gives a zip that any tool opens, without secrets, snapshots or staging banks', async () => {
    const { storage, filled } = await filledBackUp();
    const head = { seq: 150, hash: filled.entries.at(-1)?.hash ?? '' };
    await storage.banks.putSnapshot(filled.manifest.id, {
      head,
      structure: 'structure-of-the-snapshot',
      text: new Map([['a', 'text-of-the-snapshot']]),
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

describe('a file is refused, and nothing changes, when it', () => {
  /** Restores into a filled storage; gives the refusal after a look that nothing changed. */
  async function refusal(file: Blob) {
    const name = freshName();
    const storage = await openTestStorage({ name });
    await fill(storage, 3);
    const before = await contents(name);
    const outcome = await storage.restore(file, { mode: 'replace', verify: verifyHashes });
    expect(await contents(name)).toEqual(before);
    return outcome.ok ? undefined : outcome.refusal;
  }

  test('is not a zip, is an empty file, or is some other zip', async () => {
    for (const file of [
      new Blob(['hello']),
      new Blob([]),
      zip({ 'readme.txt': strToU8('hello') }),
      zip({ 'manifest.json': strToU8('{"format":"another"}') }),
      zip({ 'manifest.json': strToU8('not json') }),
    ]) {
      expect(await refusal(file)).toMatchObject({ reason: 'not-a-backup' });
    }
  });

  test('was made by a newer Grove', async () => {
    const { file } = await filledBackUp();
    const files = await unzip(file);
    const newer = { ...readManifest(files), formatVersion: 2, what: 'nobody knows yet' };
    files['manifest.json'] = strToU8(JSON.stringify(newer));
    expect(await refusal(zip(files))).toMatchObject({ reason: 'newer-format' });
  });

  test('was cut short, anywhere', async () => {
    const { file } = await filledBackUp();
    for (const length of [10, 1000, file.size >> 1, file.size - 30, file.size - 1]) {
      expect(await refusal(file.slice(0, length))).toMatchObject({ reason: 'truncated' });
    }
  });

  test('has a changed image, lacks one, or holds one too many', async () => {
    const { file, filled } = await filledBackUp();
    const files = await unzip(file);
    const path = `blobs/${filled.images.own}`;
    const changed = (files[path] ?? new Uint8Array()).slice();
    changed[7] = 255 - (changed[7] ?? 0);
    expect(await refusal(zip({ ...files, [path]: changed }))).toMatchObject({
      reason: 'tampered',
      path,
    });
    const { [path]: _, ...without } = files;
    expect(await refusal(zip(without))).toMatchObject({ reason: 'tampered', path: 'blobs' });
    const more = { ...files, [`blobs/${'0'.repeat(64)}`]: strToU8('x') };
    expect(await refusal(zip(more))).toMatchObject({ reason: 'tampered', path: 'blobs' });
    expect(await refusal(zip({ ...files, 'evil.js': strToU8('x') }))).toMatchObject({
      reason: 'tampered',
      path: 'evil.js',
    });
  });

  test('has changed text, or a manifest that was changed by hand', async () => {
    const { file } = await filledBackUp();
    const files = await unzip(file);
    const path = 'tables/runs.jsonl';
    const text = strFromU8(files[path] ?? new Uint8Array());
    const changed = { ...files, [path]: strToU8(text.replace('"7"', '"8"')) };
    expect(await refusal(zip(changed))).toMatchObject({ reason: 'tampered', path });
    const manifest = strFromU8(files['manifest.json'] ?? new Uint8Array());
    const redated = strToU8(manifest.replace('2026-02-03', '2026-02-04'));
    expect(await refusal(zip({ ...files, 'manifest.json': redated }))).toMatchObject({
      reason: 'tampered',
      path: 'manifest.json',
    });
  });

  test('holds a record that does not fit, even where all hashes agree', async () => {
    const { file } = await filledBackUp();
    const files = await unzip(file);
    const forged = forge(files, 'runs', (text) =>
      text.replace('"attemptLimit":5', '"attemptLimit":500'),
    );
    expect(await refusal(zip(forged))).toMatchObject({
      reason: 'record-invalid',
      path: 'tables/runs.jsonl:1.config.attemptLimit',
    });
    const secret = forge(
      files,
      'settings',
      (text) => `${text}{"key":"secret.endpoint.a","value":"planted"}\n`,
    );
    expect(await refusal(zip(secret))).toMatchObject({ reason: 'record-invalid' });
    const lines = forge(files, 'tasks', (text) => `${text}{"id":`);
    expect(await refusal(zip(lines))).toMatchObject({ reason: 'tampered' });
  });

  test('holds a task that is not what its id says, even where all hashes agree', async () => {
    const { file } = await filledBackUp();
    const files = await unzip(file);
    const forged = forge(files, 'tasks', (text) =>
      text.replace('between A and B', 'between A and C'),
    );
    expect(await refusal(zip(forged))).toMatchObject({ reason: 'tampered' });
  });

  test('holds a log with a gap, a wrong end or a changed entry, even where all hashes agree', async () => {
    const { file, filled } = await filledBackUp();
    const files = await unzip(file);
    const gap = forge(files, 'logChunks', (text) => text.split('\n').toSpliced(1, 1).join('\n'));
    expect(await refusal(zip(gap))).toMatchObject({ reason: 'tampered' });
    const short = forge(files, 'logChunks', (text) => text.split('\n').toSpliced(2, 1).join('\n'));
    expect(await refusal(zip(short))).toMatchObject({ reason: 'tampered' });
    const orphan = forge(files, 'logChunks', (text) =>
      text.replaceAll(`"bankId":"${filled.manifest.id}"`, '"bankId":"nobody"'),
    );
    expect(await refusal(zip(orphan))).toMatchObject({ reason: 'tampered' });
    const changed = forge(files, 'logChunks', (text) =>
      text.replace('the origin itself is stop zero', 'the origin itself is stop one'),
    );
    expect(await refusal(zip(changed))).toMatchObject({ reason: 'chain-broken' });
  });

  test('unpacks to more than it says', async () => {
    const { file } = await filledBackUp();
    const files = await unzip(file);
    const bomb = new Uint8Array(20_000_000).fill(32);
    expect(await refusal(zip({ ...files, 'tables/calls.jsonl': bomb }))).toMatchObject({
      reason: 'tampered',
      path: 'tables/calls.jsonl',
    });
  });
});

test('any one changed byte of a back-up is refused, or restores the very same rows', async () => {
  const name = freshName();
  const storage = await openTestStorage({ name });
  await fill(storage, 2);
  await storage.settings.remove('secret.endpoint.a');
  const { file } = await storage.backUp({ now: NOW });
  const bytes = new Uint8Array(await file.arrayBuffer());
  const before = await contents(name);
  await storage.settings.set('theme', 'light');
  const changed = await contents(name);
  let state = 20260203;
  let restored = 0;
  for (let round = 0; round < 60; round += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const at = round % 2 === 0 ? state % bytes.length : bytes.length - 1 - (state % 2500);
    const copy = bytes.slice();
    copy[at] = (copy[at] ?? 0) ^ (1 << (state & 7));
    const outcome = await storage.restore(new Blob([copy]), { mode: 'replace' });
    expect(await contents(name), `byte ${at}`).toEqual(outcome.ok ? before : changed);
    if (outcome.ok) {
      restored += 1;
      await storage.settings.set('theme', 'light');
    }
  }
  // Times and other marks of the zip itself mean nothing; most bytes do.
  expect(restored).toBeLessThan(30);
}, 60_000);
