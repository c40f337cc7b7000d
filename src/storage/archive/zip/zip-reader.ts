import { readPieces, type ByteSource } from './byte-source.ts';
import { crc32 } from './crc-32.ts';
import { readDirectory, type ZipEntry } from './zip-directory.ts';
import { damage, ZipError } from './zip-error.ts';
import { END, END_64, FLAGS, LOCAL, LOCATOR_64, MAX_16, MAX_32 } from './zip-layout.ts';

/** The most a directory may take: it is read whole. */
const MAX_DIRECTORY_BYTES = 128 * 1024 * 1024;

/**
 * The directory of a zip file, which stands at its end: a file that was cut short has none. Reads the
 * directory only. Names are unique and lead nowhere else, and the entries cover the file from its first
 * byte up to the directory, one after the other: nothing overlaps, and nothing is hidden between.
 *
 * @throws ZipError; whatever the source throws.
 */
export async function readZip(source: ByteSource): Promise<ReadonlyMap<string, ZipEntry>> {
  const begins = await view(source, 0, 4);
  const magic = begins.byteLength < 4 ? 0 : begins.getUint32(0, true);
  if (magic !== LOCAL.magic && magic !== END.magic) throw new ZipError('not-a-zip', 'no zip file');
  const end = source.size - END.bytes;
  const record = await view(source, end, source.size);
  if (end < 0 || record.getUint32(0, true) !== END.magic) throw truncated();
  const small = {
    count: record.getUint16(10, true),
    size: record.getUint32(12, true),
    start: record.getUint32(16, true),
    end,
  };
  const isLarge = small.count === MAX_16 || small.size === MAX_32 || small.start === MAX_32;
  const directory = isLarge ? await readEnd64(source, end) : small;
  if (directory.start + directory.size > directory.end) throw truncated();
  if (directory.start + directory.size !== directory.end) throw damage('its end does not fit');
  if (directory.size > MAX_DIRECTORY_BYTES) throw new ZipError('too-large', 'too many entries');
  const bytes = await view(source, directory.start, directory.end);
  return readDirectory(bytes, { count: directory.count, fileBytes: directory.start });
}

async function readEnd64(source: ByteSource, end: number) {
  const start = end - LOCATOR_64.bytes - END_64.bytes;
  if (start < 0) throw truncated();
  const record = await view(source, start, end);
  const locator = END_64.bytes;
  if (
    record.getUint32(0, true) !== END_64.magic ||
    record.getUint32(locator, true) !== LOCATOR_64.magic ||
    record.getBigUint64(locator + 8, true) !== BigInt(start)
  ) {
    throw damage('its end does not fit');
  }
  return {
    count: Number(record.getBigUint64(32, true)),
    size: Number(record.getBigUint64(40, true)),
    start: Number(record.getBigUint64(48, true)),
    end: start,
  };
}

/**
 * The bytes of an entry, unpacked as they are read: at most as many as the directory says, and at the
 * end exactly those, with the checksum it says.
 *
 * @throws ZipError `damaged`; whatever the source throws.
 */
export async function* unpack(
  source: ByteSource,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { path } = entry;
  const start = await dataStart(source, entry);
  const packed = readPieces(source, start, start + entry.compressedBytes);
  let [bytes, crc] = [0, 0];
  for await (const piece of entry.method === 'stored' ? packed : inflate(packed, path)) {
    bytes += piece.byteLength;
    // Stops a small file that unpacks to a huge one.
    if (bytes > entry.bytes) throw damage('it is longer than it says', path);
    crc = crc32(piece, crc);
    yield piece;
  }
  if (bytes < entry.bytes) throw damage('it is shorter than it says', path);
  if (crc !== entry.crc) throw damage('its bytes were changed', path);
}

/** Where an entry's bytes begin, after a look that its own header agrees with the directory. */
async function dataStart(source: ByteSource, entry: ZipEntry): Promise<number> {
  const { path, offset, nameBytes, compressedBytes, end, flags } = entry;
  const header = await view(source, offset, offset + LOCAL.bytes + nameBytes);
  const whole = header.byteLength === LOCAL.bytes + nameBytes;
  if (!whole || header.getUint32(0, true) !== LOCAL.magic) throw damage('it is missing', path);
  const name = new Uint8Array(header.buffer, LOCAL.bytes, nameBytes);
  const method = header.getUint16(8, true) === 0 ? 'stored' : 'deflated';
  const agrees =
    header.getUint16(26, true) === nameBytes &&
    new TextDecoder().decode(name) === path &&
    header.getUint16(6, true) === flags &&
    method === entry.method;
  if (!agrees) throw damage('it is called otherwise in two places', path);
  const start = offset + LOCAL.bytes + nameBytes + header.getUint16(28, true);
  const after = end - start - compressedBytes;
  // Some writers put the sizes behind the bytes, in 12 to 24 more.
  const fits = (flags & FLAGS.sizesAfter) === 0 ? after === 0 : after >= 12 && after <= 24;
  if (!fits) throw damage('its size does not fit', path);
  return start;
}

async function* inflate(
  packed: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  path: string,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let failed: { readonly error: unknown } | undefined;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await packed.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          failed = { error };
          controller.error(error);
        }
      },
      cancel: () => packed.return(undefined).then(() => undefined),
    },
    { highWaterMark: 1 },
  );
  const reader = stream.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        // What could not be read is told as it is; what could not be unpacked is damage.
        throw failed === undefined ? damage('it does not unpack', path, cause) : failed.error;
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function view(source: ByteSource, start: number, end: number): Promise<DataView> {
  if (start < 0) return new DataView(new ArrayBuffer(0));
  const bytes = await source.read(start, end);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const truncated = () => new ZipError('truncated', 'its end is missing');
