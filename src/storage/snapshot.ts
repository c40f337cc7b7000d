import { Dexie } from 'dexie';
import { StorageError } from '../core/errors.ts';
import type { BankSnapshot, LogHead } from '../core/ports.ts';
import { chunkOf, sameHead } from './bank-log.ts';
import type { Database } from './database.ts';
import { CHUNK_ENTRIES, snapshotRowSchema, snapshotTextRowSchema, type BankRow } from './rows.ts';

/**
 * Leaves a snapshot, in place of an older one. Runs inside a write transaction over banks, logChunks,
 * snapshots and snapshotTexts.
 *
 * @throws StorageError `head-moved` where the bank's log does not pass through the snapshot's head.
 */
export async function putSnapshotRows(
  database: Database,
  bank: BankRow,
  { head, structure, texts }: BankSnapshot,
): Promise<void> {
  const { dataId } = bank;
  const bankId = bank.manifest.id;
  await checkOnLog(database, bank, head);
  const present = await headPresent(database, dataId);
  if (present !== undefined && present.seq > head.seq) return;
  await database.snapshotTexts
    .where('[dataId+index]')
    .between([dataId, Dexie.minKey], [dataId, Dexie.maxKey])
    .delete();
  // One after the other: each is copied as it is written, and many at once would hold up the page.
  for (const [index, text] of texts.entries()) {
    await database.snapshotTexts.put({ dataId, bankId, index, head, text });
  }
  await database.snapshots.put({ dataId, bankId, head, structure });
}

/** The newest snapshot without its texts. Runs inside a read transaction. */
export async function structureOf(
  database: Database,
  dataId: string,
): Promise<Omit<BankSnapshot, 'texts'> | undefined> {
  const row = snapshotRowSchema.safeParse(await database.snapshots.get(dataId)).data;
  return row && { head: row.head, structure: row.structure };
}

/** Texts of pieces of the snapshot at `head`; undefined where it is gone. Runs inside a read transaction. */
export async function snapshotTexts(
  database: Database,
  dataId: string,
  head: LogHead,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly string[] | undefined> {
  const found = await database.snapshotTexts
    .where('[dataId+index]')
    .between([dataId, from], [dataId, to])
    .toArray();
  const rows = found.flatMap((row) => snapshotTextRowSchema.safeParse(row).data ?? []);
  const isWhole = rows.length === to - from && rows.every((row) => sameHead(row.head, head));
  return isWhole ? rows.map(({ text }) => text) : undefined;
}

/** Asked of a text, which is small: the structure of a large bank is not. */
async function headPresent(database: Database, dataId: string): Promise<LogHead | undefined> {
  const row: unknown = await database.snapshotTexts.get([dataId, 0]);
  return snapshotTextRowSchema.safeParse(row).data?.head;
}

async function checkOnLog(database: Database, bank: BankRow, head: LogHead): Promise<void> {
  const chunk = await database.logChunks.get([bank.dataId, chunkOf(head.seq)]);
  const entry = chunk?.entries[(head.seq - 1) % CHUNK_ENTRIES];
  if (entry?.hash !== head.hash) {
    throw new StorageError(
      'head-moved',
      `The snapshot names an entry that the log of “${bank.manifest.name}” does not have.`,
    );
  }
}
