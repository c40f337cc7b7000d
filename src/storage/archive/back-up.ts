import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Table } from 'dexie';
import { hashOfBytes } from '../blob-store.ts';
import type { Database } from '../database.ts';
import { SECRET_PREFIX } from '../rows.ts';
import { guard } from '../storage-failure.ts';
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  blobPath,
  MANIFEST_PATH,
  manifestHash,
  tablePath,
  type BackupManifest,
  type BackupProgress,
  type BackupRecord,
  type BackupTable,
} from './format.ts';
import { lineFile, type LineFile } from './line-file.ts';
import { blobParts } from './zip/blob-parts.ts';
import { zipWriter, type ZipWriter } from './zip/zip-writer.ts';

export interface BackUpOptions {
  /** The time the back-up is made, ISO 8601. */
  readonly now: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BackupProgress) => void;
}

/** A back-up, and what it holds. */
export interface BackUp {
  readonly file: Blob;
  readonly rows: number;
  readonly images: number;
  /** Hashes of images whose stored bytes were damaged, and so were left out. */
  readonly leftOut: readonly string[];
}

type RowTable = Exclude<BackupTable, 'blobs'>;

/** How many rows are read at a time: enough to be quick, few enough to keep the page responsive. */
const BATCH: Readonly<Record<RowTable, number>> = {
  banks: 64,
  logChunks: 4,
  tasks: 128,
  references: 256,
  runs: 128,
  runEvents: 16,
  calls: 16,
  drafts: 64,
  settings: 128,
  ledger: 512,
};

/**
 * Everything in one file: a zip with a manifest, one file of JSON lines per table, and each image
 * under its hash. All tables are of one moment; secrets, staging banks and snapshots are left out.
 * Nothing but the file is written.
 *
 * @throws StorageError where the database fails; the signal's reason after an abort.
 */
export async function backUp(database: Database, options: BackUpOptions): Promise<BackUp> {
  options.signal?.throwIfAborted();
  try {
    return await guard('make the back-up', () => writeBackUp(database, options));
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function writeBackUp(database: Database, options: BackUpOptions): Promise<BackUp> {
  const parts = blobParts();
  const zip = zipWriter(parts.push, { at: options.now });
  const tables: BackupManifest['tables'] = [];
  let done = 0;
  let total = 0;
  const advance = (by: number) => {
    options.signal?.throwIfAborted();
    done += by;
    options.onProgress?.({ done, total });
  };
  const scope = database.tables.filter(({ name }) => name !== 'staged');
  const hashes = await database.read('make the back-up', scope, async () => {
    const hashes = await database.blobs.toCollection().primaryKeys();
    const sources = await tableSources(database);
    total = hashes.length;
    for (const { count } of sources) total += await count();
    for (const { table, copy } of sources) {
      const file = lineFile(zip.pack(tablePath(table)));
      await copy(file, advance);
      tables.push({ table, ...file.end() });
    }
    return hashes;
  });
  const { stored, leftOut } = await storeBlobs(database, hashes, zip, () => advance(1));
  const lines = lineFile(zip.pack(tablePath('blobs')));
  for (const blob of stored) lines.write(blob);
  tables.push({ table: 'blobs', ...lines.end() });
  const body = {
    format: BACKUP_FORMAT,
    formatVersion: BACKUP_VERSION,
    createdAt: options.now,
    tables,
  } as const;
  const manifest: BackupManifest = { ...body, hash: manifestHash(body) };
  zip.store(MANIFEST_PATH, new Uint8Array(utf8ToBytes(JSON.stringify(manifest, null, 2))));
  zip.finish();
  const rows = tables.reduce((sum, table) => sum + table.rows, 0) - stored.length;
  const file = new Blob([...parts.parts()], { type: 'application/zip' });
  return { file, rows, images: stored.length, leftOut };
}

/** A table of the database, ready to be written as records. */
interface TableSource {
  readonly table: RowTable;
  count(): PromiseLike<number>;
  copy(file: LineFile, advance: (rows: number) => void): Promise<void>;
}

/**
 * A table whose rows are written in the order of its key, a batch at a time. `toRecord` gives the
 * record of a row, or undefined where it stays out. To be used inside one transaction.
 */
function source<Row, Key>(
  name: RowTable,
  table: Table<Row, Key>,
  toRecord: (row: Row) => object | undefined,
): TableSource {
  const copy: TableSource['copy'] = async (file, advance) => {
    let last: Key | undefined;
    for (;;) {
      const rest = last === undefined ? table.toCollection() : table.where(':id').above(last);
      const keys = await rest.limit(BATCH[name]).primaryKeys();
      const end = keys.at(-1);
      if (end === undefined) return;
      for (const row of await table.where(':id').between(keys[0], end, true, true).toArray()) {
        const record = toRecord(row);
        if (record !== undefined) file.write(record);
      }
      advance(keys.length);
      last = end;
    }
  };
  return { table: name, count: () => table.count(), copy };
}

/** Reads which banks are published, and says how each table is written. */
async function tableSources(database: Database): Promise<readonly TableSource[]> {
  const published = await database.banks.where('published').equals(1).toArray();
  const dataIds = new Set(published.map(({ dataId }) => dataId));
  return [
    source('banks', database.banks, ({ published, manifest, head }) =>
      published === 1 ? { manifest, head } : undefined,
    ),
    source('logChunks', database.logChunks, ({ dataId, bankId, index, entries }) =>
      dataIds.has(dataId) ? { bankId, index, entries } : undefined,
    ),
    source('tasks', database.tasks, ({ task }) => task),
    source('references', database.references, (reference) => reference),
    source('runs', database.runs, ({ run }) => run),
    source('runEvents', database.runEvents, (row) => row),
    source('calls', database.calls, ({ call }) => call),
    source('drafts', database.drafts, ({ draft }) => draft),
    source('settings', database.settings, (row) =>
      row.key.startsWith(SECRET_PREFIX) ? undefined : row,
    ),
    source('ledger', database.ledger, ({ entry }) => entry),
  ];
}

/** Adds the images, one at a time. One erased meanwhile is skipped; a damaged one is named. */
async function storeBlobs(
  database: Database,
  hashes: readonly string[],
  zip: ZipWriter,
  advance: () => void,
): Promise<{ stored: BackupRecord<'blobs'>[]; leftOut: string[] }> {
  const stored: BackupRecord<'blobs'>[] = [];
  const leftOut: string[] = [];
  for (const hash of hashes) {
    const row = await database.read('read an image', [database.blobs], () =>
      database.blobs.get(hash),
    );
    if (row !== undefined && (await hashOfBytes(row.bytes)) !== hash) leftOut.push(hash);
    else if (row !== undefined) {
      zip.store(blobPath(hash), row.bytes);
      stored.push({ hash, mediaType: row.mediaType, byteLength: row.byteLength });
    }
    advance();
  }
  return { stored, leftOut };
}
