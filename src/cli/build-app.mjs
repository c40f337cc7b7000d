import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

/** Where the built app lies. */
export const DIST = join(ROOT, 'dist');

const SOURCES = [
  'src',
  'public',
  'index.html',
  'package.json',
  'package-lock.json',
  'vite.config.ts',
];

/**
 * Builds the app into `dist` where a source is newer than the last complete build.
 *
 * @returns {Promise<'built' | 'fresh'>}
 * @throws the build's own error, which Vite has printed
 */
export async function buildApp() {
  const stamp = join(DIST, '.built');
  const startedAt = new Date();
  if (existsSync(stamp) && newest() <= statSync(stamp).mtimeMs) return 'fresh';
  const { build } = await import('vite');
  // A test runner that builds would otherwise get a development build of Svelte.
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    await build({ root: ROOT, logLevel: 'warn' });
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  }
  // The time the build began, so that a source saved while it ran makes it stale.
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
  return 'built';
}

/** When a source last changed, in milliseconds since 1970. */
function newest() {
  return Math.max(...SOURCES.map((source) => newestBelow(join(ROOT, source))));
}

/**
 * @param {string} path
 * @returns {number}
 */
function newestBelow(path) {
  if (!existsSync(path)) return 0;
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  // A folder's own time tells of files that were added or removed.
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
}
