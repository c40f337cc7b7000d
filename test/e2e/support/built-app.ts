import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, defaultClientConditions } from 'vite';
import { buildApp, DIST } from '../../../src/cli/build-app.mjs';
import { ROOT } from '../../../src/cli/root.mjs';
import { serve } from '../../../src/cli/serve.mjs';
import { serviceWorker } from '../../../src/cli/service-worker-plugin.mjs';

const GATE_PAGE = join(ROOT, 'test/e2e/support/gate-page');
const ENGINE_PAGE = join(ROOT, 'test/e2e/support/engine-page');

/** Something built and served on a free port of this machine. */
export interface StartedApp {
  /** With a slash at the end. */
  readonly url: string;
  /** Where the served files lie. */
  readonly folder: string;
  close(): Promise<void>;
}

/** The whole app, built where a source is newer than the last build. */
export async function startApp(): Promise<StartedApp> {
  await buildApp();
  const server = await serve({ root: DIST, port: 0 });
  return { url: server.url, folder: DIST, close: server.close };
}

/**
 * A copy of the whole app with one more script among its files, `/ways-out.js` (`gate-page/ways-out.ts`),
 * which its page may import as its own. The copy goes when it is closed.
 */
export function startAppWithWaysOut(): Promise<StartedApp> {
  return startAppWith({ root: GATE_PAGE, script: 'ways-out.ts', as: 'ways-out.js' });
}

/** The same with `/engine-checks.js` (`engine-page/checks.ts`). */
export function startAppWithEngineChecks(): Promise<StartedApp> {
  return startAppWith({
    root: ENGINE_PAGE,
    script: 'checks.ts',
    as: 'engine-checks.js',
    // As the app has it: ONNX Runtime without a wasm of its own choosing.
    conditions: ['onnxruntime-web-use-extern-wasm', ...defaultClientConditions],
  });
}

async function startAppWith({
  root,
  script,
  as,
  conditions = defaultClientConditions,
}: {
  readonly root: string;
  readonly script: string;
  readonly as: string;
  readonly conditions?: readonly string[];
}): Promise<StartedApp> {
  await buildApp();
  const folder = mkdtempSync(join(tmpdir(), 'grove-app-'));
  cpSync(DIST, folder, { recursive: true });
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    resolve: { conditions: [...conditions] },
    worker: { format: 'es' },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2023',
      rolldownOptions: {
        input: join(root, script),
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: as },
      },
    },
  });
  return serveFolder(folder);
}

/** The page of `gate-page/`, built like the app into a folder that goes when it is closed. */
export async function startGatePage(): Promise<StartedApp> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-gate-page-'));
  await build({
    root: GATE_PAGE,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [serviceWorker()],
    worker: { format: 'es' },
    build: { outDir: folder, emptyOutDir: true, target: 'es2023' },
  });
  return serveFolder(folder);
}

async function serveFolder(folder: string): Promise<StartedApp> {
  const server = await serve({ root: folder, port: 0 });
  return {
    url: server.url,
    folder,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
