import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { GPU_ARGUMENTS } from '../../src/cli/chromium.mjs';
import { webLlmFakeFiles } from '../browser/engine/web-llm-fake-files.ts';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';
import { tinyFolder } from './support/tiny-folder.ts';

const F32 = 'Qwen3.5-2B-q4f32_1';
const F16 = 'Qwen3.5-2B-q4f16_1';

let app: StartedApp;
let browser: Browser | undefined;
let seen: string[] = [];
const removals: (() => void)[] = [];
beforeAll(async () => {
  app = await startApp();
});
afterEach(async () => {
  await browser?.close();
  for (const remove of removals.splice(0)) remove();
  // Whatever a model lacked, nothing was asked of anybody else.
  const own = new URL(app.url).origin;
  const asked = seen.filter((url) => !/^(data|blob):/u.test(url));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((url) => new URL(url).origin !== own)).toEqual([]);
});
afterAll(() => app.close());

async function open(args: readonly string[] = []): Promise<Page> {
  browser = await launch({ args: [...args] });
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  seen = [];
  context.on('request', (request) => seen.push(request.url()));
  const page = await context.newPage();
  await page.goto(`${app.url}#/models`);
  return page;
}

/** Adds fake files of a registered model of WebLLM from a folder, with some of them changed, and loads it. */
async function addAndLoad(
  page: Page,
  name: string,
  change: (files: ReturnType<typeof webLlmFakeFiles>) => void = () => undefined,
): Promise<void> {
  const files = webLlmFakeFiles(`${name}_cs1k-webgpu.wasm`);
  change(files);
  const folder = tinyFolder(`${name}-MLC`, files);
  removals.push(folder.remove);
  await page.getByLabel('Add from a folder').setInputFiles(folder.path);
  const title = `Qwen3.5 2B (WebLLM, ${name.includes('f16') ? 'q4f16' : 'q4f32'})`;
  await page.getByRole('button', { name: `Load ${title}`, exact: true }).click();
  // No GPU here is fit for it, and the app says so before it tries.
  await page.getByRole('button', { name: 'Load it all the same' }).click();
}

const isSaid = (page: Page, says: RegExp) =>
  page.getByText(says).first().waitFor({ timeout: 30_000 });

test('without a GPU it is said what to take instead', async () => {
  const page = await open();
  await addAndLoad(page, F32);
  await isSaid(page, /Qwen3\.5 2B \(WebLLM, q4f32\) needs a GPU, and this browser gives none/u);
});

test('on a GPU each thing that is wrong with it is told as what it is, and the app goes on', async () => {
  const page = await open(GPU_ARGUMENTS);
  const workers: string[] = [];
  page.on('worker', (worker) => workers.push(worker.url()));
  await addAndLoad(page, F16);
  await isSaid(page, /\(WebLLM, q4f16\) needs shader-f16, and this GPU has no such thing/u);

  await addAndLoad(page, F32, (files) => files.delete('params_shard_1.bin'));
  await isSaid(page, /\(WebLLM, q4f32\) lacks its file params_shard_1\.bin on this device/u);

  // Here WebLLM itself runs, in its worker, under the app's own policy.
  await addAndLoad(page, F32);
  await isSaid(page, /\(WebLLM, q4f32\) cannot be loaded: WebAssembly\.\S+ expected magic word/u);
  const own = workers.filter((url) => url.includes('web-llm-worker'));
  expect(own).toHaveLength(2);

  await page
    .getByRole('button', { name: 'Load Qwen3.5 2B (WebLLM, q4f32)', exact: true })
    .waitFor();
  await page.goto(`${app.url}#/solve`);
  await page.getByLabel('Question').fill('How many stops are on the red line?');
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
});
