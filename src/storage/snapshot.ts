import { Dexie } from 'dexie';
import { StorageError } from '../core/errors.ts';
import type { BankSnapshot } from '../core/ports.ts';
import { chunkOf } from './bank-log.ts';
import type { Database } from './database.ts';
import { CHUNK_ENTRIES, CHUNK_TEXTS, type BankRow, type SnapshotTextRow } from './rows.ts';

/** The structure of the newest snapshot: what opening a bank reads. Texts are read as they are looked at. */
export type SnapshotStructure = Pick<BankSnapshot, 'head' | 'structure'>;

/**
 * Leaves a snapshot, in place of an older one. Runs inside a write transaction over banks, logChunks,
 * snapshots and snapshotTexts.
 *
 * @throws StorageError `head-moved` where the bank's log does not pass through the snapshot's head.
 */
export async function putSnapshotRows(
  database: Database,
  bank: BankRow,
  snapshot: BankSnapshot,
): Promise<void> {
  const { dataId } = bank;
  const bankId = bank.manifest.id;
  const { head, structure } = snapshot;
  await checkOnLog(database, bank, head);
  const present = await database.snapshots.get(dataId);
  if (present !== undefined && present.head.seq > head.seq) return;
  const texts = [...snapshot.text].sort(([first], [second]) => compare(first, second));
  const rows: SnapshotTextRow[] = [];
  for (let start = 0; start < texts.length; start += CHUNK_TEXTS) {
    rows.push({
      dataId,
      bankId,
      index: rows.length,
      texts: texts.slice(start, start + CHUNK_TEXTS),
    });
  }
  const firstIds = rows.flatMap((row) => row.texts.slice(0, 1).map(([nodeId]) => nodeId));
  await textRows(database, dataId).delete();
  await database.snapshotTexts.bulkAdd(rows);
  await database.snapshots.put({ dataId, bankId, head, structure, firstIds });
}

/** The whole newest snapshot. Runs inside a read transaction. */
export async function snapshotOf(
  database: Database,
  dataId: string,
): Promise<BankSnapshot | undefined> {
  const row = await database.snapshots.get(dataId);
  if (row === undefined) return undefined;
  const chunks = await textRows(database, dataId).toArray();
  const text = new Map(chunks.flatMap((chunk) => chunk.texts));
  return { head: row.head, structure: row.structure, text };
}

/** Texts of some nodes of the newest snapshot; nodes it does not name are left out. Reads their chunks only. */
export async function snapshotTexts(
  database: Database,
  dataId: string,
  nodeIds: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const row = await database.snapshots.get(dataId);
  if (row === undefined) return new Map();
  const wanted = new Set(nodeIds);
  const chunks = new Set(nodeIds.map((nodeId) => chunkHolding(row.firstIds, nodeId)));
  const rows = await database.snapshotTexts.bulkGet(
    [...chunks].filter((index) => index >= 0).map((index): [string, number] => [dataId, index]),
  );
  return new Map(rows.flatMap((chunk) => chunk?.texts ?? []).filter(([id]) => wanted.has(id)));
}

async function checkOnLog(
  database: Database,
  bank: BankRow,
  head: BankSnapshot['head'],
): Promise<void> {
  const chunk = await database.logChunks.get([bank.dataId, chunkOf(head.seq)]);
  const entry = chunk?.entries[(head.seq - 1) % CHUNK_ENTRIES];
  if (entry?.hash !== head.hash) {
    throw new StorageError(
      'head-moved',
      `The snapshot names an entry that the log of “${bank.manifest.name}” does not have.`,
    );
  }
}

function textRows(database: Database, dataId: string) {
  return database.snapshotTexts
    .where('[dataId+index]')
    .between([dataId, Dexie.minKey], [dataId, Dexie.maxKey]);
}

/** The last chunk that begins at or before `nodeId`; -1 where none does. */
function chunkHolding(firstIds: readonly string[], nodeId: string): number {
  let low = 0;
  let high = firstIds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(firstIds[middle] ?? '', nodeId) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** By UTF-16 code units, the same everywhere. */
function compare(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0;
}
