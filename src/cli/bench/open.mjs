import { buildApp, DIST } from '../build-app.mjs';
import { serve } from '../serve.mjs';
import {
  importBundle,
  keptBrowser,
  longestTaskMs,
  openEmptyBank,
  trustBank,
} from './bank-browser.mjs';
import { withBundles } from './bundle-maker.mjs';

const OPENINGS = 5;
/** Between two keys, as a person would press them. */
const KEY_MS = 150;

/**
 * A stored bank, opened cold: the browser is started anew and goes to the bank's own address.
 *
 * @param {{ full: boolean }} options `full` takes ten times the lessons
 * @returns {Promise<import('../bench.mjs').Measure[]>}
 */
export async function benchOpen({ full }) {
  const lessons = full ? 100_000 : 10_000;
  await buildApp();
  const server = await serve({ root: DIST, port: 0 });
  const browser = keptBrowser();
  try {
    const bankId = await fill(browser, server.url, lessons);
    const openings = [];
    for (let opening = 0; opening < OPENINGS; opening += 1) {
      openings.push(await open(browser, `${server.url}#/bank/${bankId}`, lessons));
    }
    return measures(openings, lessons);
  } finally {
    browser.remove();
    await server.close();
  }
}

/**
 * Imports a bank of so many lessons, and trusts it.
 *
 * @param {import('./bank-browser.mjs').KeptBrowser} browser
 * @param {string} url
 * @param {number} lessons
 * @returns {Promise<string>} the bank's id
 */
function fill(browser, url, lessons) {
  return withBundles(async (make) => {
    const { path, bankId } = await make({ lessons, crops: 0 });
    const context = await browser.start();
    const page = await openEmptyBank(context, url);
    await importBundle(page, path);
    await trustBank(page);
    await context.close();
    return bankId;
  });
}

/**
 * @typedef {{ rowsMs: number, countMs: number, lessonMs: number, textMs: number, taskMs: number }} Opening
 */

/**
 * @param {import('./bank-browser.mjs').KeptBrowser} browser
 * @param {string} address
 * @param {number} lessons
 * @returns {Promise<Opening>}
 */
async function open(browser, address, lessons) {
  const context = await browser.start();
  try {
    const page = await context.newPage();
    await page.goto(address, { waitUntil: 'commit' });
    await page.getByRole('treeitem').first().waitFor();
    const rowsMs = await page.evaluate(() => performance.now());
    await page
      .getByText(`${lessons.toLocaleString('en')} lessons`)
      .first()
      .waitFor();
    const countMs = await page.evaluate(() => performance.now());
    const taskMs = await longestTaskMs(page);
    const textMs = await readFirstLesson(page);
    const lessonMs = (await page.evaluate(() => performance.now())) - textMs;
    return { rowsMs, countMs, lessonMs, textMs, taskMs };
  } finally {
    await context.close();
  }
}

/**
 * Walks down to the first lesson by keyboard, as the groups of a large bank are closed at first and
 * their lessons come after them.
 *
 * @param {import('playwright').Page} page
 * @returns {Promise<number>} milliseconds from the last key until the lesson's guidance is there
 */
async function readFirstLesson(page) {
  await page.getByRole('treeitem').first().click();
  let pressedAt = performance.now();
  const focused = page.locator('[role=treeitem]:focus');
  while ((await focused.getAttribute('aria-expanded')) !== null) {
    pressedAt = performance.now();
    await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(KEY_MS);
  }
  const panel = page.getByRole('complementary', { name: 'Selected node' });
  await panel
    .getByRole('heading', { level: 2, name: await focused.locator('.name').innerText() })
    .waitFor();
  await panel.locator('p.text').waitFor();
  return performance.now() - pressedAt;
}

/**
 * @param {readonly Opening[]} openings
 * @param {number} lessons
 * @returns {import('../bench.mjs').Measure[]}
 */
function measures(openings, lessons) {
  const worst = (/** @type {keyof Opening} */ key) => Math.max(...openings.map((one) => one[key]));
  const of = `a stored bank of ${lessons.toLocaleString('en')} lessons, cold (worst of ${OPENINGS})`;
  return [
    { name: `rows of ${of}, from navigation`, value: worst('rowsMs'), unit: 'ms' },
    {
      name: 'its rows and its count (at most 2,000 at 100,000 lessons)',
      value: worst('countMs'),
      unit: 'ms',
    },
    { name: 'longest task meanwhile', value: worst('taskMs'), unit: 'ms' },
    {
      name: 'a lesson reached by keyboard, a key each 150 ms, from navigation',
      value: worst('lessonMs'),
      unit: 'ms',
    },
    {
      name: 'the words of a lesson on screen, from the key that chose it',
      value: worst('textMs'),
      unit: 'ms',
    },
  ];
}
