import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { verifyChain } from '../../src/core/bank/log.ts';
import { logEntrySchema } from '../../src/core/bank/operation.ts';
import { callRecordSchema } from '../../src/core/call.ts';
import { runRecordSchema } from '../../src/core/run.ts';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';
import {
  crashCount,
  drawCalls,
  openCounted,
  type CountedPage,
  type Watch,
} from './support/crashes.ts';
import { storedRows } from './support/stored-rows.ts';

/**
 * The renderer is crashed right after the n-th storage call of the sample, n drawn with this seed over
 * all of them. `GROVE_CRASHES=40` draws that many.
 */
const SEED = 20261130;
const CRASHES = crashCount(2);
const END = 'On a map that no lesson came from';

let app: StartedApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), launch()]);
});

afterAll(async () => {
  await browser.close();
  await app.close();
});

/** What the sample left: its answers, its calls by run in order, and its lessons. */
interface Outcome {
  readonly answers: readonly (string | null)[];
  readonly calls: readonly (readonly string[])[];
  readonly lessons: readonly string[];
}

const callRow = z.object({ id: z.string(), call: callRecordSchema });
const runRow = z.object({ id: z.string(), run: runRecordSchema });
const chunkRow = z.object({ index: z.int(), entries: z.array(logEntrySchema) });

/** From a page of Grove's origin that is not the app: it reads the database and writes nothing. */
async function readTable(context: BrowserContext, table: 'calls' | 'runs') {
  const page = await context.newPage();
  await page.goto(`${app.url}icon.svg`);
  const rows = await storedRows(page, table);
  await page.close();
  return rows;
}

async function readCalls(context: BrowserContext): Promise<Map<string, string>> {
  const rows = z.array(callRow).parse(await readTable(context, 'calls'));
  return new Map(rows.map((row) => [row.id, JSON.stringify(row.call)]));
}

async function startSample(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try the metro sample' }).click();
  await page.getByRole('checkbox', { name: 'Fast' }).check();
}

async function outcomeOf(page: Page): Promise<Outcome> {
  const runs = z.array(runRow).parse(await storedRows(page, 'runs'));
  const calls = z.array(callRow).parse(await storedRows(page, 'calls'));
  const chunks = z.array(chunkRow).parse(await storedRows(page, 'logChunks'));
  const entries = chunks.toSorted((a, b) => a.index - b.index).flatMap((chunk) => chunk.entries);
  expect(verifyChain(entries)).toBeNull();
  const order = runs.toSorted((a, b) => (a.run.createdAt < b.run.createdAt ? -1 : 1));
  expect(order.map(({ run }) => run.status)).toEqual(order.map(() => 'finished'));
  return {
    answers: order.map(({ run }) => run.answer),
    calls: order.map(({ id }) =>
      calls
        .filter(({ call }) => call.key.runId === id)
        .map(({ call: { key, request, backbone } }) => {
          // What the rules do depends on how long things took; what a model is asked does not.
          const what = backbone === 'rules' ? request.prompt : key.requestHash;
          return [key.attempt, key.role, key.ordinal, key.sample, what].join('/');
        })
        .sort(),
    ),
    lessons: entries
      .flatMap(({ operation }) =>
        operation.type === 'add-lesson' ? [operation.lesson.contentHash] : [],
      )
      .sort(),
  };
}

async function play(watch: Watch): Promise<CountedPage & { readonly context: BrowserContext }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const counted = await openCounted(context, app.url, watch);
  const { page } = counted;
  // A crash may come before the sample is begun.
  await Promise.race([startSample(page), page.waitForEvent('crash', { timeout: 60_000 })]);
  return { context, ...counted };
}

test(
  `after a crash at any storage call the sample goes on, and nothing completed is missing or made twice`,
  { timeout: 60_000 + CRASHES * 40_000 },
  async () => {
    const once: string[] = [];
    const undisturbed = await play({ completed: once });
    await undisturbed.page.getByText(END).waitFor({ timeout: 60_000 });
    const expected = await outcomeOf(undisturbed.page);
    const storageCalls = await undisturbed.made();
    await undisturbed.context.close();
    expect(storageCalls).toBeGreaterThan(100);
    expect(expected.lessons.length).toBeGreaterThan(1);
    expect(new Set(once).size).toBe(once.length);
    expect(once).toHaveLength(expected.calls.flat().length);

    for (const at of drawCalls(SEED, { count: CRASHES, made: storageCalls })) {
      const completed: string[] = [];
      const crashed = await play({ crashAfter: at, completed });
      await crashed.page.waitForEvent('crash', { timeout: 60_000 });
      const { context } = crashed;
      const kept = await readCalls(context);
      expect([...kept.keys()], 'what was stored is there').toEqual(
        expect.arrayContaining(completed),
      );
      const hadBegun = (await readTable(context, 'runs')).length > 0;
      const madeAgain: string[] = [];
      const { page: again } = await openCounted(context, app.url, { completed: madeAgain });
      // The first calls store the sample's pictures: after a crash there it stands as if never begun.
      if (!hadBegun) await startSample(again);
      await again.getByText(END).waitFor({ timeout: 60_000 });
      expect(
        madeAgain.filter((id) => kept.has(id)),
        'made twice',
      ).toEqual([]);
      const after = await readCalls(context);
      for (const [id, call] of kept) expect(after.get(id), `call ${id}`).toBe(call);
      expect(await outcomeOf(again), `crash after storage call ${at} of ${storageCalls}`).toEqual(
        expected,
      );
      console.log(`crashed after storage call ${at} of ${storageCalls}: ${kept.size} calls kept`);
      await context.close();
    }
  },
);
