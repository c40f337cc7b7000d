import { BundleError, bundleError } from '../../../core/transfer/bundle/bundle-error.ts';
import { BUNDLE_LIMITS } from '../../../core/transfer/bundle/bundle-limits.ts';
import type { BundleFiles } from '../../../core/transfer/bundle/read-bundle.ts';
import { fileSource, type ByteSource } from '../zip/byte-source.ts';
import type { ZipEntry } from '../zip/zip-directory.ts';
import { ZipError } from '../zip/zip-error.ts';
import { readZip, unpack } from '../zip/zip-reader.ts';
import { sealedSource } from './sealed-file.ts';
import { isSealed, readSealedKey } from './sealed-key.ts';

/**
 * Opens a `.grove` file: decrypts it where it is sealed, and reads the directory of its zip.
 *
 * @throws BundleError `not-a-bundle`, `needs-passphrase`, `wrong-passphrase`, `truncated`, `damaged`,
 * `too-large`, `unreadable`.
 */
export async function openBundleFile(file: Blob, passphrase?: string): Promise<BundleFiles> {
  return telling(async () => {
    const plain = fileSource(file);
    const source = (await isSealed(plain)) ? await unseal(plain, passphrase) : plain;
    const entries = await readZip(source);
    for (const entry of entries.values()) checkSizes(entry);
    return zipFiles(source, entries);
  });
}

async function unseal(source: ByteSource, passphrase: string | undefined): Promise<ByteSource> {
  if (passphrase !== undefined) {
    return sealedSource(source, await readSealedKey(source, passphrase));
  }
  throw new BundleError('needs-passphrase', 'This bundle is encrypted. Give its passphrase.');
}

/** What an entry claims must be possible for a bank: text packs well, but not a thousandfold. */
function checkSizes({ path, bytes, compressedBytes }: ZipEntry): void {
  const { inflation, inflationAllowance, textBytes } = BUNDLE_LIMITS;
  if (bytes <= textBytes && bytes <= inflationAllowance + inflation * compressedBytes) return;
  const what = `claims to unpack ${compressedBytes} bytes into ${bytes}`;
  throw bundleError('too-large', { entry: path }, { what });
}

function zipFiles(source: ByteSource, entries: ReadonlyMap<string, ZipEntry>): BundleFiles {
  const entryOf = (path: string): ZipEntry => {
    const entry = entries.get(path);
    if (entry === undefined) {
      throw bundleError('damaged', { entry: path }, { what: 'lacks an entry' });
    }
    return entry;
  };
  return {
    sizes: new Map([...entries].map(([path, { bytes }]) => [path, bytes])),
    async text(path) {
      const bytes = await telling(() => readAll(source, entryOf(path)));
      return decodeWith(newDecoder(), bytes, path);
    },
    lines: (path) => readLines(source, entryOf(path)),
    async bytes(path) {
      const entry = entryOf(path);
      if (entry.method !== 'stored') {
        throw bundleError('damaged', { entry: path }, { what: 'holds an image that is packed' });
      }
      return telling(() => readAll(source, entry));
    },
  };
}

async function readAll(source: ByteSource, entry: ZipEntry): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(entry.bytes);
  let at = 0;
  for await (const piece of unpack(source, entry)) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

async function* readLines(
  source: ByteSource,
  entry: ZipEntry,
): AsyncGenerator<{ readonly lines: readonly string[]; readonly bytes: number }> {
  const { path } = entry;
  const decoder = newDecoder();
  const pieces = unpack(source, entry);
  /** The beginning of a line whose end has not come yet. */
  let open: string[] = [];
  let openLength = 0;
  try {
    for (;;) {
      const { done, value } = await telling(() => pieces.next());
      if (done === true) break;
      const lines = decodeWith(decoder, value, path, true).split('\n');
      const rest = lines.pop() ?? '';
      if (lines.length > 0) {
        lines[0] = open.join('') + (lines[0] ?? '');
        [open, openLength] = [[], 0];
      }
      open.push(rest);
      openLength += rest.length;
      if (openLength > BUNDLE_LIMITS.lineLength) {
        throw bundleError('too-large', { entry: path }, { what: 'holds too long a line' });
      }
      yield { lines, bytes: value.byteLength };
    }
  } finally {
    await pieces.return(undefined);
  }
  const end = open.join('') + decodeWith(decoder, new Uint8Array(0), path);
  if (end !== '') {
    throw bundleError('bad-line', { entry: path }, { what: 'ends in the middle of a line' });
  }
}

function newDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
}

function decodeWith(
  decoder: TextDecoder,
  bytes: Uint8Array<ArrayBuffer>,
  entry: string,
  stream = false,
): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (cause) {
    throw bundleError('bad-line', { entry }, { what: 'holds what is no text', cause });
  }
}

/** Runs `work`; what a zip or a file's reading throws comes out as a `BundleError`. */
async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ZipError) throw fromZip(error);
    if (error instanceof DOMException && error.name !== 'AbortError') {
      throw new BundleError(
        'unreadable',
        'This file could not be read: it was moved, changed or taken away. Choose it again.',
        { cause: error },
      );
    }
    throw error;
  }
}

function fromZip(cause: ZipError): BundleError {
  const { fault, message, path } = cause;
  const place = path === undefined ? undefined : { entry: path };
  switch (fault) {
    case 'not-a-zip':
      return new BundleError(
        'not-a-bundle',
        'This file is not a Grove bundle: it is neither a zip file nor an encrypted bundle.',
        { cause },
      );
    case 'truncated':
      return new BundleError(
        'truncated',
        'This bundle was cut short: its end is missing. Copy or download it again.',
        { cause },
      );
    case 'damaged':
    case 'too-large': {
      const where = path === undefined ? '' : ` (${path})`;
      const text = `This bundle was damaged or changed: ${message}${where}.`;
      return new BundleError(fault, text, { cause, place });
    }
  }
}
