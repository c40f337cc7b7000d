import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tinyDecoder } from '../../models/tiny/decoder.mjs';
import { axeProblems } from './support/axe-problems.ts';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';
import { tinyFolder } from './support/tiny-folder.ts';

let app: StartedApp;
const folder = tinyFolder('tiny-decoder', tinyDecoder());
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
  folder.remove();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const role = (page: Page, name: string) =>
  page.getByRole('row', { name: new RegExp(`^${name}`, 'u') });

/** Waits until a row of the roles says something. */
const roleSays = (page: Page, name: string, words: string) =>
  role(page, name).filter({ hasText: words }).waitFor();

test('without a GPU a model from a person’s folder is loaded, measured, given a role and deleted, asking no host', async () => {
  const browser = await launch();
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  const seen: string[] = [];
  context.on('request', (request) => seen.push(request.url()));
  const card = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'tiny-decoder', exact: true }) });
  try {
    await page.goto(`${app.url}#/models`);
    // Calm: what works without one is said, and nothing is wrong.
    await page.getByText(/^(The browser offers no GPU here|The GPU is imitated)/u).waitFor();
    await page.getByText('Recommended here').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);

    await page.getByLabel('Add from a folder').setInputFiles(folder.path);
    await button(page, 'Load tiny-decoder').click();
    await card.getByText('ready', { exact: true }).waitFor();
    await button(page, 'Unload tiny-decoder').waitFor();
    await card.getByText('processor, slow here').waitFor();

    await button(page, 'Self-test tiny-decoder').click();
    await card.getByText('No self-test is known for it').waitFor();
    await button(page, 'Test speed tiny-decoder').click();
    const speed = page.getByRole('group', { name: 'Speed of tiny-decoder' });
    await speed.waitFor();
    expect(await speed.textContent()).toMatch(
      /first token \d+\.\d\d s.*prefill at 256 \/ 1,024 \/ 2,048 .*decode [\d.,]+ tok\/s.*processor/su,
    );

    await page.getByLabel('Model for organizer').selectOption({ label: 'tiny-decoder' });
    await roleSays(page, 'Organizer', 'ready');
    await page
      .getByLabel('Model for controller')
      .selectOption({ label: 'tiny-decoder (text only, it sees no images)' });
    await page.getByText('tiny-decoder serves controller and organizer').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByLabel('Model for controller').selectOption({ label: 'Rules: no model' });
    await button(page, 'Unload tiny-decoder').click();
    await roleSays(page, 'Organizer', 'loads when needed');

    await page.reload();
    await roleSays(page, 'Organizer', 'loads when needed');
    await speed.waitFor();

    await button(page, 'Delete tiny-decoder').click();
    await roleSays(page, 'Organizer', 'ready');
    expect(await page.getByLabel('Model for organizer').inputValue()).toBe('rules');
    await button(page, 'Undo').click();
    await button(page, 'Load tiny-decoder').waitFor();
    await roleSays(page, 'Organizer', 'loads when needed');
  } finally {
    await browser.close();
  }
  const own = new URL(app.url).origin;
  const elsewhere = seen.filter(
    (url) => !/^(data|blob):/u.test(url) && new URL(url).origin !== own,
  );
  expect(elsewhere).toEqual([]);
});
