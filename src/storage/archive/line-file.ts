import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { PackedEntry } from './zip/zip-writer.ts';

/** A file of JSON lines being written; `end` says what was. */
export interface LineFile {
  write(record: unknown): void;
  end(): { readonly rows: number; readonly bytes: number; readonly hash: string };
}

/** Lines into an entry of a zip. */
export function lineFile(entry: PackedEntry): LineFile {
  const hash = sha256.create();
  let rows = 0;
  let bytes = 0;
  return {
    write(record) {
      const line = utf8ToBytes(`${JSON.stringify(record)}\n`);
      hash.update(line);
      rows += 1;
      bytes += line.byteLength;
      entry.push(line);
    },
    end() {
      entry.end();
      return { rows, bytes, hash: bytesToHex(hash.digest()) };
    },
  };
}
