import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { CHROMIUM_ARGUMENTS, findChromium } from '../chromium.mjs';

/** How long a page is left alone before it is measured, in milliseconds: what loading left over is not the work's. */
const SETTLE_MS = 3000;
const LIMIT_MS = 600_000;

/**
 * A Chromium on a profile of its own, which `start` opens, and opens again as it was left.
 *
 * @typedef {{
 *   readonly profile: string,
 *   start(): Promise<import('playwright').BrowserContext>,
 *   remove(): void,
 * }} KeptBrowser
 */

/** @returns {KeptBrowser} */
export function keptBrowser() {
  const profile = mkdtempSync(join(tmpdir(), 'grove-bench-profile-'));
  const executablePath = findChromium();
  return {
    profile,
    async start() {
      const context = await chromium.launchPersistentContext(profile, {
        args: [...CHROMIUM_ARGUMENTS],
        viewport: { width: 1280, height: 900 },
        ...(executablePath === undefined ? {} : { executablePath }),
      });
      context.setDefaultTimeout(LIMIT_MS);
      await context.addInitScript(watchTasks);
      return context;
    },
    remove: () => rmSync(profile, { recursive: true, force: true }),
  };
}

/** Runs in each page: notes the longest task of its main thread. Chromium tells of those from 50 ms on. */
function watchTasks() {
  Object.assign(globalThis, { longestTaskMs: 0 });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      const longest = Math.max(Number(Reflect.get(globalThis, 'longestTaskMs')), duration);
      Object.assign(globalThis, { longestTaskMs: longest });
    }
  }).observe({ type: 'longtask', buffered: true });
}

/**
 * Leaves the page alone until it is idle, and forgets the tasks it had.
 *
 * @param {import('playwright').Page} page
 */
export async function settle(page) {
  await page.waitForTimeout(SETTLE_MS);
  await page.requestGC();
  await page.waitForTimeout(500);
  await page.evaluate(() => void Object.assign(globalThis, { longestTaskMs: 0 }));
}

/**
 * The longest task since `settle`, in milliseconds; 0 where none took 50.
 *
 * @param {import('playwright').Page} page
 * @returns {Promise<number>}
 */
export async function longestTaskMs(page) {
  // A task is told after it has ended.
  await page.waitForTimeout(200);
  return page.evaluate(() => Number(Reflect.get(globalThis, 'longestTaskMs')));
}

/**
 * Opens the Bank page of an app that nobody used before.
 *
 * @param {import('playwright').BrowserContext} context
 * @param {string} url
 */
export async function openEmptyBank(context, url) {
  const page = await context.newPage();
  await page.goto(`${url}#/bank`);
  await page.getByText('No lessons yet').waitFor();
  await settle(page);
  return page;
}

/**
 * Picks a bundle in the Import dialog, and waits until it is checked and held.
 *
 * @param {import('playwright').Page} page
 * @param {string} path
 * @returns {Promise<number>} milliseconds from the choice of the file
 */
export async function importBundle(page, path) {
  await page.getByRole('button', { name: 'Import bank' }).click();
  const input = page.getByRole('dialog').getByLabel('Import bank');
  const startedAt = performance.now();
  await input.setInputFiles(path);
  const done = page.getByText(/is here and checked/u);
  const refused = page.getByRole('dialog').getByRole('alert');
  await done.or(refused).waitFor();
  if (await refused.isVisible()) throw new Error(`not imported: ${await refused.innerText()}`);
  return performance.now() - startedAt;
}

/**
 * Trusts the bank that is held, and waits until its rows are there.
 *
 * @param {import('playwright').Page} page
 * @returns {Promise<number>} milliseconds from the click
 */
export async function trustBank(page) {
  const startedAt = performance.now();
  await page.getByRole('button', { name: 'Trust this bank' }).click();
  await page.getByRole('treeitem').first().waitFor();
  return performance.now() - startedAt;
}

/**
 * Exports the bank on screen as a bundle.
 *
 * @param {import('playwright').Page} page
 * @param {string} path where the file goes
 * @returns {Promise<{ previewMs: number, exportMs: number }>} until what leaves is shown; then until the file is there
 */
export async function exportBundle(page, path) {
  let startedAt = performance.now();
  await page.getByRole('button', { name: 'Export bank' }).click();
  await page.getByRole('heading', { name: 'What leaves' }).waitFor();
  const previewMs = performance.now() - startedAt;
  startedAt = performance.now();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Write the file' }).click(),
  ]);
  await download.path();
  const exportMs = performance.now() - startedAt;
  await download.saveAs(path);
  return { previewMs, exportMs };
}
