import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashBytes } from '../../../../src/core/canonical.ts';
import { bundleBank } from './bundle-bank.ts';
import { bytesOf, exported, imported } from './memory-bundle.ts';

describe('a bundle', () => {
  test('of the same bank has the same bytes, however the bank was read, and after an import too', async () => {
    for (const seed of [1, 2, 3]) {
      for (const sources of [false, true]) {
        const bank = bundleBank(seed, 120);
        const { file } = await exported(bank, { sources, batch: 7 });
        const bytes = await bytesOf(file);
        const again = await exported(bank, { sources, batch: 64 });
        expect(hashBytes(await bytesOf(again.file))).toBe(hashBytes(bytes));
        const back = await imported(file);
        expect(back.entries).toEqual(bank.entries);
        expect(back.head).toEqual(bank.head);
        expect(back.manifest).toEqual(bank.manifest);
        const third = await exported(back, { sources, batch: 1 });
        expect(hashBytes(await bytesOf(third.file))).toBe(hashBytes(bytes));
      }
    }
  }, 30_000);

  test('of an empty bank goes there and back', async () => {
    const bank = bundleBank(1, 0);
    const { file } = await exported(bank);
    expect(await imported(file)).toEqual(bank);
  });

  test('opens in any zip tool: log, nodes, crops by hash ascending, manifest last', async () => {
    const bank = bundleBank(7, 80);
    const { file, manifest } = await exported(bank, { sources: true });
    const bytes = await bytesOf(file);
    const files = unzipSync(bytes);
    const paths = Object.keys(files);
    const images = paths.slice(2, -1);
    expect(paths.slice(0, 2)).toEqual(['log.jsonl', 'nodes.jsonl']);
    expect(paths.at(-1)).toBe('manifest.json');
    expect(images).toEqual(images.toSorted());
    expect(images).toHaveLength(manifest.counts.crops + manifest.counts.images);
    for (const path of images) {
      expect(path).toContain(hashBytes(files[path] ?? new Uint8Array()));
    }
    const lines = strFromU8(files['log.jsonl'] ?? new Uint8Array())
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(bank.entries);
    const nodes = strFromU8(files['nodes.jsonl'] ?? new Uint8Array())
      .trimEnd()
      .split('\n');
    expect(JSON.parse(nodes[0] ?? '')).toMatchObject({ id: 'root', path: '', rank: 'group' });
    const directory = mkdtempSync(join(tmpdir(), 'grove-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    for (const [name, bundle] of [
      ['plain.zip', bytes],
      ['zip64.zip', await bytesOf((await exported(bank, { zip64: 'always' })).file)],
    ] as const) {
      writeFileSync(join(directory, name), bundle);
      const script =
        'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None';
      execFileSync('python3', ['-c', script, join(directory, name)]);
    }
  });

  test('is read where its numbers are in Zip64 records', async () => {
    const bank = bundleBank(9, 60);
    const { file } = await exported(bank, { zip64: 'always' });
    expect((await imported(file)).entries).toEqual(bank.entries);
  });

  test('under a passphrase opens with it alone, in any way the words are composed', async () => {
    const bank = bundleBank(4, 200);
    const { file } = await exported(bank, { sources: true, passphrase: 'Grüne Linie 5' });
    expect(strFromU8(await bytesOf(file.slice(0, 8)))).toBe('GROVEBOX');
    const back = await imported(file, 'Gru\u0308ne Linie 5');
    const { file: plain } = await exported(bank, { sources: true });
    const again = await exported(back, { sources: true });
    expect(hashBytes(await bytesOf(again.file))).toBe(hashBytes(await bytesOf(plain)));
    await expect(imported(file, 'grüne linie 5')).rejects.toMatchObject({
      code: 'wrong-passphrase',
    });
    await expect(imported(file)).rejects.toMatchObject({ code: 'needs-passphrase' });
    await expect(imported(file, '')).rejects.toMatchObject({ code: 'empty-passphrase' });
  });
});
