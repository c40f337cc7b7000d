import type { Page } from 'playwright';
import { z } from 'zod';
import { verifyLog } from '../../../src/core/bank/log.ts';
import { logEntrySchema, type LogEntry } from '../../../src/core/bank/operation.ts';
import { activeLessons, pathOf, type Tree } from '../../../src/core/bank/tree.ts';
import type { LessonDraft } from '../../../src/core/run.ts';
import { bankRowSchema, draftRowSchema, type BankRow } from '../../../src/storage/rows.ts';
import { storedKeys, storedRows } from './stored-rows.ts';

/** A bank as it is stored, published or not, with its whole log and the tree that this gives. */
export interface StoredBank {
  readonly row: BankRow;
  readonly entries: readonly LogEntry[];
  readonly tree: Tree;
}

const dataRow = z.object({ dataId: z.string() });
const chunkRow = dataRow.extend({ index: z.int(), entries: z.array(logEntrySchema) });

/** Every bank, read from any page of Grove's origin. Throws where a log's chain, replay or head does not verify. */
export async function storedBanks(page: Page): Promise<readonly StoredBank[]> {
  const rows = z.array(bankRowSchema).parse(await storedRows(page, 'banks'));
  const chunks = z.array(chunkRow).parse(await storedRows(page, 'logChunks'));
  return Promise.all(
    rows.map(async (row) => {
      const entries = chunks
        .filter(({ dataId }) => dataId === row.dataId)
        .toSorted((one, other) => one.index - other.index)
        .flatMap((chunk) => chunk.entries);
      const verified = await verifyLog(row, pieces(entries));
      if (!verified.ok) throw new Error(`${row.id}: ${verified.refusal.message}`);
      return { row, entries, tree: verified.value };
    }),
  );
}

async function* pieces(entries: readonly LogEntry[]) {
  yield entries;
}

/** Banks that were never filled, and rows of logs, snapshots and staging that belong to no other. */
export async function leftovers(page: Page): Promise<readonly string[]> {
  const banks = z.array(bankRowSchema).parse(await storedRows(page, 'banks'));
  const isFilled = ({ published, held }: BankRow) => published === 1 || held !== undefined;
  const known = new Set(banks.filter(isFilled).map(({ dataId }) => dataId));
  const left = banks.filter((row) => !isFilled(row)).map(({ id }) => `banks: ${id}`);
  for (const table of ['logChunks', 'snapshots', 'snapshotTexts']) {
    for (const { dataId } of z.array(dataRow).parse(await storedRows(page, table))) {
      if (!known.has(dataId)) left.push(`${table}: ${dataId}`);
    }
  }
  const staged = await storedRows(page, 'staged');
  return [...left, ...staged.map((_, index) => `staged: ${index}`)];
}

/** What waits in inboxes, oldest first. */
export async function storedDrafts(page: Page): Promise<readonly LessonDraft[]> {
  const rows = z.array(draftRowSchema).parse(await storedRows(page, 'drafts'));
  return rows.map(({ draft }) => draft).toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** What of a browser must not change by itself: its published banks and what waits in their inboxes. */
export async function settled(page: Page) {
  const banks = await storedBanks(page);
  const published = banks.filter(({ row }) => row.published === 1);
  return {
    banks: published.map(({ row, entries }) => ({ row, entries })),
    drafts: await storedDrafts(page),
  };
}

/** Images that a bank's lessons show and that are not stored. */
export async function missingImages(page: Page, tree: Tree): Promise<readonly string[]> {
  const stored = new Set(await storedKeys(page, 'blobs'));
  const shown = [...activeLessons(tree)].flatMap(({ content }) => content.crop?.hash ?? []);
  return shown.filter((hash) => !stored.has(hash));
}

/** A tree without its ids: what each lesson says, where it lies, and how much it rests on. */
export function outline(tree: Tree): readonly string[] {
  return [...activeLessons(tree)]
    .map(({ parent, contentHash, evidence }) =>
      [parent === null ? '' : pathOf(tree, parent), contentHash, evidence.length].join(' / '),
    )
    .sort();
}

/** How many entries each maintenance step has. */
export function stepSizes({ entries }: StoredBank): readonly number[] {
  const sizes: number[] = [];
  for (const { step } of entries) sizes[step - 1] = (sizes[step - 1] ?? 0) + 1;
  return sizes;
}
