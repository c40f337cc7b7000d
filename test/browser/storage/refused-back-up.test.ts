import { strFromU8, strToU8 } from 'fflate';
import { describe, expect, test } from 'vitest';
import { filledBackUp, forge, NOW, readManifest, unzip, zip } from './filled-back-up.ts';
import { contents, fill, freshName, verifyHashes } from './filled.ts';
import { openTestStorage } from './open-test-storage.ts';

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
