import { accept, refuse, type Result } from '../../core/result.ts';

/** A file inside a zip, as the zip's directory names it. */
export interface ZipEntry {
  readonly path: string;
  readonly method: 'stored' | 'deflated';
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Where its local header begins. */
  readonly offset: number;
}

export type ZipRefusal = {
  readonly reason: 'not-a-backup' | 'truncated' | 'tampered';
  readonly message: string;
};

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const END_MAGIC = 0x06054b50;
const DIRECTORY_MAGIC = 0x02014b50;
const LOCAL_MAGIC = 0x04034b50;

/**
 * The directory of a zip file, which stands at its end: a file that was cut short has none. Reads the
 * directory only. Names are unique and every entry lies inside the file.
 */
export async function readZip(
  file: Blob,
): Promise<Result<ReadonlyMap<string, ZipEntry>, ZipRefusal>> {
  const begins = file.size >= 4 && (await view(file, 0, 4)).getUint32(0, true);
  if (begins !== LOCAL_MAGIC) {
    return refuse('not-a-backup', 'This file is not a Grove back-up: it is not a zip file.');
  }
  const tailStart = Math.max(0, file.size - END_BYTES - MAX_COMMENT_BYTES);
  const tail = await view(file, tailStart, file.size);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end, true) !== END_MAGIC) end -= 1;
  if (end < 0) return truncated();
  const size = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  if (start + size > tailStart + end) return truncated();
  return readDirectory(
    await view(file, start, start + size),
    tail.getUint16(end + 10, true),
    start,
  );
}

/**
 * The bytes of an entry, unpacked as they are read. The stream errors where they do not unpack.
 * Undefined where the entry has no local header.
 */
export async function entryStream(
  file: Blob,
  entry: ZipEntry,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined> {
  const header = await view(file, entry.offset, entry.offset + 30);
  if (header.byteLength < 30 || header.getUint32(0, true) !== LOCAL_MAGIC) return undefined;
  const start = entry.offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = file.slice(start, start + entry.compressedBytes);
  if (packed.size !== entry.compressedBytes) return undefined;
  return entry.method === 'stored'
    ? packed.stream()
    : packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));
}

function readDirectory(
  directory: DataView,
  count: number,
  fileBytes: number,
): Result<ReadonlyMap<string, ZipEntry>, ZipRefusal> {
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  while (at + 46 <= directory.byteLength && directory.getUint32(at, true) === DIRECTORY_MAGIC) {
    const nameBytes = directory.getUint16(at + 28, true);
    const next = at + 46 + nameBytes + directory.getUint16(at + 30, true);
    if (next > directory.byteLength) return tampered();
    const name = new Uint8Array(directory.buffer, directory.byteOffset + at + 46, nameBytes);
    const method = directory.getUint16(at + 10, true);
    const entry: ZipEntry = {
      path: new TextDecoder().decode(name),
      method: method === 0 ? 'stored' : 'deflated',
      compressedBytes: directory.getUint32(at + 20, true),
      bytes: directory.getUint32(at + 24, true),
      offset: directory.getUint32(at + 42, true),
    };
    const inside = entry.offset + entry.compressedBytes <= fileBytes;
    if (!inside || (method !== 0 && method !== 8) || entries.has(entry.path)) return tampered();
    entries.set(entry.path, entry);
    at = next + directory.getUint16(at + 32, true);
  }
  return at === directory.byteLength && entries.size === count ? accept(entries) : tampered();
}

async function view(file: Blob, start: number, end: number): Promise<DataView> {
  return new DataView(await file.slice(start, end).arrayBuffer());
}

const truncated = () =>
  refuse('truncated', 'This back-up was cut short: its end is missing. Copy or download it again.');

const tampered = () =>
  refuse('tampered', 'This back-up was damaged or changed: its table of contents does not fit.');
