import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activeLessons, type Tree } from '../../src/core/bank/tree.ts';
import type { LessonDraft } from '../../src/core/run.ts';
import {
  acceptDrafts,
  exportBank,
  importBundle,
  memoryFile,
  trustBank,
  type UploadedFile,
} from './support/bank-page.ts';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';
import {
  crashCount,
  crashDuring,
  drawCalls,
  openCounted,
  type CountedPage,
} from './support/crashes.ts';
import {
  keep,
  newContext,
  sampleBegun,
  sampleWithInbox,
  type State,
} from './support/kept-browser.ts';
import {
  leftovers,
  missingImages,
  outline,
  settled,
  stepSizes,
  storedBanks,
  storedDrafts,
  type StoredBank,
} from './support/stored-banks.ts';
import { storedKeys } from './support/stored-rows.ts';

/**
 * The renderer is crashed right after the n-th storage call of a maintenance step, an import and its
 * trust, the page's and its worker's counted together, n drawn with this seed over all of them.
 * `GROVE_CRASHES=40` draws that many of each, no call twice.
 */
const SEED = 20261203;
const CRASHES = crashCount(1);

const MEMORIES = [
  ['Check the units', 'Charts with two axes', 'Read both axes before you compare them.'],
  ['Count edges once', 'Graph tasks', 'Mark each edge when you have counted it.'],
  ['Find the legend first', 'Maps with many lines', 'Read the legend before you name a line.'],
  ['Name the transfer', 'Route questions on maps', 'Say at which station one changes the line.'],
  ['Zoom into small labels', 'Maps with small print', 'Enlarge a label before you read it.'],
] as const;
/** A file whose lessons are new, and one that says a thing once more. */
const FILES = [memoryFile('many.jsonl', MEMORIES), memoryFile('again.jsonl', MEMORIES.slice(1, 2))];

let app: StartedApp;
let browser: Browser;
/** A bank, with drafts from outside in its inbox. */
let waiting: State;
/** Another browser with another, smaller bank: it lacks most images of the first. */
let elsewhere: State;
/** What accepting them undisturbed came to, and how many storage calls it took. */
let accepted: { readonly bank: StoredBank; readonly made: number };
/** The first bank, further on by what was accepted. */
let bundle: UploadedFile;

/** The bundle on its way into a browser, undisturbed. */
interface ImportMade {
  readonly from: State;
  readonly made: number;
  /** As it was once the bank was held. */
  readonly held: State;
  readonly trustMade: number;
}
/** A bank that is not there yet, into `elsewhere`; and one that goes on from what is there, into `waiting`. */
let imports: Readonly<Record<'new' | 'newer', ImportMade>>;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), launch()]);
  [waiting, elsewhere] = await Promise.all([
    sampleWithInbox(browser, app.url, FILES),
    sampleBegun(browser, app.url),
  ]);
  const { context, counted } = await openIn(waiting);
  await counted.count(Infinity);
  await acceptDrafts(counted.page);
  const made = await counted.made();
  accepted = { bank: only(await storedBanks(counted.page)), made };
  bundle = await exportBank(counted.page);
  await context.close();
  imports = {
    new: await importUndisturbed(elsewhere),
    newer: await importUndisturbed(waiting),
  };
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await app?.close();
});

const only = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error(`${items.length} instead of one`);
  return item;
};

/** A browser as it was kept, with the Bank page open and no storage call to come by itself. */
async function openIn(
  state: State,
): Promise<{ readonly context: BrowserContext; readonly counted: CountedPage }> {
  const context = await newContext(browser, state);
  return { context, counted: await openBank(context) };
}

async function openBank(context: BrowserContext): Promise<CountedPage> {
  const counted = await openCounted(context, `${app.url}#/bank`);
  await counted.page.getByRole('button', { name: 'Import bank' }).waitFor();
  return counted;
}

/** Reads the database from a page of Grove's origin that is not the app, and writes nothing. */
async function looking<T>(context: BrowserContext, look: (page: Page) => Promise<T>): Promise<T> {
  const page = await context.newPage();
  await page.goto(`${app.url}icon.svg`);
  const seen = await look(page);
  await page.close();
  return seen;
}

async function importUndisturbed(from: State): Promise<ImportMade> {
  const { context, counted } = await openIn(from);
  await counted.count(Infinity);
  await importBundle(counted.page, bundle);
  const made = await counted.made();
  const held = await keep(context);
  await counted.count(Infinity);
  await trustBank(counted.page);
  const trustMade = await counted.made();
  await context.close();
  return { from, made, held, trustMade };
}

/** The bank of the bundle is here once, as one like any other, whole; all other banks are as they were. */
async function expectTrusted(
  page: Page,
  before: Awaited<ReturnType<typeof settled>>,
  what: string,
): Promise<void> {
  const { row } = accepted.bank;
  const banks = await storedBanks(page);
  const bank = only(banks.filter(({ row: { manifest } }) => manifest.id === row.id));
  expect(bank.row, what).toMatchObject({ id: row.id, published: 1, head: row.head });
  expect(bank.entries, what).toEqual(accepted.bank.entries);
  expect(await missingImages(page, bank.tree), what).toEqual([]);
  const others = (await settled(page)).banks.filter(({ row: { id } }) => id !== row.id);
  expect(others, what).toEqual(before.banks.filter(({ row: { id } }) => id !== row.id));
  expect((await settled(page)).drafts, what).toEqual(before.drafts);
  expect(await leftovers(page), what).toEqual([]);
}

/** How many lessons of a tree rest on a draft's source. */
function lessonsFrom(tree: Tree, { source }: LessonDraft): number {
  const all = [...activeLessons(tree)].flatMap(({ evidence }) => evidence);
  return all.filter(({ runId }) => runId === source.runId).length;
}

const everyDrawn = (seed: number, made: number) => drawCalls(seed, { count: CRASHES, made });
const timeout = 60_000 + CRASHES * 60_000;

test(
  'after a crash at any storage call of a maintenance step it is whole or not there, and no draft is lost',
  async () => {
    const { made } = accepted;
    expect(made).toBeGreaterThan(MEMORIES.length);
    for (const at of everyDrawn(SEED, made)) {
      const what = `crash after storage call ${at} of ${made}`;
      const { context, counted } = await openIn(waiting);
      const drafts = await storedDrafts(counted.page);
      expect(drafts).toHaveLength(MEMORIES.length + 1);
      await counted.count(at);
      await crashDuring(counted.page, () => acceptDrafts(counted.page));

      const [bank, left] = await looking(context, async (page) => [
        only(await storedBanks(page)),
        new Set((await storedDrafts(page)).map(({ id }) => id)),
      ]);
      const steps = stepSizes(bank);
      expect(steps, what).toEqual(stepSizes(accepted.bank).slice(0, steps.length));
      const counts = drafts.map((draft) => lessonsFrom(bank.tree, draft));
      for (const [index, { id }] of drafts.entries()) {
        expect(counts[index], what).toBeLessThanOrEqual(1);
        expect(left.has(id) || counts[index] === 1, `${what}: a draft is kept`).toBe(true);
      }

      const { page } = await openBank(context);
      await acceptDrafts(page);
      const after = only(await storedBanks(page));
      expect(stepSizes(after), what).toEqual(stepSizes(accepted.bank));
      expect(outline(after.tree), what).toEqual(outline(accepted.bank.tree));
      expect(drafts.map((draft) => lessonsFrom(after.tree, draft))).toEqual(drafts.map(() => 1));
      expect(await leftovers(page), what).toEqual([]);
      const taken = counts.filter((count) => count > 0).length;
      console.log(`${what}: ${taken} of ${drafts.length} were lessons, ${left.size} still waited`);
      await context.close();
    }
  },
  timeout,
);

test.each(['new', 'newer'] as const)(
  'after a crash at any storage call of an import of a %s bank none is there or it is held whole, and what was here stays',
  async (relation) => {
    const { from, made } = imports[relation];
    expect(made).toBeGreaterThan(5);
    for (const at of everyDrawn(SEED + 1, made)) {
      const what = `crash after storage call ${at} of ${made}`;
      const { context, counted } = await openIn(from);
      const before = await settled(counted.page);
      const images = await storedKeys(counted.page, 'blobs');
      await counted.count(at);
      await crashDuring(counted.page, () => importBundle(counted.page, bundle));
      const remains = await looking(context, async (page) => {
        expect(await settled(page), what).toEqual(before);
        return (await leftovers(page)).length;
      });

      const { page } = await openBank(context);
      expect(await settled(page), what).toEqual(before);
      expect(await leftovers(page), `${what}: swept`).toEqual([]);
      const held = (await storedBanks(page)).filter(({ row }) => row.held !== undefined);
      if (held.length === 0) expect(await storedKeys(page, 'blobs'), what).toEqual(images);
      for (const { entries, tree } of held) {
        expect(entries, what).toEqual(accepted.bank.entries);
        expect(await missingImages(page, tree), what).toEqual([]);
      }
      await importBundle(page, bundle);
      expect(await settled(page), what).toEqual(before);
      await trustBank(page);
      await expectTrusted(page, before, what);
      console.log(`${what}: ${remains} rows were left to sweep, ${held.length} banks held`);
      await context.close();
    }
  },
  timeout,
);

test.each(['new', 'newer'] as const)(
  'after a crash at any storage call of the trust in a %s bank it is held or a bank like any other',
  async (relation) => {
    const { held: from, trustMade: made } = imports[relation];
    expect(made).toBeGreaterThan(1);
    for (const at of everyDrawn(SEED + 2, made)) {
      const what = `crash after storage call ${at} of ${made}`;
      const { context, counted } = await openIn(from);
      const before = await settled(counted.page);
      await counted.count(at);
      await crashDuring(counted.page, () => trustBank(counted.page));
      const { page } = await openBank(context);
      const isHeld = (await storedBanks(page)).some(({ row }) => row.held !== undefined);
      if (isHeld) {
        expect(await settled(page), what).toEqual(before);
        expect(await leftovers(page), what).toEqual([]);
        await trustBank(page);
      }
      await expectTrusted(page, before, what);
      console.log(`${what}: ${isHeld ? 'still held' : 'trusted'}`);
      await context.close();
    }
  },
  timeout,
);
