import type { Browser, BrowserContext, Page } from 'playwright';
import { pickFile, openView, type UploadedFile } from './bank-page.ts';

/** What a browser holds, its database too, to open it again as it was, as often as one likes. */
export type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** What a browser holds now. */
export const keep = (context: BrowserContext): Promise<State> =>
  context.storageState({ indexedDB: true });

/** A browser with nothing in it, or as it was kept. */
export const newContext = (browser: Browser, storageState?: State): Promise<BrowserContext> =>
  browser.newContext({
    viewport: { width: 1280, height: 900 },
    ...(storageState === undefined ? {} : { storageState }),
  });

/** A browser in which the sample was played to its end, with these files of memories in its inbox. */
export async function sampleWithInbox(
  browser: Browser,
  url: string,
  files: readonly UploadedFile[],
): Promise<State> {
  const context = await newContext(browser);
  const page = await startSample(context, url, ['Fast']);
  await page.getByText('On a map that no lesson came from').waitFor({ timeout: 90_000 });
  for (const file of files) {
    await openView(page, '#/bank');
    await pickFile(page, file);
    await page.getByRole('button', { name: /^Put them in the inbox/u }).click();
    await page.waitForURL(/#\/bank\/inbox$/u);
  }
  const state = await keep(context);
  await context.close();
  return state;
}

/** A browser in which the sample waits after the first of its tasks. */
export async function sampleBegun(browser: Browser, url: string): Promise<State> {
  const context = await newContext(browser);
  const page = await startSample(context, url, ['Step by step', 'Fast']);
  await page.getByRole('button', { name: 'Next' }).waitFor({ timeout: 90_000 });
  const state = await keep(context);
  await context.close();
  return state;
}

async function startSample(
  context: BrowserContext,
  url: string,
  choices: readonly string[],
): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Try the metro sample' }).click();
  for (const name of choices) await page.getByRole('checkbox', { name }).check();
  return page;
}
