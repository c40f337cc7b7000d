import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { ROOT } from './root.mjs';

/** Fetched when first needed rather than kept from the start: what only some PDFs ask for. */
const ON_DEMAND = /\.(bcmap|pfb|ttf|icc|wasm)$|pdf[.-](worker|engine)/u;

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
      const built = Object.keys(bundle).filter((name) => !ON_DEMAND.test(name));
      const fixed = existsSync(publicDir) ? readdirSync(publicDir) : [];
      const paths = [...built, ...fixed].map((name) => (name === 'index.html' ? '/' : `/${name}`));
      const files = [...new Set(paths)].sort();
      // Names of built files carry a hash of what is in them, so they tell one build from another.
      const version = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16);
      const first = firstFiles(bundle);
      const rest = files.filter((path) => !first.includes(path));
      await build({
        root: ROOT,
        configFile: false,
        publicDir: false,
        logLevel: 'warn',
        define: { __GROVE_FILES__: JSON.stringify({ version, first, rest }) },
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
 * What the page loads before it can be used: itself, its scripts with all they import statically, and
 * their styles.
 *
 * @param {import('vite').Rolldown.OutputBundle} bundle
 * @returns {string[]}
 */
function firstFiles(bundle) {
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = Object.values(bundle).flatMap((part) =>
    part.type === 'chunk' && part.isEntry ? [part.fileName] : [],
  );
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const part = bundle[name];
    if (part?.type !== 'chunk' || found.has(`/${name}`)) continue;
    found.add(`/${name}`);
    for (const style of part.viteMetadata?.importedCss ?? []) found.add(`/${style}`);
    waiting.push(...part.imports);
  }
  return ['/', ...found];
}
