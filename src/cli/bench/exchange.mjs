import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { buildApp, DIST } from '../build-app.mjs';
import { serve } from '../serve.mjs';
import {
  exportBundle,
  importBundle,
  keptBrowser,
  longestTaskMs,
  openEmptyBank,
  settle,
  trustBank,
} from './bank-browser.mjs';
import { withBundles } from './bundle-maker.mjs';
import { memoryOf, watchMemory } from './chromium-memory.mjs';

const WHOLE = { lessons: 10_000, crops: 2000 };
const HALF = { lessons: 5000, crops: 1000 };
/** As many lessons, whose tree is held while their log is checked, with half the images, which stream. */
const HALF_IMAGES = { lessons: 10_000, crops: 1000 };
const MEGABYTE = 1e6;

/**
 * A bundle in and out of the built app, by its dialogs: how long each takes, what that does to the
 * page's main thread, and the memory of all of Chromium's processes, beside a file of half the size and
 * one of half the images.
 *
 * @returns {Promise<import('../bench.mjs').Measure[]>}
 * @throws where what comes out is not byte for byte what went in
 */
export async function benchExchange() {
  await buildApp();
  const server = await serve({ root: DIST, port: 0 });
  try {
    return await withBundles(async (make) => {
      const half = await exchange(server.url, await make(HALF));
      const halfImages = await exchange(server.url, await make(HALF_IMAGES));
      const whole = await exchange(server.url, await make(WHOLE));
      return measures({ whole, half, halfImages });
    });
  } finally {
    await server.close();
  }
}

/**
 * Bytes of memory, before the work and at most while it went on.
 *
 * @typedef {{ idle: number, most: number }} Memory
 *
 * @typedef {{
 *   bytes: number,
 *   importMs: number, importTaskMs: number, importMemory: Memory,
 *   trustMs: number, trustTaskMs: number,
 *   previewMs: number, exportMs: number, exportTaskMs: number, exportMemory: Memory,
 * }} Exchange
 */

/**
 * @param {string} url
 * @param {import('./bundle-maker.mjs').MadeBundle} bundle
 * @returns {Promise<Exchange>}
 */
async function exchange(url, { path, bytes }) {
  const browser = keptBrowser();
  const context = await browser.start();
  const out = `${path}.out`;
  try {
    const page = await openEmptyBank(context, url);
    const [importMs, importMemory] = await watched(browser.profile, () => importBundle(page, path));
    const importTaskMs = await longestTaskMs(page);
    await settle(page);
    const trustMs = await trustBank(page);
    const trustTaskMs = await longestTaskMs(page);
    await settle(page);
    const [exported, exportMemory] = await watched(browser.profile, () => exportBundle(page, out));
    const exportTaskMs = await longestTaskMs(page);
    if ((await sha256(path)) !== (await sha256(out))) {
      throw new Error('What was exported is not what was imported.');
    }
    return {
      bytes,
      importMs,
      importTaskMs,
      importMemory,
      trustMs,
      trustTaskMs,
      ...exported,
      exportTaskMs,
      exportMemory,
    };
  } finally {
    await context.close();
    browser.remove();
    rmSync(out, { force: true });
  }
}

/**
 * Does some work, and looks at the memory meanwhile.
 *
 * @template T
 * @param {string} profile
 * @param {() => Promise<T>} work
 * @returns {Promise<[T, Memory]>}
 */
async function watched(profile, work) {
  const idle = memoryOf(profile);
  const memory = watchMemory(profile);
  try {
    return [await work(), { idle, most: memory.stop() }];
  } finally {
    memory.stop();
  }
}

/**
 * @param {string} path
 * @returns {Promise<string>}
 */
async function sha256(path) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

/**
 * @typedef {{ whole: Exchange, half: Exchange, halfImages: Exchange }} Exchanges
 *
 * @param {Exchanges} exchanges
 * @returns {import('../bench.mjs').Measure[]}
 */
function measures(exchanges) {
  const { whole } = exchanges;
  const of = `${WHOLE.lessons.toLocaleString('en')} lessons with ${WHOLE.crops.toLocaleString('en')} crops`;
  return [
    { name: `size of ${of}`, value: whole.bytes / MEGABYTE, unit: 'MB' },
    { name: `import ${of} (at most 15)`, value: whole.importMs / 1000, unit: 's' },
    { name: 'longest task meanwhile (none above 50)', value: whole.importTaskMs, unit: 'ms' },
    ...memoryMeasures('import', ({ importMemory }) => importMemory, exchanges),
    { name: 'trust it, until its rows are there', value: whole.trustMs, unit: 'ms' },
    { name: 'longest task meanwhile', value: whole.trustTaskMs, unit: 'ms' },
    { name: 'preview of the export', value: whole.previewMs / 1000, unit: 's' },
    { name: `export ${of} (at most 15)`, value: whole.exportMs / 1000, unit: 's' },
    {
      name: 'longest task meanwhile, with the preview (none above 50)',
      value: whole.exportTaskMs,
      unit: 'ms',
    },
    ...memoryMeasures('export', ({ exportMemory }) => exportMemory, exchanges),
  ];
}

/**
 * @param {'import' | 'export'} what
 * @param {(exchange: Exchange) => Memory} memoryIn
 * @param {Exchanges} exchanges
 * @returns {import('../bench.mjs').Measure[]}
 */
function memoryMeasures(what, memoryIn, { whole, half, halfImages }) {
  const { idle, most } = memoryIn(whole);
  if (Number.isNaN(most)) return [];
  const growth = (/** @type {Exchange} */ exchange) =>
    (memoryIn(exchange).most - memoryIn(exchange).idle) / MEGABYTE;
  return [
    { name: 'memory of all processes before', value: idle / MEGABYTE, unit: 'MB' },
    { name: `most memory during the ${what}`, value: most / MEGABYTE, unit: 'MB' },
    { name: '  as a multiple of half the file', value: most / memoryIn(half).most, unit: '×' },
    { name: 'above what it was before', value: growth(whole), unit: 'MB' },
    { name: 'the same for half the file', value: growth(half), unit: 'MB' },
    { name: '  as a multiple of it', value: growth(whole) / growth(half), unit: '×' },
    { name: 'the same for half the images', value: growth(halfImages), unit: 'MB' },
    { name: '  as a multiple of it', value: growth(whole) / growth(halfImages), unit: '×' },
  ];
}
