import { Dexie } from 'dexie';
import { GENESIS_HASH, type LogEntry } from '../core/bank/operation.ts';
import { StorageError } from '../core/errors.ts';
import type { LogHead } from '../core/ports.ts';
import type { Database } from './database.ts';
import { CHUNK_ENTRIES, type BankRow, type LogChunkRow } from './rows.ts';

/** The head of a log without entries. */
export const EMPTY_HEAD: LogHead = { seq: 0, hash: GENESIS_HASH };

/** Whether two heads are the same entry. */
export function sameHead(first: LogHead, second: LogHead): boolean {
  return first.seq === second.seq && first.hash === second.hash;
}

/** The chunk an entry lies in. */
export function chunkOf(seq: number): number {
  return Math.floor((seq - 1) / CHUNK_ENTRIES);
}

/**
 * Where a log stands after `entries`, which must number on and link on from `head`. Hashes are
 * compared, not worked out: that is the log's own check in core.
 *
 * @throws StorageError `corrupt` where an entry does not follow the one before it.
 */
export function followEntries(head: LogHead, entries: readonly LogEntry[]): LogHead {
  let last = head;
  for (const { seq, prev, hash } of entries) {
    if (seq !== last.seq + 1 || prev !== last.hash) {
      throw new StorageError(
        'corrupt',
        `Entry ${seq} does not carry on the bank's log, which stands at ${last.seq}.`,
      );
    }
    last = { seq, hash };
  }
  return last;
}

/** Adds entries after the bank's head, filling its last chunk first. Runs inside a write transaction. */
export async function appendEntries(
  database: Database,
  bank: BankRow,
  entries: readonly LogEntry[],
): Promise<void> {
  const { dataId, head } = bank;
  const bankId = bank.manifest.id;
  const inTail = head.seq % CHUNK_ENTRIES;
  const first = chunkOf(head.seq + 1);
  const tail = inTail === 0 ? undefined : await database.logChunks.get([dataId, first]);
  const kept = tail?.entries ?? [];
  if (kept.length !== inTail) {
    throw new StorageError('corrupt', `The log of “${bank.manifest.name}” lacks entries.`);
  }
  const all = [...kept, ...entries];
  const chunks: LogChunkRow[] = [];
  for (let start = 0; start < all.length; start += CHUNK_ENTRIES) {
    const index = first + start / CHUNK_ENTRIES;
    chunks.push({ dataId, bankId, index, entries: all.slice(start, start + CHUNK_ENTRIES) });
  }
  await database.logChunks.bulkPut(chunks);
}

/**
 * The entries after `afterSeq`, the first `most` of them. Runs inside a read transaction.
 *
 * @throws StorageError `corrupt` where chunks are missing.
 */
export async function entriesAfter(
  database: Database,
  bank: BankRow,
  afterSeq: number,
  most = Infinity,
): Promise<LogEntry[]> {
  const { dataId, head, manifest } = bank;
  if (afterSeq >= head.seq) return [];
  const last = Math.min(head.seq, afterSeq + most);
  const chunks = await database.logChunks
    .where('[dataId+index]')
    .between([dataId, chunkOf(afterSeq + 1)], [dataId, chunkOf(last)], true, true)
    .toArray();
  const entries = chunks
    .flatMap((chunk) => chunk.entries)
    .filter(({ seq }) => seq > afterSeq && seq <= last);
  if (entries.length !== last - afterSeq) {
    throw new StorageError('corrupt', `The log of “${manifest.name}” lacks entries.`);
  }
  return entries;
}

/** What lies under a bank's `dataId`: its log, and what can be made of it again. */
export function dataTables(database: Database) {
  const { logChunks, snapshots, snapshotTexts, recallParts } = database;
  return [logChunks, snapshots, snapshotTexts, recallParts];
}

/** Removes all that lies under `dataId`. Runs inside a write transaction over `dataTables`. */
export async function removeData(database: Database, dataId: string): Promise<void> {
  const range = [
    [dataId, Dexie.minKey],
    [dataId, Dexie.maxKey],
  ] as const;
  await database.logChunks
    .where('[dataId+index]')
    .between(...range)
    .delete();
  await database.snapshotTexts
    .where('[dataId+index]')
    .between(...range)
    .delete();
  await database.snapshots.delete(dataId);
  await removeRecall(database, dataId);
}

/** Removes the recall indexes under `dataId`, or the one that was made so. Runs inside a write transaction. */
export async function removeRecall(
  database: Database,
  dataId: string,
  making?: string,
): Promise<void> {
  const [from, to] = [making ?? Dexie.minKey, making ?? Dexie.maxKey];
  await database.recallParts
    .where('[dataId+making+name]')
    .between([dataId, from, Dexie.minKey], [dataId, to, Dexie.maxKey])
    .delete();
}
