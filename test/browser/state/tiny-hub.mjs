import { createHash } from 'node:crypto';
import { tinyEncoder } from '../../../models/tiny/encoder.mjs';

/**
 * A hub of models for browser tests: `hub-tiny/encoder` is the tiny encoder, listed over two pages;
 * `hub-tiny/no-tokenizer` lacks a file; `hub-tiny/no-list` has its files but answers no list of them.
 *
 * @returns {import('vite').Plugin}
 */
export function tinyHub() {
  const files = tinyEncoder();
  return {
    name: 'grove-tiny-hub',
    configureServer({ middlewares }) {
      middlewares.use('/api/models/hub-tiny/', (request, response) => {
        const url = new URL(request.url ?? '/', 'http://here');
        const name = /^\/([\w-]+)\/tree\/main$/u.exec(url.pathname)?.[1];
        if (name === 'no-list') return void response.end('<p>Not today.</p>');
        if (name !== 'encoder' && name !== 'no-tokenizer') {
          return void response.writeHead(404).end();
        }
        const listed = [...files].filter(
          ([path]) => name === 'encoder' || path !== 'tokenizer.json',
        );
        const isFirst = url.searchParams.get('page') === null;
        if (isFirst) {
          response.setHeader('link', `</api/models/hub-tiny/${name}/tree/main?page=2>; rel="next"`);
        }
        const page = isFirst ? listed.slice(0, 2) : listed.slice(2);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(page.map(([path, bytes]) => line(path, bytes))));
      });
      middlewares.use('/hub-tiny/', (request, response) => {
        const path = /^\/[\w-]+\/resolve\/main\/(.+)$/u.exec(request.url ?? '')?.[1];
        const bytes = path === undefined ? undefined : files.get(path);
        if (bytes === undefined) return void response.writeHead(404).end();
        response.writeHead(200, { 'content-length': bytes.byteLength, etag: '"main"' });
        response.end(bytes);
      });
    },
  };
}

/**
 * @param {string} path
 * @param {Uint8Array} bytes
 */
function line(path, bytes) {
  const oid = createHash('sha256').update(bytes).digest('hex');
  const lfs = path.endsWith('.onnx') ? { lfs: { oid, size: bytes.byteLength } } : {};
  return { type: 'file', path, size: bytes.byteLength, ...lfs };
}
