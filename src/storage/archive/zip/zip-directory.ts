import { damage } from './zip-error.ts';
import { DIRECTORY, FLAGS, LOCAL, MAX_32, ZIP64_EXTRA } from './zip-layout.ts';

/** A file inside a zip, as the zip's directory names it. */
export interface ZipEntry {
  readonly path: string;
  readonly method: 'stored' | 'deflated';
  readonly flags: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Where its local header begins, and where the next entry (or the directory) does. */
  readonly offset: number;
  readonly end: number;
  readonly nameBytes: number;
}

/** Which flags are understood: names in UTF-8, sizes after the bytes, and a hint at the level. */
const KNOWN_FLAGS = FLAGS.utf8 | FLAGS.sizesAfter | 0x0006;

/**
 * The entries of a directory: `count` of them, which cover the first `fileBytes` of the file.
 *
 * @throws ZipError `damaged`.
 */
export function readDirectory(
  directory: DataView,
  { count, fileBytes }: { readonly count: number; readonly fileBytes: number },
): ReadonlyMap<string, ZipEntry> {
  const found: Omit<ZipEntry, 'end'>[] = [];
  let at = 0;
  while (at < directory.byteLength) {
    const header = readHeader(directory, at);
    found.push(header.entry);
    at = header.next;
  }
  if (found.length !== count) throw damage('its table of contents does not fit');
  const entries = new Map<string, ZipEntry>();
  const inPlace = found.toSorted((first, second) => first.offset - second.offset);
  let expected = 0;
  inPlace.forEach((entry, index) => {
    const { path, offset, nameBytes, compressedBytes } = entry;
    const end = inPlace[index + 1]?.offset ?? fileBytes;
    if (offset !== expected || offset + LOCAL.bytes + nameBytes + compressedBytes > end) {
      throw damage('it overlaps another', path);
    }
    if (entries.has(path)) throw damage('it is there twice', path);
    entries.set(path, { ...entry, end });
    expected = end;
  });
  if (expected !== fileBytes) throw damage('its table of contents does not fit');
  return entries;
}

function readHeader(
  directory: DataView,
  at: number,
): { readonly entry: Omit<ZipEntry, 'end'>; readonly next: number } {
  const fixed = at + DIRECTORY.bytes;
  if (fixed > directory.byteLength || directory.getUint32(at, true) !== DIRECTORY.magic) {
    throw damage('its table of contents does not fit');
  }
  const nameBytes = directory.getUint16(at + 28, true);
  const extraBytes = directory.getUint16(at + 30, true);
  const next = fixed + nameBytes + extraBytes + directory.getUint16(at + 32, true);
  if (next > directory.byteLength) throw damage('its table of contents does not fit');
  const path = readName(directory, fixed, nameBytes);
  const flags = directory.getUint16(at + 8, true);
  const method = directory.getUint16(at + 10, true);
  if ((flags & ~KNOWN_FLAGS) !== 0 || (method !== 0 && method !== 8)) {
    throw damage('it is packed in a way that is not read', path);
  }
  const large = zip64Numbers(directory, fixed + nameBytes, extraBytes);
  const number = (from: number) => {
    const value = directory.getUint32(at + from, true);
    if (value !== MAX_32) return value;
    const found = large.shift();
    if (found === undefined || found > Number.MAX_SAFE_INTEGER) {
      throw damage('its size does not fit', path);
    }
    return found;
  };
  // Zip64 gives what overflows in this order.
  const bytes = number(24);
  const compressedBytes = number(20);
  const offset = number(42);
  if (method === 0 && bytes !== compressedBytes) throw damage('its size does not fit', path);
  const crc = directory.getUint32(at + 16, true);
  const entry = { path, flags, crc, compressedBytes, bytes, offset, nameBytes };
  return { entry: { ...entry, method: method === 0 ? 'stored' : 'deflated' }, next };
}

/** A name that stays inside: relative, forward slashes, no step up, no control characters. */
function readName(directory: DataView, at: number, length: number): string {
  const bytes = new Uint8Array(directory.buffer, directory.byteOffset + at, length);
  let name: string;
  try {
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw damage('a name in it is not text', undefined, cause);
  }
  const steps = name.split('/');
  const leadsOut = steps.some((step) => step === '' || step === '.' || step === '..');
  if (leadsOut || /[\u0000-\u001f\u007f\\:]/u.test(name)) {
    throw damage('a name in it leads out of the file', name);
  }
  return name;
}

function zip64Numbers(directory: DataView, at: number, length: number): number[] {
  for (let from = at; from + 4 <= at + length;) {
    const size = directory.getUint16(from + 2, true);
    if (from + 4 + size > at + length) break;
    if (directory.getUint16(from, true) === ZIP64_EXTRA) {
      return Array.from({ length: Math.floor(size / 8) }, (_, index) =>
        Number(directory.getBigUint64(from + 4 + 8 * index, true)),
      );
    }
    from += 4 + size;
  }
  return [];
}
