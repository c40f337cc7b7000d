import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { storedDrafts } from './stored-banks.ts';

/** A file to pick in a page. */
export interface UploadedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A file of memory items as ReasoningBank keeps them: title, description, content. */
export function memoryFile(
  name: string,
  memories: readonly (readonly [string, string, string])[],
): UploadedFile {
  const lines = memories.map(([title, description, content]) =>
    JSON.stringify({ title, description, content }),
  );
  return { name, mimeType: 'application/jsonl', buffer: Buffer.from(lines.join('\n')) };
}

/** Picks a file to import on the Bank page. */
export async function pickFile(page: Page, file: UploadedFile): Promise<void> {
  await page.getByRole('button', { name: 'Import bank' }).click();
  await page.getByRole('dialog').getByLabel('Import bank').setInputFiles(file);
}

/** Exports the bank on screen as a bundle. */
export async function exportBank(page: Page): Promise<UploadedFile> {
  await openView(page, '#/bank');
  await page.getByRole('button', { name: 'Export bank' }).click();
  await page.getByRole('heading', { name: 'What leaves' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Write the file' }).click(),
  ]);
  const buffer = await readFile(await download.path());
  return { name: download.suggestedFilename(), mimeType: 'application/zip', buffer };
}

/** Imports a bundle, as an update where an older bank is here, until it is held. */
export async function importBundle(page: Page, bundle: UploadedFile): Promise<void> {
  await pickFile(page, bundle);
  const update = page.getByRole('button', { name: 'Update the bank that is here' });
  const done = page.getByText(/is here and checked|was imported before/u);
  await update.or(done).waitFor();
  if (await update.isVisible()) await update.click();
  await done.waitFor();
}

/** Trusts the only bank that is held. */
export async function trustBank(page: Page): Promise<void> {
  const trust = page.getByRole('button', { name: 'Trust this bank' });
  const look = page.getByRole('button', { name: 'Look' });
  await trust.or(look).waitFor();
  if (await look.isVisible()) await look.click();
  await trust.click();
  await page.getByText('is a bank like any other now.').first().waitFor();
}

/** Accepts what waits in the inbox, each file in one step, until nothing does. */
export async function acceptDrafts(page: Page): Promise<void> {
  await openView(page, '#/bank/inbox');
  let drafts = await storedDrafts(page);
  await inboxHas(page, drafts.length);
  for (;;) {
    const [first] = drafts;
    if (first === undefined) return;
    const rest = drafts.filter(({ source }) => source.backbone !== first.source.backbone);
    const together = drafts.length - rest.length;
    const name = together === 1 ? 'Accept' : `Accept all ${together} of this file`;
    await page.getByRole('button', { name, exact: true }).click();
    await inboxHas(page, rest.length);
    drafts = rest;
  }
}

/** Shows another view of the app that is open. */
export const openView = (page: Page, hash: string) =>
  page.evaluate((next) => void (location.hash = next), hash);

const inboxHas = (page: Page, count: number) =>
  page.getByText(`${count} ${count === 1 ? 'lesson waits' : 'lessons wait'} for you`).waitFor();
