import { Deflate } from 'fflate';
import { blobParts } from './blob-parts.ts';
import { crc32 } from './crc-32.ts';
import {
  directoryHeader,
  DOS_EPOCH,
  dosTimeOf,
  endRecords,
  localHeader,
  type NeedsZip64,
  type WrittenEntry,
} from './zip-layout.ts';

/** The one compressor, at the one level: the same text gives the same bytes. */
const LEVEL = 6;
/** Text is packed in blocks of this size, however it came, so that batches do not show in the bytes. */
const BLOCK_BYTES = 64 * 1024;

/** An entry being packed. */
export interface PackedEntry {
  push(bytes: Uint8Array): void;
  /** Ends it; the next entry may begin. */
  end(): void;
}

/** A zip file being written, one entry after another. Nothing of it waits for anything. */
export interface ZipWriter {
  pack(path: string): PackedEntry;
  /** Adds bytes as they are. */
  store(path: string, bytes: Uint8Array<ArrayBuffer>): void;
  /** Writes the directory, which ends the file. */
  finish(): void;
}

export interface ZipWriterOptions {
  /** The time of every entry, ISO 8601; without it the earliest a zip can say. */
  readonly at?: string;
  /** `always` is for tests: numbers go into Zip64 records however small they are. */
  readonly zip64?: 'needed' | 'always';
}

/**
 * Begins a zip file. Its bytes go to `emit` in order. Headers are whole before what they stand for, so
 * there are no records after the data, and Zip64 records where sizes, offsets or counts need them.
 */
export function zipWriter(
  emit: (part: Uint8Array<ArrayBuffer> | Blob) => void,
  { at, zip64 = 'needed' }: ZipWriterOptions = {},
): ZipWriter {
  const needs: NeedsZip64 = (value, max) => zip64 === 'always' || value >= max;
  const dosTime = at === undefined ? DOS_EPOCH : dosTimeOf(at);
  const entries: WrittenEntry[] = [];
  let offset = 0;
  const put = (part: Uint8Array<ArrayBuffer> | Blob) => {
    offset += part instanceof Blob ? part.size : part.byteLength;
    emit(part);
  };
  const begin = (entry: Omit<WrittenEntry, 'offset' | 'dosTime'>) => {
    const whole = { ...entry, offset, dosTime };
    entries.push(whole);
    put(localHeader(whole, needs));
  };
  return {
    pack: (path) =>
      packer(({ crc, bytes, packed, compressedBytes }) => {
        begin({ path, method: 8, crc, compressedBytes, bytes });
        for (const part of packed) put(part);
      }),
    store(path, bytes) {
      const { byteLength } = bytes;
      const crc = crc32(bytes);
      begin({ path, method: 0, crc, compressedBytes: byteLength, bytes: byteLength });
      put(bytes);
    },
    finish() {
      const start = offset;
      for (const entry of entries) put(directoryHeader(entry, needs));
      put(endRecords({ count: entries.length, size: offset - start, start }, needs));
    },
  };
}

interface Packed {
  readonly crc: number;
  readonly bytes: number;
  readonly compressedBytes: number;
  readonly packed: readonly Blob[];
}

/** Gathers what is pushed into blocks, packs them, and hands all of it over at the end. */
function packer(done: (packed: Packed) => void): PackedEntry {
  const parts = blobParts();
  let [crc, bytes, compressedBytes, filled] = [0, 0, 0, 0];
  let block = new Uint8Array(BLOCK_BYTES);
  const deflate = new Deflate({ level: LEVEL }, (data) => {
    compressedBytes += data.byteLength;
    parts.push(data);
  });
  return {
    push(piece) {
      crc = crc32(piece, crc);
      bytes += piece.byteLength;
      for (let at = 0; at < piece.byteLength;) {
        const part = piece.subarray(at, at + BLOCK_BYTES - filled);
        block.set(part, filled);
        filled += part.byteLength;
        at += part.byteLength;
        if (filled < BLOCK_BYTES) continue;
        deflate.push(block);
        block = new Uint8Array(BLOCK_BYTES);
        filled = 0;
      }
    },
    end() {
      deflate.push(block.subarray(0, filled), true);
      done({ crc, bytes, compressedBytes, packed: parts.parts() });
    },
  };
}
