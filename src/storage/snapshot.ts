import { Dexie } from 'dexie';
import { StorageError } from '../core/errors.ts';
import type { BankSnapshot, LogHead, SnapshotGroups } from '../core/ports.ts';
import { chunkOf, sameHead } from './bank-log.ts';
import type { Database } from './database.ts';
import { CHUNK_ENTRIES, snapshotRowSchema, snapshotTextRowSchema, type BankRow } from './rows.ts';

/** Pieces of structure read at a time. */
const PIECES_A_READ = 8;

/**
 * Leaves a snapshot, in place of an older one. Runs inside a write transaction over banks, logChunks,
 * snapshots and snapshotTexts.
 *
 * @throws StorageError `head-moved` where the bank's log does not pass through the snapshot's head.
 */
export async function putSnapshotRows(
  database: Database,
  bank: BankRow,
  { head, groups, structure, texts }: BankSnapshot,
): Promise<void> {
  const { dataId } = bank;
  const bankId = bank.manifest.id;
  await checkOnLog(database, bank, head);
  const present = snapshotRowSchema.safeParse(await database.snapshots.get(dataId)).data;
  if (present !== undefined && present.head.seq > head.seq) return;
  await database.snapshotTexts
    .where('[dataId+index]')
    .between([dataId, Dexie.minKey], [dataId, Dexie.maxKey])
    .delete();
  // One after the other: each is copied as it is written, and many at once would hold up the page.
  for (const [piece, text] of structure.pieces.entries()) {
    await database.snapshotTexts.put({ dataId, bankId, index: -1 - piece, head, text });
  }
  for (const [index, text] of texts.entries()) {
    await database.snapshotTexts.put({ dataId, bankId, index, head, text });
  }
  const { nodes, state, pieces } = structure;
  await database.snapshots.put({
    ...{ dataId, bankId, head, nodes, state, groups },
    pieces: pieces.length,
  });
}

/** The groups of the newest snapshot. Runs inside a read transaction. */
export async function groupsOf(
  database: Database,
  dataId: string,
): Promise<SnapshotGroups | undefined> {
  const row = snapshotRowSchema.safeParse(await database.snapshots.get(dataId)).data;
  return row && { nodes: row.nodes, groups: row.groups };
}

/** The newest snapshot without its texts. Runs inside a read transaction. */
export async function structureOf(
  database: Database,
  dataId: string,
): Promise<Pick<BankSnapshot, 'head' | 'structure'> | undefined> {
  const row = snapshotRowSchema.safeParse(await database.snapshots.get(dataId)).data;
  if (row === undefined) return undefined;
  const { head, nodes, state } = row;
  const pieces: string[] = [];
  // A few at a time: each read holds up the page as long as what it brings is large.
  for (let end = 0; end < row.pieces; end += PIECES_A_READ) {
    const few = { from: Math.max(-row.pieces, -end - PIECES_A_READ), to: -end };
    const read = await partsOf(database, dataId, head, few);
    if (read === undefined) return undefined;
    pieces.push(...read.toReversed());
  }
  return { head, structure: { nodes, state, pieces } };
}

/** Rows of the snapshot at `head` by index; undefined where it is gone. Runs inside a read transaction. */
export async function partsOf(
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
