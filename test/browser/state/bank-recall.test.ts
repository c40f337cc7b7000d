import { expect, test, vi, onTestFinished } from 'vitest';
import { EMPTY_LOG, makeEntries, headOf } from '../../../src/core/bank/log.ts';
import type { LogEntry, Operation } from '../../../src/core/bank/operation.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import { NO_FILTER, type RecallQuery } from '../../../src/core/recall/index/recall-types.ts';
import type { BankRecall } from '../../../src/core/recall/recalled-bank.ts';
import {
  RecallError,
  type Recall,
  type RecallEncoder,
} from '../../../src/core/recall/recall-port.ts';
import { makeBankLoader } from '../../../src/state/bank-loader.ts';
import { makeBankRecall } from '../../../src/state/bank-recall.ts';
import { PERSON } from '../../../src/state/bank.svelte.ts';
import type { GroveStorage } from '../../../src/storage/open-storage.ts';
import { startRecallWorker } from '../../../src/work/recall-client.ts';
import { lessonOf } from '../../core/bank/material.ts';
import { manifestOf } from '../storage/material.ts';
import { openTestStorage } from '../storage/open-test-storage.ts';

vi.setConfig({ testTimeout: 60_000 });

const ask = (text: string, over: Partial<RecallQuery> = {}) => ({
  ...{ text, mode: 'fused' as const, filter: NO_FILTER, limit: 10 },
  ...over,
});

const add = (id: string, topic: string): Operation => ({
  type: 'add-lesson',
  lesson: lessonOf(id, { topic, title: topic, guidance: `About ${topic}.` }),
});

/** The worker with the app's own word vectors, and what it was asked. */
async function startRecall() {
  const worker = startRecallWorker();
  onTestFinished(() => worker.stop());
  const bytes = await (await fetch('/encoder/words.bin')).arrayBuffer();
  const encoder = await worker.loadWords(new Uint8Array(bytes));
  const asked: string[] = [];
  const recall: Recall = {
    ...worker,
    open: (name, making, stored) => {
      asked.push(stored === null ? 'open anew' : 'open stored');
      return worker.open(name, making, stored);
    },
    apply: (name, batch) => {
      asked.push(`apply ${batch.changes.length}`);
      return worker.apply(name, batch);
    },
  };
  return { recall, encoder, asked };
}

async function openRecall(storage: GroveStorage) {
  const { recall, encoder, asked } = await startRecall();
  const loader = makeBankLoader(storage.banks);
  const { banks, recall: store } = storage;
  return { asked, banks: makeBankRecall({ banks, loader, store, recall, encoder }) };
}

async function bankOf(...steps: readonly (readonly Operation[])[]) {
  const storage = await openTestStorage();
  const manifest = manifestOf('Maps');
  await storage.banks.createBank(manifest);
  const log: LogEntry[] = [];
  const append = async (operations: readonly Operation[]) => {
    const last = log.at(-1);
    const head = last === undefined ? EMPTY_LOG : headOf(last);
    const step = (last?.step ?? 0) + 1;
    const entries = makeEntries(
      head,
      operations.map((operation) => ({ operation, by: PERSON })),
      { step, at: '2026-12-03T00:00:00.000Z' },
    );
    await storage.banks.append(manifest.id, head, entries);
    log.push(...entries);
  };
  for (const operations of steps) await append(operations);
  return { storage, bankId: manifest.id, append };
}

const found = async (banks: BankRecall, bankId: string, query: Omit<RecallQuery, 'vector'>) =>
  (await (await banks.at(bankId)).find(query)).map(({ nodeId }) => nodeId);

const STOPS = add('stops', 'stops of a metro line');
const PRICES = add('prices', 'prices on a receipt');

test('lessons are found by words and by what they mean, and each says how', async () => {
  const { storage, bankId } = await bankOf([STOPS, PRICES]);
  const { banks } = await openRecall(storage);
  const bank = await banks.at(bankId);
  const [byWord] = await bank.find(ask('How many stops?'));
  expect(byWord).toMatchObject({ nodeId: 'stops', rank: 1, bm25Rank: 1, matchedWords: ['stop'] });
  expect(byWord?.vectorRank).not.toBeNull();
  // No word in common: the vectors alone know that a bill is like a receipt.
  const [byMeaning] = await bank.find(ask('What does the bill cost?'));
  expect(byMeaning).toMatchObject({ nodeId: 'prices', bm25Rank: null, matchedWords: [] });
  expect(await bank.find(ask('What does the bill cost?', { mode: 'bm25' }))).toEqual([]);
  expect(await bank.find(ask('  '))).toEqual([]);
});

test('the index follows the log, and answers as of any step', async () => {
  const { storage, bankId, append } = await bankOf([STOPS]);
  const { banks, asked } = await openRecall(storage);
  expect(await found(banks, bankId, ask('receipt prices', { mode: 'bm25' }))).toEqual([]);
  await append([PRICES]);
  expect(await found(banks, bankId, ask('receipt prices', { mode: 'bm25' }))).toEqual(['prices']);
  expect(asked).toEqual(['open anew', 'apply 1', 'apply 1']);
  await append([{ type: 'retire-lesson', lesson: 'prices', reason: 'wrong' }]);
  expect(await found(banks, bankId, ask('receipt prices', { mode: 'bm25' }))).toEqual([]);
  const asOfStep = (step: number) =>
    ask('receipt prices', { mode: 'bm25', filter: { ...NO_FILTER, asOfStep: step } });
  expect(await found(banks, bankId, asOfStep(2))).toEqual(['prices']);
  expect(await found(banks, bankId, asOfStep(1))).toEqual([]);
});

test('what was stored is read, not made again, and follows what the log says since', async () => {
  const { storage, bankId, append } = await bankOf([STOPS]);
  const first = await openRecall(storage);
  const wanted = await (await first.banks.at(bankId)).find(ask('metro stops'));
  const { making } = await first.banks.at(bankId);
  const isStored = () => storage.recall.readRecall(bankId, JSON.stringify(making));
  await expect.poll(isStored, { timeout: 10_000 }).toBeDefined();
  const second = await openRecall(storage);
  expect(await (await second.banks.at(bankId)).find(ask('metro stops'))).toEqual(wanted);
  expect(second.asked).toEqual(['open stored']);
  await append([PRICES]);
  const third = await openRecall(storage);
  expect(await found(third.banks, bankId, ask('receipt'))).toContain('prices');
  expect(third.asked).toEqual(['open stored', 'apply 1']);
});

test('a stored index that is damaged is made again from the log, and says so', async () => {
  const { storage, bankId } = await bankOf([STOPS]);
  const { banks } = await openRecall(storage);
  const { making, wasDamaged, head } = await banks.at(bankId);
  expect(wasDamaged).toBe(false);
  const makingId = JSON.stringify(making);
  await expect
    .poll(() => storage.recall.readRecall(bankId, makingId), { timeout: 10_000 })
    .toBeDefined();
  const parts = await storage.recall.readRecall(bankId, makingId);
  const rows = parts?.get('rows-0')?.slice() ?? new Uint8Array();
  rows[rows.length >> 1] = (rows[rows.length >> 1] ?? 0) ^ 0xff;
  await storage.recall.writeRecall(bankId, {
    ...{ making: makingId, head, names: [...(parts?.keys() ?? [])] },
    parts: new Map([['rows-0', rows]]),
  });
  const again = await openRecall(storage);
  expect((await again.banks.at(bankId)).wasDamaged).toBe(true);
  expect(await found(again.banks, bankId, ask('metro stops'))).toEqual(['stops']);
});

test('an index that grew is, byte for byte, one made from the log; one that is not is thrown away', async () => {
  const { storage, bankId, append } = await bankOf([STOPS], [PRICES]);
  const { banks } = await openRecall(storage);
  await banks.at(bankId);
  await append([{ type: 'retire-lesson', lesson: 'stops', reason: 'wrong' }]);
  await append([add('axes', 'axes of a chart')]);
  expect(await banks.check(bankId)).toBe(true);
  const { recall, encoder } = await startRecall();
  const lossy: Recall = {
    ...recall,
    apply: (name, { head, changes }) =>
      recall.apply(name, { head, changes: isLossy ? [] : changes }),
  };
  let isLossy = true;
  const loader = makeBankLoader(storage.banks);
  await storage.recall.removeRecall(bankId, JSON.stringify((await banks.at(bankId)).making));
  const { banks: store } = storage;
  const wrong = makeBankRecall({
    banks: store,
    loader,
    store: storage.recall,
    recall: lossy,
    encoder,
  });
  expect(await found(wrong, bankId, ask('axes of a chart'))).toEqual([]);
  isLossy = false;
  expect(await wrong.check(bankId)).toBe(false);
  expect(await found(wrong, bankId, ask('axes of a chart'))).toContain('axes');
});

test('an index is the same however the log was read, a step cut by a page included', async () => {
  const placed: readonly Operation[] = [
    PRICES,
    add('totals', 'totals of a receipt'),
    {
      type: 'place',
      groups: [{ id: 'receipts', parent: ROOT_ID, title: 'Receipts', scope: 'receipts' }],
      assignments: ['prices', 'totals'].map((lesson) => ({ lesson, under: 'receipts' })),
    },
    {
      type: 'consolidate',
      group: 'receipts',
      summary: {
        ...{ text: 'Read the column.', procedure: [], conditions: 'On a receipt', conflicts: [] },
        supportedBy: ['prices', 'totals'],
      },
    },
  ];
  const { storage, bankId, append } = await bankOf([STOPS]);
  const { recall, encoder } = await startRecall();
  const loader = makeBankLoader(storage.banks);
  const { banks, recall: store } = storage;
  // Read from its beginning, a page of four entries ends before the step's last one.
  const few = { ...encoder, batch: 4 };
  const recalled = makeBankRecall({ banks, loader, store, recall, encoder: few });
  await recalled.at(bankId);
  await append(placed);
  await recalled.at(bankId);
  expect(await recalled.check(bankId)).toBe(true);
});

test('an encoder that fails in the middle costs what was not stored, and harms nothing', async () => {
  const steps = Array.from({ length: 12 }, (_, at) => [add(`l${at}`, `stops of line ${at}`)]);
  const { storage, bankId } = await bankOf(...steps);
  const { recall, encoder, asked } = await startRecall();
  let left = 3;
  const failing: RecallEncoder = {
    ...encoder,
    batch: 3,
    encode(texts, as) {
      if (left === 0) throw new RecallError('encoder-failed', 'The model is gone.');
      left -= 1;
      return encoder.encode(texts, as);
    },
  };
  const ports = {
    ...{ banks: storage.banks, loader: makeBankLoader(storage.banks), store: storage.recall },
    ...{ recall, keepEveryMs: 0 },
  };
  const first = makeBankRecall({ ...ports, encoder: failing });
  await expect(first.at(bankId)).rejects.toMatchObject({ code: 'encoder-failed' });
  const before = asked.length;
  const again = await makeBankRecall({ ...ports, encoder }).at(bankId);
  expect(again.wasDamaged).toBe(false);
  expect(asked.slice(before)[0]).toBe('open stored');
  const taken = asked.slice(before).map((line) => Number(/^apply (\d+)/u.exec(line)?.[1] ?? 0));
  expect(taken.reduce((sum, count) => sum + count, 0)).toBeLessThan(steps.length);
  expect(await again.find(ask('stops of line 11', { limit: 12 }))).toHaveLength(12);
});

test('a question of 100,000 words and one of broken characters find what they can', async () => {
  const { storage, bankId } = await bankOf([STOPS, PRICES]);
  const { banks } = await openRecall(storage);
  const long = Array.from({ length: 100_000 }, (_, at) => `word${at}`).join(' ');
  expect(await found(banks, bankId, ask(`${long} receipt`, { mode: 'bm25' }))).toEqual(['prices']);
  expect(await found(banks, bankId, ask('\ud800 receipt \udc00', { mode: 'bm25' }))).toEqual([
    'prices',
  ]);
});

test('an index goes with the log it was made of', async () => {
  const { storage, bankId } = await bankOf([STOPS, PRICES]);
  const { banks } = await openRecall(storage);
  const { making } = await banks.at(bankId);
  const stored = () => storage.recall.readRecall(bankId, JSON.stringify(making));
  await expect.poll(stored, { timeout: 10_000 }).toBeDefined();
  const erased = await storage.eraseLessons(bankId, ['prices'], {
    ...{ by: PERSON, at: '2026-12-03T00:00:00.000Z', reason: 'test' },
  });
  expect(erased.ok).toBe(true);
  expect(await stored()).toBeUndefined();
  expect(await found(banks, bankId, ask('receipt prices'))).toEqual([]);
  expect(await found(banks, bankId, ask('metro stops'))).toEqual(['stops']);
  await storage.banks.deleteBank(bankId);
  expect(await stored()).toBeUndefined();
});
