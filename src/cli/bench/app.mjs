import { chromium } from 'playwright';
import { buildApp, DIST } from '../build-app.mjs';
import { CHROMIUM_ARGUMENTS, findChromium } from '../chromium.mjs';
import { gzipSync } from 'node:zlib';
import { serve } from '../serve.mjs';

const VISITS = 5;
const RUNS = 5;

/**
 * The built app in a real browser: what it loads before it can be used, how long until it can, and the
 * longest task on the main thread while the sample streams.
 *
 * @returns {Promise<import('../bench.mjs').Measure[]>}
 */
export async function benchApp() {
  await buildApp();
  const server = await serve({ root: DIST, port: 0 });
  const executablePath = findChromium();
  const browser = await chromium.launch({
    args: [...CHROMIUM_ARGUMENTS],
    ...(executablePath === undefined ? {} : { executablePath }),
  });
  try {
    const scripts = await scriptsBeforeUse(browser, server.url);
    const first = [];
    const again = [];
    for (let visit = 0; visit < VISITS; visit += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      first.push(await interactiveMs(page, server.url));
      again.push(await interactiveMs(page, server.url));
      await context.close();
    }
    const tasks = [];
    const stories = [];
    for (let run = 0; run < RUNS; run += 1) {
      const { longestTaskMs, storyMs } = await playSample(browser, server.url);
      tasks.push(longestTaskMs);
      stories.push(storyMs);
    }
    return [
      {
        name: 'JavaScript before first use, gzip',
        value: scripts / 1000,
        unit: 'kB',
      },
      {
        name: `usable, first visit with its reload (worst of ${VISITS})`,
        value: Math.max(...first),
        unit: 'ms',
      },
      { name: `usable, later visit (worst of ${VISITS})`, value: Math.max(...again), unit: 'ms' },
      {
        name: `longest task while the sample runs (worst of ${RUNS})`,
        value: Math.max(...tasks),
        unit: 'ms',
      },
      {
        name: `the sample's story (worst of ${RUNS})`,
        value: Math.max(...stories) / 1000,
        unit: 's',
      },
    ];
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * The scripts that a visit loads until the page can be used, in bytes after gzip: as they arrive, so
 * that nothing a build splits off is overlooked. A first visit's reload loads the same again.
 *
 * @param {import('playwright').Browser} browser
 * @param {string} url
 */
async function scriptsBeforeUse(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  /** @type {Map<string, Promise<number>>} */
  const sizes = new Map();
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    sizes.set(
      response.url(),
      response.body().then((body) => gzipSync(body, { level: 9 }).byteLength),
    );
  });
  await interactiveMs(page, url);
  const all = await Promise.all(sizes.values());
  await context.close();
  return all.reduce((sum, size) => sum + size, 0);
}

/**
 * From the request until the one button of a first visit can be pressed.
 *
 * @param {import('playwright').Page} page
 * @param {string} url
 */
async function interactiveMs(page, url) {
  const startedAt = performance.now();
  await page.goto(url);
  await page.getByRole('button', { name: 'Try the metro sample' }).waitFor();
  return performance.now() - startedAt;
}

/**
 * Plays the sample in a fresh profile. Chromium tells of tasks from 50 ms on; none told counts as 0.
 *
 * @param {import('playwright').Browser} browser
 * @param {string} url
 */
async function playSample(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(url);
  const start = page.getByRole('button', { name: 'Try the metro sample' });
  await start.waitFor();
  // What loading left over is not the run's.
  await page.waitForTimeout(1000);
  await page.evaluate(() => {
    Object.assign(globalThis, { longest: 0 });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        Object.assign(globalThis, {
          longest: Math.max(Reflect.get(globalThis, 'longest'), duration),
        });
      }
    }).observe({ type: 'longtask' });
  });
  const startedAt = performance.now();
  await start.click();
  await page.getByText('On a map that no lesson came from').waitFor({ timeout: 120_000 });
  const storyMs = performance.now() - startedAt;
  const longestTaskMs = await page.evaluate(() => Number(Reflect.get(globalThis, 'longest')));
  await context.close();
  return { longestTaskMs, storyMs };
}
