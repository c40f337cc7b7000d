import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tinyDecoder } from '../../models/tiny/decoder.mjs';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';
import { startHub, type HubServer } from './support/hub-server.ts';

const NAME = 'tiny-on-a-hub';

let app: StartedApp;
let hub: HubServer;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  [app, hub, browser] = await Promise.all([startApp(), startHub(NAME, tinyDecoder()), launch()]);
  page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await page.goto(`${app.url}#/models`);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([app.close(), hub.close()]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const card = () =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: NAME, exact: true }) });

/** Spoils a file of the model on the disk, its size as it was. */
function spoil(path: string): Promise<void> {
  return page.evaluate(
    async ([id, file]) => {
      const find = async (
        folder: FileSystemDirectoryHandle,
      ): Promise<FileSystemFileHandle | null> => {
        for await (const [name, handle] of folder.entries()) {
          if (handle instanceof FileSystemFileHandle && name === file) return handle;
          const inside = handle instanceof FileSystemDirectoryHandle ? await find(handle) : null;
          if (inside !== null) return inside;
        }
        return null;
      };
      const models = await (await navigator.storage.getDirectory()).getDirectoryHandle('models');
      const handle = await find(await models.getDirectoryHandle(id ?? ''));
      if (handle === null) throw new Error('no such file');
      const writable = await handle.createWritable({ keepExistingData: true });
      await writable.write({ type: 'write', position: 100, data: new Uint8Array(8).fill(7) });
      await writable.close();
    },
    [NAME, path.split('/').at(-1)] as const,
  );
}

test('a model is added by its address, downloaded over a pause and a reload, and loaded', async () => {
  await button('Add by address').click();
  await page.getByLabel('Where a hub has it').fill(`${hub.origin}/owner/${NAME}`);
  await button('Add').click();
  await page.getByRole('button', { name: new RegExp(`^Download ${NAME}`, 'u') }).click();
  // Some of it came; its bytes are counted.
  await expect
    .poll(async () => /[1-9]\d\d (kB )?of/u.test((await card().textContent()) ?? ''), {
      timeout: 20_000,
    })
    .toBe(true);
  await button(`Pause ${NAME}`).click();
  await button(`Resume ${NAME}`).waitFor();
  await page.reload();
  hub.hurry();
  await button(`Resume ${NAME}`).click();
  await card()
    .getByText(/hashes right/u)
    .waitFor();
  expect(hub.ranges.map(({ path }) => path)).toContain('onnx/model.onnx');
  await button(`Load ${NAME}`).click();
  await card().getByText('ready', { exact: true }).waitFor();
  await button(`Unload ${NAME}`).click();
});

test('what was spoiled on the disk is found by a check, and that file alone is fetched again', async () => {
  await spoil('onnx/model.onnx');
  await button(`Verify ${NAME}`).click();
  await card().getByText('checking failed', { exact: true }).waitFor();
  await card()
    .getByText(/model\.onnx/u)
    .first()
    .waitFor();
  await page.getByRole('button', { name: new RegExp(`^Repair.*${NAME}`, 'u') }).click();
  await card()
    .getByText(/hashes right/u)
    .waitFor();
  await button(`Load ${NAME}`).click();
  await card().getByText('ready', { exact: true }).waitFor();
});

test('the host was let out when it was asked for, and the ledger has each request', async () => {
  await page.goto(`${app.url}#/settings`);
  await page.getByText(new URL(hub.origin).host).first().waitFor();
  await page.getByText('model download').first().waitFor();
});
