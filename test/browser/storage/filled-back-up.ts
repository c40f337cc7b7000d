import { strFromU8, strToU8, unzipSync, zipSync, type Zippable } from 'fflate';
import { hashBytes, hashJson } from '../../../src/core/canonical.ts';
import type { BackupManifest } from '../../../src/storage/archive/format.ts';
import { fill, freshName } from './filled.ts';
import { openTestStorage } from './open-test-storage.ts';

/** When every back-up of these tests was made. */
export const NOW = '2026-02-03T04:05:06.000Z';

/** A filled storage and its back-up, made at `NOW`. */
export async function filledBackUp() {
  const name = freshName();
  const storage = await openTestStorage({ name });
  const filled = await fill(storage);
  const { file } = await storage.backUp({ now: NOW });
  return { name, storage, filled, file };
}

/** The files of a zip, as bytes. */
export async function unzip(file: Blob): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const entries = Object.entries(unzipSync(new Uint8Array(await file.arrayBuffer())));
  return Object.fromEntries(entries.map(([path, bytes]) => [path, new Uint8Array(bytes)]));
}

/** A zip of files; images as they are. */
export function zip(files: Record<string, Uint8Array>): Blob {
  const zippable: Zippable = {};
  for (const [path, bytes] of Object.entries(files)) {
    zippable[path] = path.startsWith('blobs/') ? [bytes, { level: 0 }] : bytes;
  }
  return new Blob([zipSync(zippable)]);
}

export type Files = Record<string, Uint8Array<ArrayBuffer>>;

export function readManifest(files: Files): BackupManifest {
  return JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()));
}

/** Changes a table's text and makes the manifest agree, as a careful forger would. */
export function forge(files: Files, table: string, change: (text: string) => string): Files {
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
