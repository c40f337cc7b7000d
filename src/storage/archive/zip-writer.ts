import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { StorageError } from '../../core/errors.ts';

/** What fflate's zip form can say: no more entries, no larger file. */
const MAX_ENTRIES = 65_000;
const MAX_BYTES = 0xffff_ffff;
/** How much gathers on the heap before it becomes a Blob, which the browser may keep on disk. */
const PIECE_BYTES = 1 << 20;

/** A file of JSON lines being written; `end` says what was. */
export interface LineFile {
  write(record: unknown): void;
  end(): { readonly rows: number; readonly bytes: number; readonly hash: string };
}

/** A zip file being written, piece by piece. One file is open at a time. */
export interface ZipWriter {
  lines(path: string): LineFile;
  /** Adds bytes as they are. */
  store(path: string, bytes: Uint8Array): void;
  finish(): Blob;
}

/** Begins a zip file whose entries all carry the time `at`. Throws StorageError where it grows too large. */
export function zipWriter(at: string): ZipWriter {
  const parts: Blob[] = [];
  let pending: Uint8Array<ArrayBuffer>[] = [];
  let pendingBytes = 0;
  let bytes = 0;
  let entries = 0;
  const spill = () => {
    parts.push(new Blob(pending));
    pending = [];
    pendingBytes = 0;
  };
  const zip = new Zip((error, data) => {
    if (error !== null) throw error;
    // Empty pieces come too; fflate may reuse nothing it handed out.
    pending.push(data);
    pendingBytes += data.byteLength;
    bytes += data.byteLength;
    if (pendingBytes >= PIECE_BYTES) spill();
    if (bytes > MAX_BYTES) tooLarge('4 GB');
  });
  const add = <File extends ZipDeflate | ZipPassThrough>(file: File): File => {
    entries += 1;
    if (entries > MAX_ENTRIES) tooLarge(`${MAX_ENTRIES.toLocaleString('en')} images`);
    file.mtime = at;
    zip.add(file);
    return file;
  };
  return {
    lines: (path) => lineFile(add(new ZipDeflate(path, { level: 6 }))),
    store: (path, data) => add(new ZipPassThrough(path)).push(data, true),
    finish() {
      zip.end();
      spill();
      return new Blob(parts, { type: 'application/zip' });
    },
  };
}

function lineFile(file: ZipDeflate): LineFile {
  const hash = sha256.create();
  let rows = 0;
  let bytes = 0;
  return {
    write(record) {
      const line = utf8ToBytes(`${JSON.stringify(record)}\n`);
      hash.update(line);
      rows += 1;
      bytes += line.byteLength;
      file.push(line);
    },
    end() {
      file.push(new Uint8Array(0), true);
      return { rows, bytes, hash: bytesToHex(hash.digest()) };
    },
  };
}

function tooLarge(limit: string): never {
  throw new StorageError(
    'failed',
    `There is more than one back-up file can hold (${limit}). Nothing was changed.`,
  );
}
