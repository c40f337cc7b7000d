import { expect, test, vi } from 'vitest';
import { emptyTree } from '../../../src/core/bank/tree.ts';
import { EMPTY_LOG, makeEntries, replay } from '../../../src/core/bank/log.ts';
import { canonicalJson } from '../../../src/core/canonical.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';
import { makeModelOrganizer } from '../../../src/core/organize/model-organizer.ts';
import type { Backbone, BankSnapshot, BankStore, RunStore } from '../../../src/core/ports.ts';
import { DEFAULT_RUN_CONFIG, type LessonDraft } from '../../../src/core/run.ts';
import type { OrganizeLine } from '../../../src/state/organize-line.ts';
import {
  makeBankKeeper,
  type BankKeeper,
  type BankKeeperPorts,
} from '../../../src/state/bank-keeper.ts';
import { makeBankLoader } from '../../../src/state/bank-loader.ts';
import type { KeptBank } from '../../../src/state/bank-opening.ts';
import type { GroveStorage } from '../../../src/storage/open-storage.ts';
import { draftOf, entriesFrom, headOf, ids, manifestOf, START } from '../storage/material.ts';
import { openTestStorage } from '../storage/open-test-storage.ts';

const clock = { now: () => '2026-01-01T00:00:00.000Z', monotonicMs: () => 0 };

const byRules = async () => ({ organizer: rulesOrganizer, backbone: null });

interface Over {
  readonly banks?: BankStore;
  readonly runs?: RunStore;
  readonly organizing?: BankKeeperPorts['organizing'];
}

function keeperOf(storage: GroveStorage, { organizing = byRules, ...over }: Over = {}) {
  const { banks, runs, journal } = { ...storage, ...over };
  return makeBankKeeper({
    banks,
    loader: makeBankLoader(banks),
    ...{ runs, journal, ids, clock, organizing },
  });
}

async function accept(keeper: BankKeeper, bankId: string, drafts: readonly LessonDraft[]) {
  const lines: OrganizeLine[] = [];
  const { signal } = new AbortController();
  const flow = keeper.accept(bankId, drafts, { config: DEFAULT_RUN_CONFIG, signal });
  for (;;) {
    const next = await flow.next();
    if (next.done === true) return { lines, placed: next.value };
    lines.push(next.value);
  }
}

async function newBank(storage: GroveStorage, drafts = 1) {
  const manifest = manifestOf('Bank');
  await storage.banks.createBank(manifest);
  const made = Array.from({ length: drafts }, (_, at) => {
    const draft = draftOf(`run-${at}`, manifest.id, at, null);
    return { ...draft, source: { ...draft.source, runId: `run-${at}`, taskId: `task-${at}` } };
  });
  for (const draft of made) await storage.runs.putDraft(draft);
  return { manifest, bankId: manifest.id, drafts: made };
}

/** All records of a tree as text. */
function recordsOf({ tree }: Pick<KeptBank, 'tree'>): string {
  const { nodes, aliases, outcomes, frozen } = tree;
  const maps = [nodes, aliases, outcomes].map((map) => Object.fromEntries<unknown>(map.entries()));
  return canonicalJson({ maps, frozen });
}

async function replayed(storage: GroveStorage, bankId: string) {
  const info = await storage.banks.getBank(bankId);
  const tree = replay(info!.manifest, await storage.banks.readLog(bankId, 0));
  if (!tree.ok) throw new Error(tree.refusal.message);
  return recordsOf({ tree: tree.value });
}

test('what a frozen bank does not take stays in the inbox, and that is said', async () => {
  const storage = await openTestStorage();
  const { bankId, drafts } = await newBank(storage, 2);
  const by = { kind: 'person', name: 'you' } as const;
  const freeze = { operation: { type: 'freeze', reason: 'exam' }, by } as const;
  await storage.banks.append(
    bankId,
    EMPTY_LOG,
    makeEntries(EMPTY_LOG, [freeze], { step: 1, at: clock.now() }),
  );
  const { lines, placed } = await accept(keeperOf(storage), bankId, drafts);
  expect(lines.map(({ state, text }) => [state, text])).toEqual([
    ['refused', 'the bank is frozen'],
    ['refused', 'the bank is frozen'],
  ]);
  expect(placed).toEqual([]);
  expect(await storage.runs.listDrafts(bankId)).toHaveLength(2);
});

test('accepted drafts lie in a group of the bank, and leave the inbox', async () => {
  const storage = await openTestStorage();
  const { bankId, drafts } = await newBank(storage, 2);
  const { lines, placed } = await accept(keeperOf(storage), bankId, drafts);
  expect(await storage.runs.listDrafts(bankId)).toEqual([]);
  expect(placed.map(({ title }) => title)).toEqual(drafts.map(({ content }) => content.title));
  expect(placed.every(({ path }) => path !== 'the root')).toBe(true);
  expect(lines.map(({ operation }) => operation)).toEqual([
    'add-lesson',
    'add-lesson',
    'place',
    'consolidate',
  ]);
});

test('accepting again after a crash between append and deletion leaves the log, and removes the draft', async () => {
  const storage = await openTestStorage();
  const { bankId, drafts } = await newBank(storage);
  const crashing: RunStore = {
    ...storage.runs,
    deleteDraft: () => Promise.reject(new Error('the tab was closed')),
  };
  await expect(accept(keeperOf(storage, { runs: crashing }), bankId, drafts)).rejects.toThrow(
    'the tab was closed',
  );
  const log = await storage.banks.readLog(bankId, 0);
  expect(log.length).toBeGreaterThan(0);
  expect(await storage.runs.listDrafts(bankId)).toHaveLength(1);
  const { placed } = await accept(keeperOf(storage), bankId, drafts);
  expect(await storage.banks.readLog(bankId, 0)).toEqual(log);
  expect(await storage.runs.listDrafts(bankId)).toEqual([]);
  expect(placed).toHaveLength(1);
});

test('where another tab wrote first the step is made anew on what it wrote', async () => {
  const storage = await openTestStorage();
  const { bankId, drafts } = await newBank(storage, 2);
  const [mine, theirs] = drafts;
  let appends = 0;
  const banks: BankStore = {
    ...storage.banks,
    async append(id, expected, entries) {
      appends += 1;
      if (appends === 1) await accept(keeperOf(storage), bankId, [theirs!]);
      return storage.banks.append(id, expected, entries);
    },
  };
  const keeper = keeperOf(storage, { banks });
  await accept(keeper, bankId, [mine!]);
  expect(appends).toBe(2);
  const bank = await keeper.load(bankId);
  expect(bank.tree.index.activeLessons).toBe(2);
  expect(bank.step).toBe(2);
  expect(recordsOf(bank)).toBe(await replayed(storage, bankId));
});

test('a head that moves every time is told after a few tries, and the draft stays', async () => {
  const storage = await openTestStorage();
  const { bankId, drafts } = await newBank(storage, 9);
  const [mine, ...others] = drafts;
  const banks: BankStore = {
    ...storage.banks,
    async append(id, expected, entries) {
      await accept(keeperOf(storage), bankId, [others.pop()!]);
      return storage.banks.append(id, expected, entries);
    },
  };
  await expect(accept(keeperOf(storage, { banks }), bankId, [mine!])).rejects.toMatchObject({
    code: 'head-moved',
  });
  const left = await storage.runs.listDrafts(bankId);
  expect(left.map(({ id }) => id)).toContain(mine!.id);
});

const UNREADABLE = { nodes: 1, state: '', pieces: ['no piece'] };

/** A bank of 70 maintenance steps of ten entries, and a watch on what a keeper reads and leaves. */
async function longBank() {
  const storage = await openTestStorage();
  const manifest = manifestOf('Long');
  await storage.banks.createBank(manifest);
  const entries = entriesFrom(START, 700);
  await storage.banks.append(manifest.id, START, entries);
  const read: number[] = [];
  const left: BankSnapshot[] = [];
  const banks: BankStore = {
    ...storage.banks,
    readLog(id, afterSeq, most) {
      read.push(afterSeq);
      return storage.banks.readLog(id, afterSeq, most);
    },
    putSnapshot(id, snapshot) {
      left.push(snapshot);
      return storage.banks.putSnapshot(id, snapshot);
    },
  };
  const append = async (count: number) => {
    const log = await storage.banks.readLog(manifest.id, 0);
    await storage.banks.append(manifest.id, headOf(log), entriesFrom(headOf(log), count));
  };
  return { storage, bankId: manifest.id, banks, read, left, append };
}

test('a long log leaves a snapshot, from which the next keeper reads on', async () => {
  const { storage, bankId, banks, read, left, append } = await longBank();
  await keeperOf(storage, { banks }).load(bankId);
  await vi.waitFor(async () => {
    expect((await storage.banks.readStructure(bankId))?.head.seq).toBe(700);
  });
  await append(5);
  read.length = 0;
  const bank = await keeperOf(storage, { banks }).load(bankId);
  expect(read).toEqual([699, 700]);
  expect(left).toHaveLength(1);
  expect([bank.head.seq, bank.step]).toEqual([705, 71]);
  expect(recordsOf(bank)).toBe(await replayed(storage, bankId));
});

test('a snapshot that does not parse is passed over, and a sound one left in its place', async () => {
  const { storage, bankId, banks, read } = await longBank();
  const head = headOf(await storage.banks.readLog(bankId, 0));
  await storage.banks.putSnapshot(bankId, {
    head,
    groups: '',
    structure: UNREADABLE,
    texts: ['[]'],
  });
  const bank = await keeperOf(storage, { banks }).load(bankId);
  expect(read).toContain(0);
  expect(recordsOf(bank)).toBe(await replayed(storage, bankId));
  await vi.waitFor(async () => {
    expect((await storage.banks.readStructure(bankId))?.structure).not.toEqual(UNREADABLE);
  });
  read.length = 0;
  await keeperOf(storage, { banks }).load(bankId);
  expect(read).toEqual([699, 700]);
});

test('single appends leave no snapshot, and a bank that is gone is told so', async () => {
  const storage = await openTestStorage();
  const { bankId, drafts } = await newBank(storage);
  const keeper = keeperOf(storage);
  expect(recordsOf(await keeper.load(bankId))).toBe(
    recordsOf({ tree: emptyTree(manifestOf('Bank')) }),
  );
  await accept(keeper, bankId, drafts);
  expect(await storage.banks.readStructure(bankId)).toBeUndefined();
  await storage.banks.deleteBank(bankId);
  await expect(keeper.load(bankId)).rejects.toMatchObject({ code: 'not-found' });
});

/** A model that organizes: places every lesson in one new group, and says the same whenever it is asked. */
function organizingModel(device: Backbone['device'] = 'this-device') {
  const asked: string[] = [];
  const backbone: Backbone = {
    ...{ id: 'local:test', label: 'Test model', device },
    async *generate({ prompt, messages }) {
      asked.push(prompt);
      const shown = JSON.stringify(messages);
      const lessons = ['L1', 'L2'].filter((name) => shown.includes(`${name}: `));
      const place = {
        groups: [{ name: 'N1', parent: 'G1', title: 'By the model', scope: 'all of it' }],
        assignments: lessons.map((lesson) => ({ lesson, under: 'N1' })),
      };
      const summary = { text: 'Go on.', procedure: [], conditions: '', conflicts: [] };
      const reply = prompt.startsWith('organizer-place')
        ? place
        : { ...summary, supported_by: lessons };
      const usage = { promptTokens: 100, completionTokens: 20, images: 0, estimated: false };
      const text = JSON.stringify(reply);
      const response = {
        text,
        reasoning: '',
        finishReason: 'stop',
        usage,
        model: 'Test model',
      } as const;
      yield { type: 'finish', response };
    },
  };
  const organizer = makeModelOrganizer({
    ...{ id: 'model test', label: 'Test model', images: false },
    ...{ temperature: 0, repair: true, fallback: true },
  });
  return { asked, organizing: async () => ({ organizer, backbone }) };
}

test('a model organizes the step, and what its calls cost is told', async () => {
  const storage = await openTestStorage();
  const { bankId, drafts } = await newBank(storage, 2);
  const { asked, organizing } = organizingModel();
  const keeper = keeperOf(storage, { organizing });
  const { lines, placed } = await accept(keeper, bankId, drafts);
  expect(placed.map(({ path }) => path)).toEqual(['By the model', 'By the model']);
  expect(asked.map((prompt) => prompt.split('@')[0])).toEqual([
    'organizer-place',
    'organizer-consolidate',
  ]);
  const calls = lines.filter(({ operation }) => operation.startsWith('call'));
  expect(calls.map(({ text }) => text)).toEqual([
    'Test model is asked …',
    'Test model is asked …',
    '2 calls to Test model: 200 + 40 tokens, 0.0 s',
  ]);
  const bank = await keeper.load(bankId);
  expect(recordsOf(bank)).toBe(await replayed(storage, bankId));
});

test('after a crash before the write no complete call is made again', async () => {
  const storage = await openTestStorage();
  const { bankId, drafts } = await newBank(storage, 2);
  const { asked, organizing } = organizingModel();
  const banks: BankStore = { ...storage.banks, append: () => Promise.reject(new Error('closed')) };
  await expect(accept(keeperOf(storage, { banks, organizing }), bankId, drafts)).rejects.toThrow(
    'closed',
  );
  const before = asked.length;
  expect(before).toBeGreaterThan(0);
  await accept(keeperOf(storage, { organizing }), bankId, drafts);
  expect(asked).toHaveLength(before);
});

test('a bank that may not leave this device is organized by the rules where the model is elsewhere', async () => {
  const storage = await openTestStorage();
  const { manifest, bankId, drafts } = await newBank(storage, 2);
  await storage.banks.changeSettings(bankId, { ...manifest, localOnly: true });
  const { asked, organizing } = organizingModel('remote');
  const { lines, placed } = await accept(keeperOf(storage, { organizing }), bankId, drafts);
  expect(asked).toEqual([]);
  expect(placed).toHaveLength(2);
  expect(lines.find(({ state }) => state === 'refused')?.why).toContain('kept on this device');
});
