import { strToU8, zipSync } from 'fflate';
import { beforeAll, describe, expect, test } from 'vitest';
import { lessonContentHash } from '../../../../src/core/bank/node.ts';
import { canonicalJson, hashBytes } from '../../../../src/core/canonical.ts';
import {
  LOG_PATH,
  MANIFEST_PATH,
  NODES_PATH,
  parseManifest,
  type BundleMigration,
} from '../../../../src/core/transfer/bundle/bundle-format.ts';
import { openBundle, readLog } from '../../../../src/core/transfer/bundle/read-bundle.ts';
import { openBundleFile } from '../../../../src/storage/archive/bundle/bundle-files.ts';
import { lessonOf } from '../../bank/material.ts';
import { bundleBank, cropOf, type BundleBank } from './bundle-bank.ts';
import {
  filesOf,
  linesIn,
  manifestIn,
  textOf,
  withLines,
  withLog,
  withManifest,
  withText,
  zipOf,
  type Files,
} from './forge.ts';
import { bytesOf, exported, imported } from './memory-bundle.ts';

let bank: BundleBank;
let file: Blob;
let files: Files;

beforeAll(async () => {
  bank = bundleBank(31, 60);
  ({ file } = await exported(bank, { sources: true }));
  files = await filesOf(file);
}, 30_000);

function refused(bundle: Blob | Files, expected: object) {
  const blob = bundle instanceof Blob ? bundle : zipOf(bundle);
  return expect(imported(blob)).rejects.toMatchObject({ name: 'BundleError', ...expected });
}

/** The log with the entry `at` changed, sealed anew. */
function withEntry(at: number, change: (entry: never) => unknown): Files {
  const entries = bank.entries.map((entry, index) =>
    index === at ? change(entry as never) : entry,
  );
  return withLog(files, entries);
}

const crops = (): string[] => [...files.keys()].filter((path) => path.startsWith('crops/'));

describe('a file is refused where', () => {
  test('it is no bundle', async () => {
    const other = (text: string) => new Blob([zipSync({ 'manifest.json': strToU8(text) })]);
    for (const blob of [
      new Blob([]),
      new Blob(['hello']),
      new Blob([zipSync({ 'readme.txt': strToU8('hello') })]),
      other('{"format":"grove-backup","formatVersion":1}'),
      other('not json'),
      other('[]'),
      other('{"__proto__":{"format":"grove-bundle","formatVersion":1}}'),
    ]) {
      await refused(blob, { code: 'not-a-bundle' });
    }
  });

  test('a newer Grove made it', async () => {
    const manifest = { ...manifestIn(files), formatVersion: 2, what: 'nobody knows yet' };
    await refused(withText(files, MANIFEST_PATH, JSON.stringify(manifest)), {
      code: 'newer-format',
      message: expect.stringContaining('newer Grove'),
      place: { entry: MANIFEST_PATH, path: 'formatVersion' },
    });
  });

  test('its end is missing, or something hangs on behind it', async () => {
    for (const length of [10, 1000, file.size >> 1, file.size - 30, file.size - 1]) {
      await refused(file.slice(0, length), { code: 'truncated' });
    }
    await refused(new Blob([file, 'x']), { code: 'truncated' });
    await refused(new Blob(['x', file]), { code: 'not-a-bundle' });
    const wedge = new Blob([file.slice(0, 100), 'hidden', file.slice(100)]);
    await refused(wedge, { name: 'BundleError' });
  });

  test('an entry leads out, is there twice, is foreign, or lies where another does', async () => {
    const names = ['../evil.png', '/etc/passwd', 'crops/../../evil.png', 'C:\\evil', 'crops//x'];
    for (const path of names) {
      await refused(new Map(files).set(path, new Uint8Array(3)), { code: 'damaged' });
    }
    const twice = [
      ...files,
      [MANIFEST_PATH, files.get(MANIFEST_PATH) ?? new Uint8Array()],
    ] as const;
    await refused(zipOf(twice), { code: 'damaged', place: { entry: MANIFEST_PATH } });
    for (const path of ['evil.js', 'crops/evil.png', `crops/${'0'.repeat(64)}.svg`]) {
      await refused(new Map(files).set(path, new Uint8Array(3)), {
        code: 'does-not-belong',
        place: { entry: path },
      });
    }
    const bytes = await bytesOf(file);
    const view = new DataView(bytes.buffer);
    // The second entry of the directory is made to begin where the first does.
    const directory = view.getUint32(bytes.length - 6, true);
    view.setUint32(directory + 46 + LOG_PATH.length + 42, 0, true);
    await refused(new Blob([bytes]), { code: 'damaged' });
  });

  test('an entry is missing', async () => {
    for (const [path, code] of [
      [MANIFEST_PATH, 'not-a-bundle'],
      [LOG_PATH, 'damaged'],
      [NODES_PATH, 'damaged'],
      [crops()[0] ?? '', 'missing-image'],
    ] as const) {
      const without = new Map(files);
      without.delete(path);
      await refused(without, { code });
    }
  });

  test('it unpacks to more than it says, or claims what no bank holds', async () => {
    const bytes = await bytesOf(zipOf(new Map(files).set(LOG_PATH, new Uint8Array(90_000_000))));
    await refused(new Blob([bytes]), { code: 'too-large', place: { entry: LOG_PATH } });
    const view = new DataView(bytes.buffer);
    const directory = view.getUint32(bytes.length - 6, true);
    view.setUint32(directory + 24, 5000, true);
    await refused(new Blob([bytes]), { code: expect.stringMatching(/damaged|bad-line/u) });
    const huge = withManifest(files, { head: { seq: 6_000_000, hash: '0'.repeat(64) } });
    await refused(huge, { code: 'too-large' });
  }, 30_000);

  test('a line is not exactly what Grove writes, or says what it may not', async () => {
    const lines = linesIn(files);
    const [first = ''] = lines;
    const spoil = (line: string) => withLines(files, lines.with(0, line));
    const place = { entry: LOG_PATH, line: 1 };
    for (const line of [
      '',
      'null',
      '[]',
      `${first} `,
      `\uFEFF${first}`,
      first.replace('{', '{"__proto__":{"seq":1},'),
      first.replace('{', '{"constructor":1,'),
      first.replace('"seq":1', '"seq":1,"seq":1'),
      first.replace('"at":"2026', '"at":"\\ud800'),
      first.replace('"at":"2026', '"at":"<b>'),
      first.slice(0, -1),
    ]) {
      await refused(spoil(line), { code: 'bad-line', place: expect.objectContaining(place) });
    }
    await refused(spoil(first.replace('"seq":1', '"seq":"1"')), {
      code: 'bad-line',
      place: { ...place, path: 'seq' },
      message: expect.stringContaining('log.jsonl, line 1, at seq'),
    });
    await refused(withText(files, LOG_PATH, lines.join('\n')), { code: 'bad-line' });
    const latin = new Map(files).set(LOG_PATH, new Uint8Array([0x22, 0xe4, 0x22, 0x0a]));
    await refused(latin, { code: 'bad-line' });
  });

  test('a text is longer than any, or an image is named by no hash', async () => {
    const long = lessonOf('long', { guidance: 'x'.repeat(100_001) });
    const add = (lesson: unknown) =>
      withEntry(0, (entry: object) => ({
        ...entry,
        operation: { type: 'add-lesson', lesson },
      }));
    await refused(add(long), {
      code: 'too-large',
      place: { entry: LOG_PATH, line: 1, path: 'operation.lesson.content.guidance' },
    });
    const crop = { ...cropOf(1).crop, hash: '../../evil' };
    await refused(add(lessonOf('evil', { crop })), { code: 'bad-line' });
  });

  test('its chain breaks, ends elsewhere, or its bank refuses an operation', async () => {
    const lines = linesIn(files);
    await refused(withLines(files, lines.toSpliced(3, 1)), {
      code: 'broken-chain',
      place: { entry: LOG_PATH, line: 4 },
    });
    await refused(withLines(files, lines.slice(0, -1)), { code: 'broken-chain' });
    const swapped = lines.with(1, lines[2] ?? '').with(2, lines[1] ?? '');
    await refused(withLines(files, swapped), { code: 'broken-chain' });
    const reworded = lines.map((line) => line.replace('Do n0', 'Do m0'));
    await refused(withLines(files, reworded), { code: 'broken-chain' });
    const wrong = withEntry(2, (entry: object) => ({
      ...entry,
      operation: { type: 'retire-lesson', lesson: 'nobody', reason: '' },
    }));
    await refused(wrong, { code: 'does-not-replay', place: { entry: LOG_PATH, line: 3 } });
  });

  test('a lesson’s hash is not that of its content', async () => {
    const lesson = { ...lessonOf('a'), contentHash: lessonContentHash(lessonOf('b').content) };
    const forged = withEntry(0, (entry: object) => ({
      ...entry,
      operation: { type: 'add-lesson', lesson },
    }));
    await refused(forged, { code: 'does-not-replay' });
  });

  test('former ids lead round in a circle', async () => {
    const alias = (id: string, to: string) => ({ table: 'alias', id, from: null, to: [to] });
    const operation = { type: 'restore', of: null, records: [alias('x', 'y'), alias('y', 'x')] };
    const circle = withLog(files, [{ ...bank.entries[0], operation }]);
    await refused(circle, { code: expect.stringMatching(/breaks-invariant|does-not-replay/u) });
  });

  test('its settings would make a tree that nothing can walk', async () => {
    const { bank: settings } = manifestIn(files);
    for (const over of [{ maxDepth: 10_000 }, { maxChildren: 1_000_000 }]) {
      await refused(withManifest(files, { bank: { ...settings, ...over } }), { code: 'too-large' });
    }
  });

  test('its nodes are not the ones its log tells', async () => {
    const lines = linesIn(files, NODES_PATH);
    const place = { entry: NODES_PATH, line: 2 };
    for (const changed of [
      lines.with(1, lines[1]?.replace('"rank":"', '"rank":"very ') ?? ''),
      lines.toSpliced(1, 0, '{}'),
      lines.toSpliced(1, 1),
    ]) {
      await refused(withLines(files, changed, NODES_PATH), { code: 'nodes-differ', place });
    }
    await refused(withLines(files, lines.slice(0, -1), NODES_PATH), { code: 'nodes-differ' });
    await refused(withLines(files, [...lines, '{}'], NODES_PATH), { code: 'nodes-differ' });
  });

  test('its manifest says other things than it holds, or other things at all', async () => {
    const { counts, lineage, bank: settings } = manifestIn(files);
    for (const [over, path] of [
      [{ counts: { ...counts, lessons: counts.lessons + 1 } }, 'counts'],
      [{ lineage: { ...lineage, feedback: [] } }, 'lineage'],
      [{ leftOut: { crops: ['0'.repeat(64)], images: [] } }, 'leftOut.crops'],
      [{ bank: { ...settings, schemaVersion: 2 } }, 'bank.schemaVersion'],
      [{ extra: 1 }, undefined],
    ] as const) {
      const place = { entry: MANIFEST_PATH, ...(path === undefined ? {} : { path }) };
      await refused(withManifest(files, over), { code: 'bad-manifest', place });
    }
    const compact = canonicalJson(manifestIn(files));
    await refused(withText(files, MANIFEST_PATH, compact), { code: 'bad-manifest' });
  });

  test('an image is changed, packed, of another kind, or carries what shows nothing', async () => {
    const [path = ''] = crops();
    const bytes = files.get(path) ?? new Uint8Array();
    const changed = bytes.slice();
    changed[40] = 255 - (changed[40] ?? 0);
    await refused(new Map(files).set(path, changed), { code: 'bad-image', place: { entry: path } });
    const renamed = [...files].map(
      ([name, content]) => [name === path ? path.replace('.png', '.jpg') : name, content] as const,
    );
    await refused(zipOf(renamed), { code: 'bad-image' });
    const packed = new Blob([zipSync(Object.fromEntries(files), { level: 6 })]);
    await refused(packed, { code: 'damaged' });
  });

  test('an image that the log names is no image of that size', async () => {
    for (const [bytes, crop] of [
      [new Uint8Array([1, 2, 3]), {}],
      [cropOf(3).bytes, { width: 31 }],
      [cropOf(3).bytes, { mediaType: 'image/jpeg' }],
    ] as const) {
      const lesson = lessonOf('a', {
        crop: { ...cropOf(3).crop, ...crop, hash: hashBytes(bytes) },
      });
      const only = new Map([...files].filter(([path]) => !path.includes('/')));
      const log = withLog(only, [
        { ...bank.entries[0], operation: { type: 'add-lesson', lesson } },
      ]);
      const { counts } = manifestIn(log);
      const images = { crops: 1, cropBytes: bytes.byteLength, images: 0, imageBytes: 0 };
      const claimed = withManifest(log, { counts: { ...counts, ...images }, sources: false });
      const path = `crops/${hashBytes(bytes)}.png`;
      await refused(new Map(claimed).set(path, bytes), { code: 'bad-image' });
    }
  });
});

test('an older form is read through its migrations, and none that was never written', async () => {
  const migration: BundleMigration = {
    from: 0,
    manifest: ({ kept, ...rest }) => ({ ...rest, leftOut: kept }),
    nodesAgree: false,
  };
  const { leftOut, ...rest } = manifestIn(files);
  const old = JSON.stringify({ ...rest, formatVersion: 0, kept: leftOut });
  expect(parseManifest(old, [migration])).toEqual({
    manifest: manifestIn(files),
    nodesAgree: false,
  });
  expect(() => parseManifest(old)).toThrow('no Grove ever wrote');
  const bundle = zipOf(withText(withText(files, MANIFEST_PATH, old), NODES_PATH, 'other\n'));
  const opened = await openBundle(await openBundleFile(bundle), {}, [migration]);
  const entries: unknown[] = [];
  await readLog(opened, { takeEntries: async (taken) => void entries.push(...taken) });
  expect(entries).toEqual(bank.entries);
  expect(textOf(files, NODES_PATH)).not.toBe('other\n');
});

test('an export of what could not be imported is refused the same way', async () => {
  const lesson = lessonOf('long', { guidance: 'x'.repeat(100_001) });
  const entries = withLog(files, [
    { ...bank.entries[0], operation: { type: 'add-lesson', lesson } },
  ]);
  const [line = ''] = linesIn(entries);
  const entry = JSON.parse(line);
  const { head } = manifestIn(entries);
  await expect(exported({ ...bank, entries: [entry], head })).rejects.toMatchObject({
    code: 'too-large',
  });
  const manifest = { ...bank.manifest, maxDepth: 1000 };
  await expect(exported({ ...bank, manifest })).rejects.toMatchObject({ code: 'too-large' });
});
