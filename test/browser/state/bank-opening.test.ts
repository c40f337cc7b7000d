import { expect, test, vi } from 'vitest';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import { replay } from '../../../src/core/bank/log.ts';
import { titleOf } from '../../../src/core/bank/tree.ts';
import { makeBankLoader } from '../../../src/state/bank-loader.ts';
import type { BankOpening, ReadingProgress } from '../../../src/state/bank-opening.ts';
import type { GroveStorage } from '../../../src/storage/open-storage.ts';
import { canonicalTree } from '../../core/bank/material.ts';
import { entriesFrom, headOf, manifestOf, START } from '../storage/material.ts';
import { openTestStorage } from '../storage/open-test-storage.ts';

const LESSONS = 4200;
const ENTRIES = entriesFrom(START, LESSONS);

vi.setConfig({ testTimeout: 60_000 });

/** A bank large enough for an outline, with a snapshot of all its log but for the last entries. */
async function largeBank(): Promise<{ storage: GroveStorage; bankId: string }> {
  const storage = await openTestStorage();
  const manifest = manifestOf('Large');
  await storage.banks.createBank(manifest);
  await storage.banks.append(manifest.id, START, ENTRIES);
  await makeBankLoader(storage.banks).load(manifest.id);
  await expect
    .poll(() => storage.banks.readStructure(manifest.id), { timeout: 30_000 })
    .toBeDefined();
  const log = await storage.banks.readLog(manifest.id, LESSONS - 1);
  await storage.banks.append(manifest.id, headOf(log), entriesFrom(headOf(log), 3));
  return { storage, bankId: manifest.id };
}

async function replayed({ banks }: GroveStorage, bankId: string) {
  const info = await banks.getBank(bankId);
  const tree = info && replay(info.manifest, await banks.readLog(bankId, 0));
  if (!tree?.ok) throw new Error('the log replays');
  return tree.value;
}

test('a large bank is opened as its groups, then as an outline, and is whole once its texts and the log after it are read', async () => {
  const { storage, bankId } = await largeBank();
  const told: ReadingProgress[] = [];
  const openings: BankOpening[] = [];
  const whole = makeBankLoader(storage.banks).load(bankId, (opening) => {
    openings.push(opening);
    opening.watch((progress) => told.push(progress));
  });
  let isWhole = false;
  void whole.then(() => (isWhole = true));
  await expect.poll(() => openings.length).toBe(1);
  const groups = await openings[0]?.groups;
  expect([...(groups?.nodes.entries() ?? [])].map(([id]) => id)).toEqual([ROOT_ID]);
  expect(told).toEqual([{ unit: 'nodes', done: 0, of: LESSONS + 1 }]);
  const outline = await openings[0]?.outline;
  expect(isWhole).toBe(false);
  const tree = await replayed(storage, bankId);
  expect(outline?.index.activeLessons).toBe(LESSONS);
  for (const [id, node] of outline?.nodes.entries() ?? []) {
    expect(titleOf(node)).toBe(titleOf(tree.nodes.get(id) ?? node));
    if (node.kind === 'lesson') expect(node.content.guidance).toBe('');
  }
  const bank = await whole;
  expect(canonicalTree(bank.tree)).toBe(canonicalTree(tree));
  expect(bank.head).toEqual((await storage.banks.getBank(bankId))?.head);
  expect(told.at(0)).toMatchObject({ unit: 'nodes', of: LESSONS + 1 });
  expect(told.at(-1)).toEqual({ unit: 'entries', done: LESSONS + 3, of: LESSONS + 3 });
});

test('one node of a large bank is read ahead of the others', async () => {
  const { storage, bankId } = await largeBank();
  const tree = await replayed(storage, bankId);
  const peeked: unknown[] = [];
  let looked = Promise.resolve();
  const wanted = [...tree.index.unplaced.entries()][LESSONS - 100]?.[0] ?? '';
  await makeBankLoader(storage.banks).load(bankId, (opening) => {
    looked = opening.outline.then(async () => {
      peeked.push(await opening.peek(wanted), await opening.peek('no such node'));
    });
  });
  await looked;
  expect(peeked).toEqual([tree.nodes.get(wanted), undefined]);
});

test('whoever asks for a bank that is being opened is told of the same opening', async () => {
  const { storage, bankId } = await largeBank();
  const loader = makeBankLoader(storage.banks);
  const openings: BankOpening[] = [];
  let second: ReturnType<typeof loader.load> | undefined;
  const first = await loader.load(bankId, (opening) => {
    openings.push(opening);
    second = loader.load(bankId, (same) => openings.push(same));
  });
  expect(openings[1]).toBe(openings[0]);
  expect((await second)?.tree).toBe(first.tree);
  await loader.load(bankId, (opening) => openings.push(opening));
  expect(openings).toHaveLength(2);
});

test('a snapshot whose texts are gone is passed over for the log', async () => {
  const { storage, bankId } = await largeBank();
  const banks = { ...storage.banks, readTexts: () => Promise.resolve(undefined) };
  const bank = await makeBankLoader(banks).load(bankId);
  expect(canonicalTree(bank.tree)).toBe(canonicalTree(await replayed(storage, bankId)));
});
