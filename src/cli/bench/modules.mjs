import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { startModules } from './module-pages.mjs';

const FOLDER = join(ROOT, 'test', 'bench');
const SUFFIX = '.bench.ts';

/**
 * Runs every `test/bench/NAME.bench.ts` in Chromium, each in a page of its own. A module exports
 * `run(full)`, which resolves to its measures; what it warns of is printed.
 *
 * @param {{ full: boolean, wanted: (part: string) => boolean }} options
 * @returns {AsyncGenerator<{ part: string, measures: import('../bench.mjs').Measure[] }, void>}
 */
export async function* benchModules({ full, wanted }) {
  const parts = (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .filter(wanted);
  if (parts.length === 0) return;
  const modules = await startModules();
  try {
    for (const part of parts) {
      const page = await modules.newPage();
      page.on('console', (message) => {
        if (message.type() === 'warning') console.warn(message.text());
      });
      const measures = await page.evaluate(
        async ([path, all]) => {
          const { run } = await import(/* @vite-ignore */ path);
          return await run(all);
        },
        /** @type {const} */ ([`/test/bench/${part}${SUFFIX}`, full]),
      );
      await page.close();
      yield { part, measures };
    }
  } finally {
    await modules.close();
  }
}
