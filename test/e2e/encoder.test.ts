import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tinyEncoder } from '../../models/tiny/encoder.mjs';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';

let app: StartedApp;
const parent = mkdtempSync(join(tmpdir(), 'grove-encoder-'));
const folder = join(parent, 'tiny-encoder');
beforeAll(async () => {
  for (const [path, bytes] of tinyEncoder()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  app = await startApp();
});
afterAll(async () => {
  await app.close();
  rmSync(parent, { recursive: true });
});

async function playSample(page: Page): Promise<void> {
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Try the metro sample' }).click();
  await page.getByRole('checkbox', { name: 'Fast' }).check();
  await page
    .getByRole('status')
    .filter({ hasText: 'On a map that no lesson came from' })
    .waitFor({ timeout: 90_000 });
}

async function tryQuestion(page: Page): Promise<void> {
  await page.goto(`${app.url}#/bank/try`);
  await page.getByLabel('Try a question').fill('How many stops are between two stations?');
}

test('an encoder from a person’s folder is taken in, encodes the bank and finds lessons, asking no host', async () => {
  const browser = await launch();
  const context = await browser.newContext();
  const page = await context.newPage();
  const seen: string[] = [];
  context.on('request', (request) => seen.push(request.url()));
  const recall = page.locator('#recall');
  const inUse = (name: string) =>
    recall.getByRole('listitem').filter({ hasText: name }).getByText('in use', { exact: true });
  try {
    await playSample(page);
    await page.goto(`${app.url}#/models`);
    await page.getByLabel('Add from a folder').setInputFiles(folder);
    await page.getByRole('button', { name: 'Verify tiny-encoder' }).waitFor();
    await page.goto(`${app.url}#/settings/recall`);
    await inUse('Words in the box').waitFor();
    await recall.getByRole('button', { name: 'Use tiny-encoder' }).click();
    await inUse('tiny-encoder').waitFor();
    await tryQuestion(page);
    await page.getByText('Encoder: tiny-encoder, 32 dimensions.').waitFor();

    await page.reload();
    await tryQuestion(page);
    await page.getByText('Encoder: tiny-encoder, 32 dimensions.').waitFor();

    await page.goto(`${app.url}#/settings/recall`);
    await recall.getByRole('button', { name: 'Use the words in the box' }).click();
    await inUse('Words in the box').waitFor();
    await recall.getByRole('link', { name: 'Get or remove encoders on the Models page' }).click();
    await page.getByRole('button', { name: 'Delete tiny-encoder' }).click();
    await page.goto(`${app.url}#/settings/recall`);
    await inUse('Words in the box').waitFor();
    await expect.poll(() => recall.getByText('tiny-encoder').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await recall.getByRole('button', { name: 'Use tiny-encoder' }).waitFor();
  } finally {
    await browser.close();
  }
  expect(seen.some((url) => url.includes('ort-wasm'))).toBe(true);
  const own = new URL(app.url).origin;
  const elsewhere = seen.filter(
    (url) => !/^(data|blob):/u.test(url) && new URL(url).origin !== own,
  );
  expect(elsewhere).toEqual([]);
});
