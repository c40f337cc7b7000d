import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import { defaultClientConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { CHROMIUM_ARGUMENTS, findChromium } from './src/cli/chromium.mjs';
import { firstChunk } from './src/cli/first-chunk.mjs';
import { ROOT } from './src/cli/root.mjs';
import { serviceWorker } from './src/cli/service-worker-plugin.mjs';
import { wat } from './src/cli/wat-plugin.mjs';
import { flakyFiles } from './test/browser/engine/flaky-files.mjs';
import { tinyHub } from './test/browser/state/tiny-hub.mjs';

const executablePath = findChromium();

export default defineConfig({
  plugins: [svelte({ configFile: false }), wat(), serviceWorker()],
  resolve: {
    // ONNX Runtime without a wasm of its own choosing: the engine names the one that it needs.
    conditions: ['onnxruntime-web-use-extern-wasm', ...defaultClientConditions],
    // What web-xgrammar asks of Node, where it runs there: nothing of it is reached in a browser.
    alias: [
      { find: /^(?:url|module)$/u, replacement: join(ROOT, 'src/engine/grammar/no-node.ts') },
    ],
  },
  build: {
    target: 'es2023',
    sourcemap: false,
    rolldownOptions: {
      // How long plugins took is no warning for someone who runs `npm start`.
      checks: { pluginTimings: false },
      output: {
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: firstChunk }] },
      },
    },
  },
  worker: {
    format: 'es',
    plugins: () => [wat()],
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: ['web-llm', 'web-xgrammar'].map((name) => ({
            name,
            test: new RegExp(`/@mlc-ai/${name}/`, 'u'),
          })),
        },
      },
    },
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/{core,cli,structure,remote,work}/**/*.test.ts'],
          // What is tested here keeps no state in its modules, so each worker loads them once.
          isolate: false,
          // By itself Vitest leaves one core unused, which is half of a machine with two.
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          // Property tests take seconds, and a busy machine many more; speed is measured by the bench.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        plugins: [flakyFiles(), tinyHub()],
        // Tests read the shared sample files, where this machine has them.
        server: { fs: { allow: ['.', '../shared/data'] } },
        // Found late, behind a dynamic import, it would reload the page in the middle of a test.
        optimizeDeps: {
          include: [
            'pdfjs-dist',
            '@huggingface/transformers',
            '@mlc-ai/web-llm',
            '@mlc-ai/web-xgrammar',
          ],
        },
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          sequence: { groupOrder: 1 },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                ...(executablePath === undefined ? {} : { executablePath }),
                args: [...CHROMIUM_ARGUMENTS],
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          environment: 'node',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Two browsers side by side were no faster than one after the other on two cores.
          fileParallelism: false,
          // What starts the app and its browser keeps no state in its modules, and is slow to load.
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
