import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../src/cli/serve.mjs';

const folder = mkdtempSync(join(tmpdir(), 'grove-serve-'));
const root = join(folder, 'root');
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  mkdirSync(join(root, 'assets'), { recursive: true });
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>Grove</title>');
  writeFileSync(join(root, 'assets', 'app-1234.js'), 'export {};');
  writeFileSync(join(root, 'engine.wasm'), '');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  symlinkSync(join(folder, 'secret.txt'), join(root, 'linked.txt'));
  server = await serve({ root, port: 0 });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** A request by its raw path and headers, as `fetch` would not send them. */
function raw(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      const sent = request(
        { port: server.port, host: 'localhost', path, headers, method },
        (got) => {
          let body = '';
          got.setEncoding('utf8');
          got.on('data', (piece: string) => (body += piece));
          got.on('end', () => resolve({ status: got.statusCode ?? 0, headers: got.headers, body }));
        },
      );
      sent.once('error', reject);
      sent.end();
    },
  );
}

test('every answer carries the policy and isolates the page, errors included', async () => {
  for (const path of ['/', '/assets/app-1234.js', '/missing', '/__grove']) {
    const { headers } = await raw(path);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/unsafe-eval'(?!-)(?<!wasm-unsafe-eval')|https?:/u);
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(headers['cross-origin-embedder-policy']).toBe('credentialless');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
  }
});

test('files have their types; only hashed names are cached for good', async () => {
  const page = await raw('/');
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.headers['cache-control']).toBe('no-cache');
  const script = await raw('/assets/app-1234.js');
  expect(script.headers['content-type']).toContain('text/javascript');
  expect(script.headers['cache-control']).toContain('immutable');
  expect((await raw('/engine.wasm')).headers['content-type']).toBe('application/wasm');
});

test('an unknown file is not found, rather than the page', async () => {
  const { status, body } = await raw('/solve');
  expect(status).toBe(404);
  expect(body).not.toContain('<title>');
});

test.each(['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/linked.txt', '/%00'])(
  '%s does not leave the folder',
  async (path) => {
    const { status, body } = await raw(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).not.toContain('secret\n');
  },
);

test('a foreign host name is refused: rebinding reaches nothing', async () => {
  expect((await raw('/', { host: 'grove.example' })).status).toBe(421);
  expect((await raw('/', { host: `127.0.0.1:${server.port}` })).status).toBe(200);
});

test('nothing can be written', async () => {
  expect((await raw('/', {}, 'POST')).status).toBe(405);
});

test('it says that it is Grove', async () => {
  expect(JSON.parse((await raw('/__grove')).body)).toMatchObject({ app: 'grove' });
});

test('a port that is taken is said so', async () => {
  await expect(serve({ root, port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
