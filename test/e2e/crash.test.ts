import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { verifyChain } from '../../src/core/bank/log.ts';
import { logEntrySchema } from '../../src/core/bank/operation.ts';
import { callRecordSchema } from '../../src/core/call.ts';
import { seededRandom } from '../../src/core/metro/random.ts';
import { runRecordSchema } from '../../src/core/run.ts';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';
import { storedRows } from './support/stored-rows.ts';

/**
 * The renderer is crashed right after the n-th storage call of the sample, n drawn with this seed over
 * all of them. `GROVE_CRASHES=40` draws that many.
 */
const SEED = 20261130;
const CRASHES = Number(process.env['GROVE_CRASHES'] ?? '3');
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

/** A page of Grove's origin that is not the app: it reads the database and writes nothing. */
async function readCalls(context: BrowserContext): Promise<Map<string, string>> {
  const page = await context.newPage();
  await page.goto(`${app.url}icon.svg`);
  const rows = z.array(callRow).parse(await storedRows(page, 'calls'));
  await page.close();
  return new Map(rows.map((row) => [row.id, JSON.stringify(row.call)]));
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
        .map(({ call: { key } }) => [key.attempt, key.role, key.ordinal, key.sample].join('/'))
        .sort(),
    ),
    lessons: entries
      .flatMap(({ operation }) =>
        operation.type === 'add-lesson' ? [operation.lesson.contentHash] : [],
      )
      .sort(),
  };
}

/**
 * Starts the sample, fast. From then on every writing call to an object store is counted; after the
 * `crashAfter`-th the page does nothing more, and its renderer is crashed.
 */
async function play(crashAfter: number): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(app.url);
  const start = page.getByRole('button', { name: 'Try the metro sample' });
  await start.waitFor();
  const session = await context.newCDPSession(page);
  await page.exposeFunction('reachedTheCall', () => {
    // It never answers: the renderer that would is gone.
    void session.send('Page.crash').catch(() => undefined);
  });
  await page.evaluate((last) => {
    let made = 0;
    Object.assign(globalThis, { storageCalls: () => made });
    for (const name of ['put', 'add', 'delete'] as const) {
      const original = IDBObjectStore.prototype[name];
      Object.assign(IDBObjectStore.prototype, {
        [name](this: IDBObjectStore, ...given: unknown[]) {
          made += 1;
          const request: unknown = Reflect.apply(original, this, given);
          if (made === last) Reflect.get(globalThis, 'reachedTheCall')();
          return request;
        },
      });
    }
  }, crashAfter);
  await start.click();
  await page.getByRole('checkbox', { name: 'Fast' }).check();
  return { context, page };
}

test(
  `after a crash at any storage call the sample goes on, and nothing completed is missing`,
  {
    timeout: 60_000 + CRASHES * 40_000,
  },
  async () => {
    const undisturbed = await play(Infinity);
    await undisturbed.page.getByText(END).waitFor({ timeout: 60_000 });
    const expected = await outcomeOf(undisturbed.page);
    const calls = await undisturbed.page.evaluate(() =>
      Number(Reflect.get(globalThis, 'storageCalls')()),
    );
    await undisturbed.context.close();
    expect(calls).toBeGreaterThan(100);
    expect(expected.lessons.length).toBeGreaterThan(1);

    const random = seededRandom(SEED);
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const at = 1 + random.below(calls);
      const { context, page } = await play(at);
      if (!page.isClosed()) await page.waitForEvent('crash', { timeout: 60_000 });
      const completed = await readCalls(context);
      const again = await context.newPage();
      await again.goto(app.url);
      await again.getByText(END).waitFor({ timeout: 60_000 });
      const after = await readCalls(context);
      for (const [id, call] of completed) expect(after.get(id), `call ${id}`).toBe(call);
      expect(await outcomeOf(again), `crash after storage call ${at} of ${calls}`).toEqual(
        expected,
      );
      console.log(`crashed after storage call ${at} of ${calls}: ${completed.size} calls kept`);
      await context.close();
    }
  },
);
