import { buildApp, DIST } from './build-app.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { openBrowser } from './open-browser.mjs';

/** `npm start`: installs and builds what is missing or stale, serves, and opens the browser. */
const DEFAULT_PORT = 4317;

await start();

async function start() {
  const port = readPort();
  const open = !process.argv.includes('--no-open') && !process.env['CI'];
  if (port === undefined || !(await ensureDependencies())) {
    process.exitCode = 1;
    return;
  }
  const running = await whatRuns(port);
  const url = `http://localhost:${port}/`;
  if (running === 'grove') {
    console.log(`Grove already runs at ${url}`);
    if (open) openBrowser(url);
    return;
  }
  if (running === 'other') {
    portTaken(port);
    return;
  }
  if ((await buildApp()) === 'built') console.log('Built.');
  const { serve } = await import('./serve.mjs');
  try {
    await serve({ root: DIST, port });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    portTaken(port);
    return;
  }
  console.log(`Grove runs at ${url}  (Ctrl+C stops it)`);
  if (open) openBrowser(url);
}

/** @returns {number | undefined} */
function readPort() {
  const text = process.env['PORT'] ?? '';
  if (text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  console.error(`PORT is “${text}”; it must be a whole number from 1 to 65535.`);
  return undefined;
}

/** @param {number} port */
function portTaken(port) {
  console.error(
    `Port ${port} is taken by another program. Stop that program, or set PORT to another number ` +
      `(for example PORT=${port + 1}). Another port is another origin for the browser, with data of its own: ` +
      `what you kept in Grove at port ${port} stays there and is not seen from the other one.`,
  );
  process.exitCode = 1;
}

/**
 * Who listens on a port of this machine.
 *
 * @param {number} port
 * @returns {Promise<'grove' | 'other' | 'nobody'>}
 */
async function whatRuns(port) {
  try {
    const signal = AbortSignal.timeout(2000);
    const response = await fetch(`http://localhost:${port}/__grove`, {
      signal,
      redirect: 'manual',
    });
    const identity = await response.json().catch(() => undefined);
    return identity?.app === 'grove' ? 'grove' : 'other';
  } catch (error) {
    const code = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    return code !== undefined && 'code' in code && code.code === 'ECONNREFUSED'
      ? 'nobody'
      : 'other';
  }
}
