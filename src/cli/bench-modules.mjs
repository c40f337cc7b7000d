import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { createServer } from 'vite';
import { CHROMIUM_ARGUMENTS, findChromium } from './chromium.mjs';
import { ROOT } from './root.mjs';

const FOLDER = join(ROOT, 'test', 'bench');
const SUFFIX = '.bench.ts';

/**
 * Runs every `test/bench/NAME.bench.ts` in Chromium, each in a page of its own. A module exports
 * `run(full)`, which resolves to its measures.
 *
 * @param {{ full: boolean, wanted: (part: string) => boolean }} options
 * @returns {AsyncGenerator<{ part: string, measures: import('./bench.mjs').Measure[] }, void>}
 */
export async function* benchModules({ full, wanted }) {
  const parts = (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .filter(wanted);
  if (parts.length === 0) return;
  const server = await createServer({
    root: ROOT,
    configFile: false,
    appType: 'mpa',
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1', hmr: false },
    plugins: [
      {
        name: 'bench-page',
        configureServer({ middlewares }) {
          middlewares.use('/bench', (_request, response) => {
            response.setHeader('content-type', 'text/html');
            response.end('<!doctype html><title>bench</title>');
          });
        },
      },
    ],
  });
  await server.listen();
  const executablePath = findChromium();
  const browser = await chromium.launch({
    args: [...CHROMIUM_ARGUMENTS],
    ...(executablePath === undefined ? {} : { executablePath }),
  });
  try {
    const origin = server.resolvedUrls?.local[0] ?? '';
    for (const part of parts) {
      const page = await browser.newPage();
      await page.goto(`${origin}bench`);
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
    await browser.close();
    await server.close();
  }
}
