import { buildApp, DIST } from '../build-app.mjs';
import { serve } from '../serve.mjs';
import {
  importBundle,
  keptBrowser,
  longestTaskMs,
  openEmptyBank,
  settle,
  trustBank,
} from './bank-browser.mjs';
import { withBundles } from './bundle-maker.mjs';

const FIRST = 'which column has the legend of the night line';
/** Asked one after another, once recall is open. */
const NEXT = [
  'what is the total number of the second row',
  'where does the express stop before the branch',
  'which colour has the axis of the transfer station',
  'how is the entrance marked beside the sign',
  'compare the price of the receipt with the count',
];

/**
 * “Try a question” in the built app, as a person has it: the first question of a bank, whose index is made
 * from the log; the first one after a start, for which it is read; and those that follow.
 *
 * @param {{ full: boolean }} options `full` takes ten times the lessons
 * @returns {Promise<import('../bench.mjs').Measure[]>}
 */
export async function benchAsk({ full }) {
  const lessons = full ? 100_000 : 10_000;
  await buildApp();
  const server = await serve({ root: DIST, port: 0 });
  const browser = keptBrowser();
  try {
    const made = await withBundles(async (make) => {
      const { path } = await make({ lessons, crops: 0 });
      return withPage(browser, async (context) => {
        const page = await openEmptyBank(context, server.url);
        await importBundle(page, path);
        await trustBank(page);
        const asked = await askFirst(page, server.url);
        while (!(await page.evaluate(isStored))) await page.waitForTimeout(500);
        return asked;
      });
    });
    const read = await withPage(browser, async (context) => {
      const page = await context.newPage();
      await page.goto(`${server.url}#/bank`);
      await page.getByRole('treeitem').first().waitFor();
      const asked = await askFirst(page, server.url);
      return { ...asked, next: await askOn(page) };
    });
    const of = `of ${lessons.toLocaleString('en')} lessons`;
    return [
      { name: `first question ${of}, index made from the log`, value: made.ms, unit: 'ms' },
      { name: 'longest task meanwhile', value: made.taskMs, unit: 'ms' },
      { name: 'first question after a start, index read', value: read.ms, unit: 'ms' },
      { name: 'longest task meanwhile', value: read.taskMs, unit: 'ms' },
      {
        name: 'next questions, as the page says (worst)',
        value: Math.max(...read.next),
        unit: 'ms',
      },
    ];
  } finally {
    browser.remove();
    await server.close();
  }
}

/**
 * @template T
 * @param {import('./bank-browser.mjs').KeptBrowser} browser
 * @param {(context: import('playwright').BrowserContext) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withPage(browser, work) {
  const context = await browser.start();
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

/**
 * Asks the first question once the whole bank is read.
 *
 * @param {import('playwright').Page} page
 * @param {string} url
 * @returns {Promise<{ ms: number, taskMs: number }>} from the question until its candidates are there
 */
async function askFirst(page, url) {
  await page.getByText(/\d rules?,/u).waitFor();
  await page.goto(`${url}#/bank/try`);
  await page.getByText('Ask the bank something').waitFor();
  await settle(page);
  const startedAt = performance.now();
  await page.getByLabel('Try a question').fill(FIRST);
  await page.getByRole('table').waitFor();
  const ms = performance.now() - startedAt;
  return { ms, taskMs: await longestTaskMs(page) };
}

/**
 * @param {import('playwright').Page} page
 * @returns {Promise<readonly number[]>} milliseconds, the way to the worker and back included
 */
async function askOn(page) {
  const times = [];
  for (const question of NEXT) {
    await page.getByLabel('Try a question').fill(question);
    await page.waitForTimeout(500);
    const said = await page.getByText(/^found in/u).innerText();
    times.push(Number.parseFloat(said.replace('found in ', '')));
  }
  return times;
}

/** Runs in the page: whether the index lies in the database, its manifest last. */
async function isStored() {
  const request = indexedDB.open('grove');
  const database = await new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const counting = database.transaction('recallParts').objectStore('recallParts').count();
  const count = await new Promise((resolve) => {
    counting.onsuccess = () => resolve(counting.result);
  });
  database.close();
  return count > 0;
}
