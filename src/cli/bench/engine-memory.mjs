import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOf } from './chromium-memory.mjs';
import { startModules } from './module-pages.mjs';

const CYCLES = 50;
/** The browser's own collector and the system need a moment after a worker has ended. */
const SETTLE_MS = 3000;
const MEGABYTE = 1e6;

/**
 * The memory of all of Chromium's processes while the tiny decoder is loaded, asked for a few tokens and
 * unloaded, over and over: after ten cycles, and after fifty.
 *
 * @returns {Promise<import('../bench.mjs').Measure[]>}
 */
export async function benchEngineMemory() {
  const profile = mkdtempSync(join(tmpdir(), 'grove-engine-'));
  const modules = await startModules({ profile });
  try {
    const page = await modules.newPage();
    const cycle = (/** @type {number} */ times) =>
      page.evaluate(async (count) => {
        const path = '/test/bench/support/engine-cycles.ts';
        const { loadAndUnload } = await import(/* @vite-ignore */ path);
        return await loadAndUnload(count);
      }, times);
    const settled = async () => {
      await page.requestGC();
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      return memoryOf(profile);
    };
    await cycle(1);
    const one = await settled();
    await cycle(9);
    const ten = await settled();
    await cycle(CYCLES - 10);
    const all = await settled();
    return [
      { name: 'memory after 1 load and unload', value: one / MEGABYTE, unit: 'MB' },
      { name: 'memory after 10', value: ten / MEGABYTE, unit: 'MB' },
      { name: `memory after ${CYCLES}`, value: all / MEGABYTE, unit: 'MB' },
      {
        name: `from 10 to ${CYCLES}, a cycle`,
        value: (all - ten) / 1000 / (CYCLES - 10),
        unit: 'kB',
      },
    ];
  } finally {
    await modules.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
