import type { LogEntry } from '../../core/bank/operation.ts';
import type { Hash } from '../../core/canonical.ts';
import type { BankInfo, LogHead } from '../../core/ports.ts';
import { taskId } from '../../core/task.ts';
import { EMPTY_HEAD, sameHead } from '../bank-log.ts';
import type { Database } from '../database.ts';
import { CHUNK_ENTRIES, type BankRow, type BlobRow, type LogChunkRow } from '../rows.ts';
import { blobUsers, removeUnusedBlobs } from '../unused-blobs.ts';
import { callRow, draftRow, runRow, taskRow } from '../run-store.ts';
import { sweepImports } from './bundle/held-banks.ts';
import { placedImages } from './bundle/placed-images.ts';
import { broken, type BackupReader } from './backup-reader.ts';
import { tablePath, type BackupRecord, type BackupTable } from './format.ts';

/** Bytes of images that are staged in one write. */
const BLOB_BATCH_BYTES = 4 << 20;

/** A bank of the file as far as it was read. */
interface StagedBank extends BankInfo {
  /** The hash of each entry: `hashes[seq - 1]`. */
  readonly hashes: Hash[];
  /** Which staged rows hold chunks of its log. */
  readonly stagedAt: Set<number>;
}

/** A whole back-up in the staging table: every record and image checked, nothing else written yet. */
export interface StagedBackup {
  readonly restoreId: string;
  readonly banks: ReadonlyMap<string, StagedBank>;
}

type Stage = (table: BackupTable, rows: readonly object[]) => Promise<void>;

/**
 * Reads a back-up through, checking each record and each image, into the staging table. `advance` is
 * told of each batch, and may throw to stop.
 *
 * @throws BackupRefused where anything does not fit; StorageError where there is no room.
 */
export async function stageBackup(
  database: Database,
  reader: BackupReader,
  advance: (records: number) => void,
): Promise<StagedBackup> {
  const restoreId = crypto.randomUUID();
  const banks = new Map<string, StagedBank>();
  let index = 0;
  const stage: Stage = async (table, rows) => {
    await database.write('check the back-up', [database.staged], () =>
      database.staged.add({ restoreId, index, table, rows }),
    );
    index += 1;
    advance(rows.length);
  };
  const each = async <Table extends BackupTable>(
    table: Table,
    toRow: (record: BackupRecord<Table>) => object,
  ) => {
    for await (const records of reader.records(table)) await stage(table, records.map(toRow));
  };
  await each('banks', (bank) => {
    banks.set(bank.manifest.id, { ...bank, hashes: [], stagedAt: new Set() });
    return bankRow(bank);
  });
  await each('logChunks', (chunk) => chunkRow(banks.get(chunk.bankId), chunk, index));
  for (const bank of banks.values()) checkEnd(bank);
  await each('tasks', (task) => {
    if (task.id !== taskId(task))
      throw broken(tablePath('tasks'), 'a task is not what its id says');
    return taskRow(task);
  });
  await each('references', (reference) => reference);
  await each('runs', runRow);
  await each('runEvents', (event) => event);
  await each('calls', callRow);
  await each('drafts', draftRow);
  await each('settings', (setting) => setting);
  await each('ledger', (entry) => ({ at: entry.at, entry }));
  await stageBlobs(reader, stage);
  return { restoreId, banks };
}

/**
 * Removes whatever is staged, and the images of imports that did not end, where nothing uses them.
 * Throws StorageError.
 */
export async function clearStaged(database: Database): Promise<void> {
  const { staged } = database;
  const placed = await database.read('tidy up', [staged], () => placedImages(database));
  const scope = placed.size === 0 ? [staged] : [staged, ...blobUsers(database)];
  await database.write('tidy up', scope, async () => {
    if (placed.size > 0) await removeUnusedBlobs(database, placed);
    await staged.clear();
  });
}

/**
 * Removes what imports and restores that never ended have left: banks first, whose logs name images.
 * Only to be called under the restore lock.
 */
export async function sweepStaging(database: Database): Promise<void> {
  await sweepImports(database);
  await clearStaged(database);
}

/** The staged entries of a bank, in order, a batch at a time. */
export async function* stagedEntries(
  database: Database,
  restoreId: string,
  bank: StagedBank,
): AsyncGenerator<readonly LogEntry[]> {
  for (const index of bank.stagedAt) {
    const row = await database.read('check the back-up', [database.staged], () =>
      database.staged.get([restoreId, index]),
    );
    for (const chunk of row?.rows ?? []) {
      if (isChunkOf(chunk, bank.manifest.id)) yield chunk.entries;
    }
  }
}

/** The row of a bank that came from a back-up: its log lies under its own id. */
function bankRow({ manifest, head }: BankInfo): BankRow {
  return { id: manifest.id, dataId: manifest.id, published: 1, replaces: null, manifest, head };
}

/** A chunk as its row, after a look at whether it carries on the bank's log where that stands. */
function chunkRow(
  bank: StagedBank | undefined,
  { bankId, index, entries }: BackupRecord<'logChunks'>,
  stagedIndex: number,
): LogChunkRow {
  const path = tablePath('logChunks');
  if (bank === undefined) throw broken(path, 'there is a log without its bank');
  if (index * CHUNK_ENTRIES !== bank.hashes.length)
    throw broken(path, 'a part of a log is missing');
  for (const { seq, prev, hash } of entries) {
    const before = bank.hashes.at(-1) ?? EMPTY_HEAD.hash;
    if (seq !== bank.hashes.length + 1 || prev !== before) {
      throw broken(path, `entry ${seq} does not carry on the log of “${bank.manifest.name}”`);
    }
    bank.hashes.push(hash);
  }
  bank.stagedAt.add(stagedIndex);
  return { dataId: bankId, bankId, index, entries };
}

function checkEnd({ head, hashes, manifest }: StagedBank): void {
  const reached: LogHead = { seq: hashes.length, hash: hashes.at(-1) ?? EMPTY_HEAD.hash };
  if (!sameHead(reached, head)) {
    throw broken(tablePath('logChunks'), `the log of “${manifest.name}” does not end at its head`);
  }
}

async function stageBlobs(reader: BackupReader, stage: Stage): Promise<void> {
  let batch: BlobRow[] = [];
  let bytes = 0;
  for await (const records of reader.records('blobs')) {
    for (const record of records) {
      batch.push({ ...record, bytes: await reader.blob(record) });
      bytes += record.byteLength;
      if (bytes < BLOB_BATCH_BYTES) continue;
      await stage('blobs', batch);
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) await stage('blobs', batch);
}

function isChunkOf(row: unknown, bankId: string): row is LogChunkRow {
  return typeof row === 'object' && row !== null && 'bankId' in row && row.bankId === bankId;
}
