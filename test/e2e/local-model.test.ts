import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { referenceLogits, referenceTokens } from '../../models/tiny/decoder-reference.mjs';
import { tinyDecoder } from '../../models/tiny/decoder.mjs';
import { tinyImageText } from '../../models/tiny/image-text.mjs';
import { jsonBytes } from '../../models/tiny/json-bytes.mjs';
import { tinyPrompt, tinyText } from '../browser/engine/tiny-language.ts';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';
import { tinyFolder } from './support/tiny-folder.ts';

const QUESTION = 'a';
/** What the tiny decoder has to say and to compute, worked out without ONNX. */
function selfTest(shift = 0) {
  const prompt = tinyPrompt(QUESTION);
  const logits = referenceLogits(prompt);
  const values = [0, 7, 100, 200].map((token) => ({ token, logit: (logits[token] ?? 0) + shift }));
  return {
    language: {
      selfTest: {
        ...{ question: QUESTION, maxNewTokens: 4 },
        answer: tinyText(referenceTokens(prompt, { count: 4 })).trim(),
        logits: { values, tolerance: 1e-4 },
      },
    },
  };
}

let app: StartedApp;
let browser: Browser | undefined;
let seen: string[] = [];
const folders = {
  sound: tinyFolder('tiny-sound', tinyDecoder().set('grove-model.json', jsonBytes(selfTest()))),
  wrong: tinyFolder('tiny-wrong', tinyDecoder().set('grove-model.json', jsonBytes(selfTest(0.5)))),
  sees: tinyFolder('tiny-sees', tinyImageText()),
};
beforeAll(async () => {
  app = await startApp();
});
afterEach(async () => {
  await browser?.close();
  // Whatever was loaded and asked, nothing went anywhere else.
  const own = new URL(app.url).origin;
  expect(seen.filter((url) => !/^(data|blob):/u.test(url) && new URL(url).origin !== own)).toEqual(
    [],
  );
});
afterAll(async () => {
  await app.close();
  for (const folder of Object.values(folders)) folder.remove();
});

async function open(): Promise<Page> {
  browser = await launch();
  const context: BrowserContext = await browser.newContext({ reducedMotion: 'reduce' });
  seen = [];
  context.on('request', (request) => seen.push(request.url()));
  const page = await context.newPage();
  await page.goto(`${app.url}#/models`);
  return page;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const card = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });

test('a model is checked against what it must compute; one that sees answers and keeps memory, all on this device', async () => {
  const page = await open();
  await page.getByLabel('Add from a folder').setInputFiles(folders.sound.path);
  await button(page, 'Load tiny-sound').click();
  await card(page, 'tiny-sound').getByText('self-test right', { exact: true }).waitFor();
  await card(page, 'tiny-sound').getByText('ready', { exact: true }).waitFor();
  await page.getByLabel('Add from a folder').setInputFiles(folders.wrong.path);
  await button(page, 'Load tiny-wrong').click();
  await page
    .getByText(/tiny-wrong computes wrongly on this device/u)
    .first()
    .waitFor({
      timeout: 60_000,
    });
  await page.getByLabel('Add from a folder').setInputFiles(folders.sees.path);
  await button(page, 'Load tiny-sees').waitFor();
  await page.goto(`${app.url}#/solve`);
  await page.getByLabel('Harness').selectOption({ label: 'Direct' });
  await page.getByLabel('Backbone').selectOption({ label: 'tiny-sees on this device' });
  await page.getByLabel('Memory by').selectOption({ label: 'The backbone itself' });
  await page.getByLabel('Attempts at most').fill('2');
  await page.getByLabel('Attempts at most').blur();
  await page.getByLabel('Question').fill('How many stops are on the red line?');
  await button(page, 'Run').click();
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await timeline.getByText(/^Answer after 2 attempts/u).waitFor({ timeout: 90_000 });
  // Untrained, it says nothing of sense: what it proposed fits the schema, and is shown as it was taken.
  await timeline
    .getByText(/Memory (changed|stayed as it was)/u)
    .first()
    .waitFor();
  expect(await timeline.getByText('not-json').count()).toBe(0);
  // Its calls are counted apart from those that solve.
  await page.getByText(/^memory \d[\d.]* s, [1-9][\d,]* tokens$/u).waitFor();
  await page.getByText('tiny-sees, the backbone itself').first().waitFor();
});
