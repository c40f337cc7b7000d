import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openView } from './support/bank-page.ts';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';

let app: StartedApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), launch()]);
});

afterAll(async () => {
  await browser.close();
  await app.close();
});

/** A page in which the sample has played to its end. */
async function playedSample(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Try the metro sample' }).first().click();
  await page.getByRole('checkbox', { name: 'Fast' }).check();
  await page.getByText('On a map that no lesson came from').waitFor({ timeout: 60_000 });
  return page;
}

/** Does what writes a file; gives the file's name. */
async function fileOf(page: Page, write: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), write()]);
  return download.suggestedFilename();
}

/** Every kind of file that lessons leave in; gives their names. */
async function exportEveryWay(page: Page): Promise<readonly string[]> {
  await openView(page, '#/bank');
  await page.getByRole('button', { name: 'Export bank' }).click();
  const dialog = page.getByRole('dialog');
  const formats = dialog.getByRole('radio');
  const names: string[] = [];
  for (let at = 0; at < (await formats.count()); at += 1) {
    await formats.nth(at).check();
    const write = dialog.getByRole('button', { name: 'Write the file' });
    names.push(await fileOf(page, () => write.click()));
    await dialog.getByText(`${names.at(-1)} is written`).waitFor();
  }
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await openView(page, '#/settings');
  const backUp = page.getByRole('button', { name: 'Back up everything' });
  return [...names, await fileOf(page, () => backUp.click())];
}

test('erasing a task shows what goes and names every file that is out of reach, and then does it', async () => {
  const page = await playedSample();
  const names = await exportEveryWay(page);
  expect(names).toHaveLength(7);

  await openView(page, '#/solve');
  await page.getByText('Earlier runs').click();
  const earlier = page.getByRole('button', { name: /^Erase the task/u });
  const runs = await earlier.count();
  // The oldest run: a lesson of the bank rests on it.
  await earlier.last().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Out of reach').waitFor();
  const shown = await dialog.innerText();
  for (const name of names) expect(shown, name).toContain(name);
  expect(shown).toMatch(/From “[^”]+”\s+[1-9]\d* lessons? with every revision/u);
  expect(shown).toMatch(/[1-9]\d* runs? with every model call/u);

  await dialog.getByRole('button', { name: 'Keep it' }).click();
  expect(await earlier.count()).toBe(runs);
  await earlier.last().click();
  await dialog.getByRole('button', { name: 'Erase the task' }).click();
  await expect.poll(() => earlier.count()).toBeLessThan(runs);
  await dialog.waitFor({ state: 'detached' });
  await openView(page, '#/bank/history');
  await page
    .getByText(/erased/u)
    .first()
    .waitFor();
  await page.context().close();
});
