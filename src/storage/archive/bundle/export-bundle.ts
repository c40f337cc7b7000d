import type { LogEntry } from '../../../core/bank/operation.ts';
import type { Hash } from '../../../core/canonical.ts';
import { StorageError } from '../../../core/errors.ts';
import { BundleError } from '../../../core/transfer/bundle/bundle-error.ts';
import { BUNDLE_EXTENSION } from '../../../core/transfer/bundle/bundle-format.ts';
import { bundleCounter } from '../../../core/transfer/bundle/bundle-progress.ts';
import type { ExportedBundle, ExportOptions } from '../../../core/transfer/bundle/bundle-store.ts';
import { logChecker } from '../../../core/transfer/bundle/log-check.ts';
import { nodeLines } from '../../../core/transfer/bundle/node-lines.ts';
import { previewOf, type ExportPreview } from '../../../core/transfer/bundle/preview.ts';
import { utf8Length } from '../../../core/transfer/bundle/utf8-length.ts';
import { writeBundle, type BankSource } from '../../../core/transfer/bundle/write-bundle.ts';
import { chunkOf } from '../../bank-log.ts';
import type { Database } from '../../database.ts';
import { bankRowSchema, parseRow, type BankRow } from '../../rows.ts';
import { sweepWrittenFiles } from '../../written-files.ts';
import { bundleWriter } from './bundle-writer.ts';
import { diskSink } from './byte-sink.ts';
import { sealedSink } from './sealed-file.ts';
import { newSealedKey } from './sealed-key.ts';

/** How many chunks of the log are read at a time: 512 entries. */
const CHUNKS_A_READ = 8;

/**
 * Writes one bank as a `.grove` file, as it stands when this begins. Reads and holds one piece of the
 * log and a few images at a time, besides the tree and the packed text.
 *
 * @throws BundleError where the bank's own log does not check, or passes a limit of the form;
 * StorageError `not-found`, `head-moved` where the bank was replaced meanwhile; the signal's reason.
 */
export async function exportBundle(
  database: Database,
  bankId: string,
  options: ExportOptions = {},
): Promise<ExportedBundle<Blob>> {
  const { passphrase, sources = false, signal, onProgress } = options;
  const bank = await findBank(database, bankId);
  const type = passphrase === undefined ? 'application/zip' : 'application/octet-stream';
  await sweepWrittenFiles();
  const out = await diskSink(type);
  try {
    const through =
      passphrase === undefined
        ? out.sink
        : await sealedSink(out.sink, await newSealedKey(passphrase));
    const writer = bundleWriter(through);
    const run = { sources, signal, onProgress };
    const written = await ofBank(bank, () => writeBundle(bankSource(database, bank), writer, run));
    await writer.finish();
    return { ...written, file: await out.file(), fileName: fileNameOf(bank.manifest.name) };
  } catch (error) {
    await out.discard();
    throw error;
  }
}

/**
 * What an export would let out. Checks the log as an export does; images are counted by what is stored,
 * not opened.
 *
 * @throws as `exportBundle` does.
 */
export async function previewExport(
  database: Database,
  bankId: string,
  { sources = false, signal, onProgress }: ExportOptions = {},
): Promise<ExportPreview> {
  const bank = await findBank(database, bankId);
  const { manifest, head } = bank;
  const counter = bundleCounter({ signal, onProgress });
  let textBytes = 0;
  counter.begin('log', head.seq);
  const log = await ofBank(bank, async () => {
    const checker = logChecker(manifest);
    for await (const entries of bankSource(database, bank).entries()) {
      const bytes = bytesOf(checker.takeEntries(entries));
      textBytes += bytes;
      counter.advance({ done: entries.length, bytes });
    }
    return checker.end(head);
  });
  textBytes += bytesOf(nodeLines(log.tree));
  const sizes = await imageSizes(
    database,
    new Set([...log.index.crops.keys(), ...(sources ? log.index.sources.keys() : [])]),
  );
  return previewOf({ manifest, head, log }, { sizes, textBytes, sources });
}

/** The stored size of each image, from the keys of an index: no image is read. */
async function imageSizes(
  database: Database,
  hashes: ReadonlySet<Hash>,
): Promise<ReadonlyMap<Hash, number>> {
  const sizes = new Map<Hash, number>();
  await database.read('look at the images', [database.blobs], () =>
    database.blobs.orderBy('byteLength').eachKey((size, { primaryKey }) => {
      if (hashes.has(primaryKey)) sizes.set(primaryKey, Number(size));
    }),
  );
  return sizes;
}

function bytesOf(lines: Iterable<string>): number {
  let bytes = 0;
  for (const line of lines) bytes += utf8Length(line) + 1;
  return bytes;
}

async function findBank(database: Database, bankId: string): Promise<BankRow> {
  const row = await database.read('read the bank', [database.banks], () =>
    database.banks.get(bankId),
  );
  if (row === undefined) throw new StorageError('not-found', 'This bank is not here any more.');
  return parseRow(bankRowSchema, row, 'bank');
}

function bankSource(database: Database, { manifest, head, dataId }: BankRow): BankSource {
  return {
    manifest,
    head,
    entries: () => readEntries(database, { dataId, lastSeq: head.seq }),
    async images(hashes) {
      const rows = await database.read('read the images', [database.blobs], () =>
        database.blobs.bulkGet([...hashes]),
      );
      return rows.map((row) => row?.bytes);
    },
  };
}

/** The entries up to `lastSeq`, a few chunks at a time. */
async function* readEntries(
  database: Database,
  { dataId, lastSeq }: { readonly dataId: string; readonly lastSeq: number },
): AsyncGenerator<readonly LogEntry[]> {
  const last = lastSeq === 0 ? -1 : chunkOf(lastSeq);
  for (let index = 0; index <= last; index += CHUNKS_A_READ) {
    const keys = Array.from(
      { length: Math.min(CHUNKS_A_READ, last - index + 1) },
      (_, at): [string, number] => [dataId, index + at],
    );
    const chunks = await database.read('read the log', [database.logChunks], () =>
      database.logChunks.bulkGet(keys),
    );
    yield chunks.flatMap((chunk) => {
      if (chunk === undefined) {
        throw new StorageError(
          'head-moved',
          'The bank was replaced or removed while it was read. Try again.',
        );
      }
      return chunk.entries.filter(({ seq }) => seq <= lastSeq);
    });
  }
}

/** Where the bank itself does not check, its name is said. */
async function ofBank<T>({ manifest }: BankRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    const { code, message, place } = error;
    throw new BundleError(
      code,
      `“${manifest.name}” cannot be exported, as nobody could import it. ${message}`,
      { cause: error, place },
    );
  }
}

/** A file name of letters, digits and dashes of any script. */
function fileNameOf(name: string): string {
  const words =
    name
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return `${words.join('-').slice(0, 80) || 'bank'}${BUNDLE_EXTENSION}`;
}
