import { createReadStream, readFileSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { headersFor, MEDIA_TYPES } from './headers.mjs';
import { ROOT } from './root.mjs';

/** Only these names reach Grove: another name that resolves here is somebody's rebinding. */
const HOST_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Serves a folder on this machine alone, with Grove's headers on every file. Unknown files are 404,
 * never the page. `GET /__grove` says that this is Grove.
 *
 * @param {{ root: string, port: number, host?: string }} options port 0 takes a free one
 * @returns {Promise<{ url: string, port: number, close: () => Promise<void> }>}
 * @throws the server's own error, with code `EADDRINUSE` where the port is taken
 */
export async function serve({ root, port, host = 'localhost' }) {
  const folder = await realpath(root);
  const server = createServer((request, response) => {
    answer(folder, request, response).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(undefined));
  });
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://localhost:${taken}/`,
    port: taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {string} folder
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(folder, request, response) {
  const path = pathOf(request.url ?? '/');
  for (const [name, value] of Object.entries(headersFor(path ?? ''))) {
    response.setHeader(name, value);
  }
  const hostName = (request.headers.host ?? '').replace(/:\d+$/u, '');
  if (!HOST_NAMES.includes(hostName)) {
    return say(response, 421, `Grove answers to ${HOST_NAMES.join(', ')} only.`);
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return say(response, 405, 'Grove only serves its own files.');
  }
  if (path === undefined) return say(response, 400, 'This address cannot be read.');
  if (path === '/__grove') {
    response.setHeader('content-type', MEDIA_TYPES['.json'] ?? '');
    response.setHeader('cache-control', 'no-store');
    response.end(JSON.stringify({ app: 'grove', version: version() }));
    return;
  }
  const file = await fileOf(folder, path);
  if (file === undefined) return say(response, 404, 'There is no such file here.');
  response.setHeader('content-type', MEDIA_TYPES[extname(file.path)] ?? 'application/octet-stream');
  response.setHeader('content-length', file.size);
  // Names under assets/ carry a hash of what is in them.
  const immutable = path.startsWith('/assets/');
  response.setHeader('cache-control', immutable ? 'max-age=31536000, immutable' : 'no-cache');
  if (path === '/service-worker.js') response.setHeader('service-worker-allowed', '/');
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  await pipeline(createReadStream(file.path), response);
}

/**
 * The path of a request, decoded; undefined where it is not well formed or tries to climb.
 *
 * @param {string} url
 * @returns {string | undefined}
 */
function pathOf(url) {
  try {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
    return path.includes('\0') || path.split(/[/\\]/u).includes('..') ? undefined : path;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder
 * @param {string} path
 * @returns {Promise<{ path: string, size: number } | undefined>}
 */
async function fileOf(folder, path) {
  const wanted = join(folder, path === '/' ? 'index.html' : path);
  try {
    // A link out of the folder is not followed.
    const real = await realpath(wanted);
    const found = await stat(real);
    const inside = real.startsWith(folder + sep);
    return inside && found.isFile() ? { path: real, size: found.size } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {string} message
 */
function say(response, status, message) {
  response.writeHead(status, {
    'content-type': MEDIA_TYPES['.txt'],
    'cache-control': 'no-store',
  });
  response.end(`${message}\n`);
}

/** @returns {string} */
function version() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}
