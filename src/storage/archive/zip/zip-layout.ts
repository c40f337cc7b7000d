import { utf8ToBytes } from '@noble/hashes/utils.js';

/** Marks that begin the parts of a zip, and how long their fixed halves are. */
export const LOCAL = { magic: 0x04034b50, bytes: 30 } as const;
export const DIRECTORY = { magic: 0x02014b50, bytes: 46 } as const;
export const END = { magic: 0x06054b50, bytes: 22 } as const;
export const END_64 = { magic: 0x06064b50, bytes: 56 } as const;
export const LOCATOR_64 = { magic: 0x07064b50, bytes: 20 } as const;

/** In a 32-bit or 16-bit field: look into the Zip64 record. */
export const MAX_32 = 0xffff_ffff;
export const MAX_16 = 0xffff;
export const ZIP64_EXTRA = 0x0001;

/** Bits of an entry's flags. */
export const FLAGS = { encrypted: 0x0001, sizesAfter: 0x0008, utf8: 0x0800 } as const;

/** An entry as it was written: everything its two headers say. */
export interface WrittenEntry {
  readonly path: string;
  readonly method: 0 | 8;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Where its local header begins. */
  readonly offset: number;
  /** Date and time as DOS writes them, time in the low half. */
  readonly dosTime: number;
}

/** Whether a number goes into a Zip64 record; tests have every number go there. */
export type NeedsZip64 = (value: number, max: number) => boolean;

/** What stands before the bytes of an entry. */
export function localHeader(entry: WrittenEntry, needs: NeedsZip64): Uint8Array<ArrayBuffer> {
  const large = needs(entry.bytes, MAX_32) || needs(entry.compressedBytes, MAX_32);
  const name = utf8ToBytes(entry.path);
  const extra = large ? zip64Extra([entry.bytes, entry.compressedBytes]) : new Uint8Array(0);
  const { view, bytes } = fields(LOCAL.bytes + name.length + extra.length);
  view.setUint32(0, LOCAL.magic, true);
  common(view, 4, { entry, large, nameBytes: name.length, extraBytes: extra.length });
  bytes.set(name, LOCAL.bytes);
  bytes.set(extra, LOCAL.bytes + name.length);
  return bytes;
}

/** What the directory says of an entry. */
export function directoryHeader(entry: WrittenEntry, needs: NeedsZip64): Uint8Array<ArrayBuffer> {
  const large = needs(entry.bytes, MAX_32) || needs(entry.compressedBytes, MAX_32);
  const far = needs(entry.offset, MAX_32);
  const numbers = [
    ...(large ? [entry.bytes, entry.compressedBytes] : []),
    ...(far ? [entry.offset] : []),
  ];
  const name = utf8ToBytes(entry.path);
  const extra = numbers.length > 0 ? zip64Extra(numbers) : new Uint8Array(0);
  const { view, bytes } = fields(DIRECTORY.bytes + name.length + extra.length);
  view.setUint32(0, DIRECTORY.magic, true);
  view.setUint16(4, extra.length > 0 ? 45 : 20, true);
  common(view, 6, { entry, large, nameBytes: name.length, extraBytes: extra.length });
  view.setUint32(42, far ? MAX_32 : entry.offset, true);
  bytes.set(name, DIRECTORY.bytes);
  bytes.set(extra, DIRECTORY.bytes + name.length);
  return bytes;
}

/** The end of a zip whose directory of `count` entries takes `size` bytes from `start` on. */
export function endRecords(
  directory: { readonly count: number; readonly size: number; readonly start: number },
  needs: NeedsZip64,
): Uint8Array<ArrayBuffer> {
  const { count, size, start } = directory;
  const large = needs(count, MAX_16) || needs(size, MAX_32) || needs(start, MAX_32);
  const before = large ? END_64.bytes + LOCATOR_64.bytes : 0;
  const { view, bytes } = fields(before + END.bytes);
  if (large) {
    view.setUint32(0, END_64.magic, true);
    view.setBigUint64(4, BigInt(END_64.bytes - 12), true);
    view.setUint16(12, 45, true);
    view.setUint16(14, 45, true);
    view.setBigUint64(24, BigInt(count), true);
    view.setBigUint64(32, BigInt(count), true);
    view.setBigUint64(40, BigInt(size), true);
    view.setBigUint64(48, BigInt(start), true);
    view.setUint32(END_64.bytes, LOCATOR_64.magic, true);
    view.setBigUint64(END_64.bytes + 8, BigInt(start + size), true);
    view.setUint32(END_64.bytes + 16, 1, true);
  }
  view.setUint32(before, END.magic, true);
  view.setUint16(before + 8, large ? MAX_16 : count, true);
  view.setUint16(before + 10, large ? MAX_16 : count, true);
  view.setUint32(before + 12, large ? MAX_32 : size, true);
  view.setUint32(before + 16, large ? MAX_32 : start, true);
  return bytes;
}

/** The run of fields that both headers of an entry have, from "version needed" on. */
function common(
  view: DataView,
  at: number,
  {
    entry,
    large,
    nameBytes,
    extraBytes,
  }: { entry: WrittenEntry; large: boolean; nameBytes: number; extraBytes: number },
): void {
  view.setUint16(at, extraBytes > 0 ? 45 : 20, true);
  view.setUint16(at + 2, FLAGS.utf8, true);
  view.setUint16(at + 4, entry.method, true);
  view.setUint32(at + 6, entry.dosTime, true);
  view.setUint32(at + 10, entry.crc, true);
  view.setUint32(at + 14, large ? MAX_32 : entry.compressedBytes, true);
  view.setUint32(at + 18, large ? MAX_32 : entry.bytes, true);
  view.setUint16(at + 22, nameBytes, true);
  view.setUint16(at + 24, extraBytes, true);
}

function zip64Extra(numbers: readonly number[]): Uint8Array<ArrayBuffer> {
  const { view, bytes } = fields(4 + 8 * numbers.length);
  view.setUint16(0, ZIP64_EXTRA, true);
  view.setUint16(2, 8 * numbers.length, true);
  numbers.forEach((value, index) => view.setBigUint64(4 + 8 * index, BigInt(value), true));
  return bytes;
}

function fields(length: number): { view: DataView; bytes: Uint8Array<ArrayBuffer> } {
  const bytes = new Uint8Array(length);
  return { view: new DataView(bytes.buffer), bytes };
}

/** The first moment that DOS can say: 1 January 1980, 00:00. */
export const DOS_EPOCH = 0x0021_0000;

/** An ISO 8601 time as DOS writes it, in UTC, so that it does not depend on where it is written. */
export function dosTimeOf(at: string): number {
  const time = new Date(at);
  const year = time.getUTCFullYear() - 1980;
  if (Number.isNaN(year) || year < 0 || year > 127) return DOS_EPOCH;
  const date = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock =
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return date * 0x1_0000 + clock;
}
