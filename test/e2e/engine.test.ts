import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GPU_ARGUMENTS } from '../../src/cli/chromium.mjs';
import { launch } from './support/browser.ts';
import { startAppWithEngineChecks, type StartedApp } from './support/built-app.ts';
import type { JsonChecks } from './support/engine-page/checks.ts';

// Engines as the built app has them: its page, its policy, its service worker, tiny models on WASM.

/** Replies of untrained weights a policy; `GROVE_REPLIES` takes more. */
const REPLIES = Number(process.env['GROVE_REPLIES'] ?? 26);

let browser: Browser;
let app: StartedApp;
let page: Page;
const seen: string[] = [];
beforeAll(async () => {
  [browser, app] = await Promise.all([launch(), startAppWithEngineChecks()]);
  const context = await browser.newContext();
  context.on('request', (request) => seen.push(request.url()));
  page = await context.newPage();
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Try the metro sample' }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

/** Calls a check of `engine-page/checks.ts` in the page. */
const check = <T>(name: string, ...given: readonly unknown[]) => {
  const call = `${name}(${given.map((value) => JSON.stringify(value)).join(', ')})`;
  // As text: a test's own `import` is Vitest's, which the page has not.
  return page.evaluate<T>(`import('/engine-checks.js').then((checks) => checks.${call})`);
};

test('of 200 replies and more by the policies’ schemas, 20 and more a policy, none is invalid or cut off', async () => {
  const { made, distinct, invalid, torn } = await check<JsonChecks>('jsonChecks', REPLIES);
  expect(invalid).toEqual([]);
  expect(torn).toBe(0);
  const counts = Object.values(made);
  expect(counts).toHaveLength(8);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(20);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(200);
  // Not the shortest value again and again.
  expect(distinct).toBeGreaterThan(100);
});

test('an abort is told at once and ends the decoding', async () => {
  const { toldMs, nextMs } = await check<{ toldMs: number; nextMs: number }>('abortCheck');
  expect(toldMs).toBeLessThan(200);
  // What is left of 3,000 tokens would take longer.
  expect(nextMs).toBeLessThan(1000);
});

test('embeddings are those of a reference that was worked out without ONNX', async () => {
  const texts = ['How many stops?', 'a', 'कितने स्टेशन हैं? 駅はいくつ', 'again '.repeat(200)];
  expect(await check<number>('embeddingCheck', texts)).toBeLessThan(1e-3);
});

test('on the GPU all logits are those of the processor', async () => {
  const withGpu = await launch({ args: [...GPU_ARGUMENTS] });
  const context = await withGpu.newContext();
  context.on('request', (request) => seen.push(request.url()));
  try {
    const gpuPage = await context.newPage();
    await gpuPage.goto(app.url);
    await gpuPage.getByRole('button', { name: 'Try the metro sample' }).waitFor();
    const furthest = await gpuPage.evaluate<number>(
      `import('/engine-checks.js').then((checks) => checks.gpuCheck())`,
    );
    expect(furthest).toBeLessThan(1e-4);
  } finally {
    await withGpu.close();
  }
});

test('and nothing was asked of any host but the app’s own', () => {
  const own = new URL(app.url).origin;
  const asked = seen.filter((url) => !/^(data|blob):/u.test(url));
  expect(asked.some((url) => url.includes('ort-wasm'))).toBe(true);
  expect(asked.filter((url) => new URL(url).origin !== own)).toEqual([]);
});
