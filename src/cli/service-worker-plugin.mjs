import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { build } from 'vite';
import { ROOT } from './root.mjs';

/** Not kept for offline use: what only some PDFs ask for, and the README's picture. */
const ON_DEMAND =
  /\.(bcmap|pfb|ttf|icc|wasm)$|pdf[.-](worker|engine)|web-llm|web-xgrammar|transformers-worker|ort-wasm|^grove\.png$/u;

/**
 * Builds the service worker beside the app, as one classic script with a name that stays, and tells it
 * which files this build made.
 *
 * @returns {import('vite').Plugin}
 */
export function serviceWorker() {
  let outDir = '';
  let publicDir = '';
  return {
    name: 'grove-service-worker',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
      publicDir = config.publicDir;
    },
    async writeBundle(_options, bundle) {
      const built = Object.keys(bundle);
      const fixed = filesBelow(publicDir);
      const paths = [...built, ...fixed]
        .filter((name) => !ON_DEMAND.test(name))
        .map((name) => (name === 'index.html' ? '/' : `/${name}`));
      const files = [...new Set(paths)].sort();
      // Names of built files carry a hash of what is in them, so they tell one build from another; of
      // the others what is in them does.
      const hash = createHash('sha256').update(files.join('\n'));
      for (const name of fixed) hash.update(readFileSync(join(publicDir, name)));
      const version = hash.digest('hex').slice(0, 16);
      await build({
        root: ROOT,
        configFile: false,
        publicDir: false,
        logLevel: 'warn',
        define: { __GROVE_FILES__: JSON.stringify({ version, files }) },
        build: {
          outDir,
          emptyOutDir: false,
          target: 'es2023',
          lib: {
            entry: join(ROOT, 'src/gate/service-worker.ts'),
            formats: ['iife'],
            name: 'groveServiceWorker',
            fileName: () => 'service-worker.js',
          },
        },
      });
    },
  };
}

/**
 * The files of a folder and of those in it, by their path in it, with slashes.
 *
 * @param {string} folder
 * @returns {readonly string[]}
 */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll(sep, '/'))
    .sort();
}
