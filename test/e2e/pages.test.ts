import { gzipSync } from 'node:zlib';
import type { Browser, Page, Response } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeProblems } from './support/axe-problems.ts';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';

const FIRST_SCRIPTS_BYTES = 150_000;

let app: StartedApp;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), launch()]);
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
});

afterAll(async () => {
  await browser.close();
  await app.close();
});

/** Serious and critical findings on what is shown now, each with where it is, in both themes. */
const problems = () => axeProblems(page);

/** How many pixels the page is wider than the window. */
const overflow = () =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe('a first visit', () => {
  test('loads at most 150 kB of script before it can be used', async () => {
    const sizes = new Map<string, Promise<number>>();
    const measure = (response: Response) => {
      if (response.request().resourceType() !== 'script') return;
      const size = response.body().then((body) => gzipSync(body, { level: 9 }).byteLength);
      sizes.set(response.url(), size);
    };
    page.on('response', measure);
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Try the metro sample' }).waitFor();
    page.off('response', measure);
    const all = await Promise.all(sizes.values());
    expect(all.length).toBeGreaterThan(0);
    expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(FIRST_SCRIPTS_BYTES);
  });

  test('is isolated, so that WebAssembly may use threads', async () => {
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  });
});

describe('by keyboard', () => {
  test('g and a letter goes to a page, and the focus goes with it', async () => {
    for (const [key, name] of [
      ['b', 'Bank'],
      ['t', 'Traces'],
      ['e', 'Evaluate'],
      ['m', 'Models'],
      [',', 'Settings'],
      ['s', 'Solve'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      const heading = page.getByRole('heading', { level: 1, name });
      await heading.waitFor();
      await expect.poll(() => page.title()).toBe(`${name} · Grove`);
    }
  });

  test('? shows the keys, Esc closes them, Ctrl K goes anywhere', async () => {
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await problems()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page or action' }).fill('sett');
    expect(await problems()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  });

  test('the first Tab offers to skip to the content', async () => {
    await page.goto(app.url);
    await page.getByRole('heading', { level: 1, name: 'Solve' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Skip to');
  });
});

describe('every page in both themes', () => {
  test.each(['solve', 'bank', 'bank/inbox', 'traces', 'evaluate', 'models', 'settings'])(
    '#/%s, empty, has no serious problem and fits 390 px',
    async (path) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${app.url}#/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      expect(await problems()).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await problems()).toEqual([]);
      expect(await overflow()).toBe(0);
    },
  );

  test('the sample and its bank, filled, have no serious problem and fit 390 px', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${app.url}#/solve`);
    await page.getByRole('button', { name: 'Try the metro sample' }).click();
    await page.getByRole('heading', { name: 'Attempt 2', exact: true }).waitFor();
    expect(await problems()).toEqual([]);
    await page.getByRole('checkbox', { name: 'Fast' }).check();
    await page.getByText('On a map that no lesson came from').waitFor({ timeout: 90_000 });
    for (const path of ['solve', 'bank']) {
      await page.evaluate((to) => (location.hash = `#/${to}`), path);
      if (path === 'bank') await page.getByRole('treeitem').last().click();
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(await problems()).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await problems()).toEqual([]);
      expect(await overflow()).toBe(0);
    }
  });
});
