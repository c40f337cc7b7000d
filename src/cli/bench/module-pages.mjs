import { join } from 'node:path';
import { chromium } from 'playwright';
import { createServer } from 'vite';
import { CHROMIUM_ARGUMENTS, findChromium } from '../chromium.mjs';
import { ROOT } from '../root.mjs';
import { wat } from '../wat-plugin.mjs';

/**
 * A Chromium over the sources of this repository, served as modules. Every page is an empty one to
 * run them in.
 *
 * @returns {Promise<{ newPage(): Promise<import('playwright').Page>, close(): Promise<void> }>}
 */
export async function startModules() {
  const server = await createServer({
    root: ROOT,
    configFile: false,
    appType: 'mpa',
    logLevel: 'error',
    server: {
      port: 0,
      host: '127.0.0.1',
      hmr: false,
      // Shared sample data, where this machine has it.
      fs: { allow: [ROOT, join(ROOT, '..', 'shared', 'data')] },
    },
    plugins: [
      wat(),
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
  return {
    async newPage() {
      const page = await browser.newPage();
      await page.goto(`${server.resolvedUrls?.local[0] ?? ''}bench`);
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
