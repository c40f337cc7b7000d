import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModules } from './module-pages.mjs';

const MODULE = '/test/bench/material/bundle-file.ts';
const SEED = 20261202;

/**
 * @typedef {{ path: string, bankId: string, name: string, bytes: number }} MadeBundle
 */

/**
 * Makes bundles of banks that were grown for it, by Grove's own code in a browser.
 *
 * @template T
 * @param {(make: (size: { lessons: number, crops: number }) => Promise<MadeBundle>) => Promise<T>} work
 *   may use the files until it ends
 * @returns {Promise<T>}
 */
export async function withBundles(work) {
  const folder = mkdtempSync(join(tmpdir(), 'grove-bench-bundles-'));
  try {
    return await work((size) => makeBundle(folder, size));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} folder
 * @param {{ lessons: number, crops: number }} size
 * @returns {Promise<MadeBundle>}
 */
async function makeBundle(folder, { lessons, crops }) {
  const modules = await startModules();
  try {
    const page = await modules.newPage();
    const downloading = page.waitForEvent('download', { timeout: 0 });
    const made = await page.evaluate(
      async ([module, size]) => (await import(/* @vite-ignore */ module)).downloadBundle(size),
      /** @type {const} */ ([MODULE, { lessons, crops, seed: SEED }]),
    );
    const path = join(folder, `${lessons}-${crops}.grove`);
    await (await downloading).saveAs(path);
    return { path, ...made };
  } finally {
    await modules.close();
  }
}
