import { join } from 'node:path';
import { chromium } from 'playwright';
import { createServer, defaultClientConditions } from 'vite';
import { CHROMIUM_ARGUMENTS, findChromium } from '../chromium.mjs';
import { ROOT } from '../root.mjs';
import { wat } from '../wat-plugin.mjs';

/**
 * A Chromium over the sources of this repository, served as modules. Every page is an empty one to
 * run them in.
 *
 * @param {{ profile?: string }} [options] the folder that the browser keeps its things in, by which its
 *   processes are told from others; one of its own where it is left out
 * @returns {Promise<{ newPage(): Promise<import('playwright').Page>, close(): Promise<void> }>}
 */
export async function startModules({ profile = '' } = {}) {
  const server = await createServer({
    root: ROOT,
    configFile: false,
    appType: 'mpa',
    logLevel: 'error',
    // As the app has it: ONNX Runtime without a wasm of its own choosing.
    resolve: { conditions: ['onnxruntime-web-use-extern-wasm', ...defaultClientConditions] },
    optimizeDeps: { include: ['@huggingface/transformers'] },
    worker: { format: 'es' },
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
  const browser = await chromium.launchPersistentContext(profile, {
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
