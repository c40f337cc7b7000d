import { createServer, get } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launch } from './support/browser.ts';
import { startGatePage, type StartedApp } from './support/built-app.ts';
import { startOutside, type OutsideServer } from './support/outside-server.ts';
import './support/gate-page/window.ts';

// A page with nothing but the gate: what its own interface promises, seen from the outside.

let browser: Browser;
let app: StartedApp;
let outside: OutsideServer;
let allowed: OutsideServer;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [browser, app] = await Promise.all([launch(), startGatePage()]);
});
afterAll(async () => {
  await browser.close();
  await app.close();
});
beforeEach(async () => {
  [outside, allowed] = await Promise.all([startOutside(), startOutside()]);
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  await Promise.all([outside.close(), allowed.close()]);
});

const paths = ({ arrivals }: OutsideServer) => arrivals.map(({ path }) => path);

/** Opens the page and waits until its gate is open. */
async function open(): Promise<void> {
  await page.goto(app.url);
  await page.waitForFunction(() => document.title === 'open');
}
const allow = () => page.evaluate((origin) => window.gate.allow(origin), allowed.origin);

/** A POST through the gate: the status, the reason it was blocked, or `failed`. */
const send = (url: string) =>
  page.evaluate(
    (to) =>
      window.gate
        .fetch('model call')(to, { method: 'POST', body: 'hello' })
        .then(
          async (response) => {
            await response.text();
            return response.headers.get('x-grove-blocked') ?? String(response.status);
          },
          () => 'failed',
        ),
    url,
  );

test('an allowed host is reached by the page and its workers, and the ledger says so', async () => {
  await open();
  await allow();
  expect(await send(`${allowed.origin}/chat?key=secret`)).toBe('200');
  const worker = (depth: number) =>
    page.evaluate(([url, below]) => window.workerFetch(url, below), [
      `${allowed.origin}/worker-${depth}`,
      depth,
    ] as const);
  expect(await worker(0)).toBe('200');
  expect(await worker(1)).toBe('200');
  const arrived = ['/chat', '/worker-0', '/worker-1'];
  await expect.poll(() => paths(allowed).sort()).toEqual(arrived);
  for (const { headers } of allowed.arrivals) {
    expect(Object.keys(headers).filter((name) => name.startsWith('x-grove'))).toEqual([]);
    expect(headers.referer).toBeUndefined();
  }
  const written = () =>
    page.evaluate(
      (origin) => window.ledger.filter((entry) => entry.origin === origin),
      allowed.origin,
    );
  await expect.poll(async () => (await written()).length).toBe(arrived.length);
  expect((await written()).find(({ path }) => path === '/chat')).toMatchObject({
    purpose: 'model call',
    method: 'POST',
    bytesSent: 5,
    bytesReceived: 7,
    outcome: 'sent',
    detail: '200',
  });
});

test('what is blocked is in the ledger with its reason', async () => {
  await open();
  expect(await send(`${outside.origin}/chat`)).toBe('host-not-allowed');
  const line = () => page.evaluate(() => window.ledger.find(({ path }) => path === '/chat'));
  await expect.poll(line).toMatchObject({ outcome: 'blocked', detail: 'host-not-allowed' });
  expect(outside.arrivals).toEqual([]);
});

test('the offline switch stops requests at once, an answer being read included', async () => {
  await open();
  await allow();
  const cut = await page.evaluate(async (url) => {
    const response = await window.gate.fetch('model call')(url);
    const reader = response.body?.getReader();
    await reader?.read();
    const rest = reader?.read().then(
      () => 'went on',
      () => 'cut',
    );
    await window.gate.setOffline(true);
    return rest;
  }, `${allowed.origin}/hang`);
  expect(cut).toBe('cut');
  expect(await send(`${allowed.origin}/chat`)).toBe('offline');
  expect(paths(allowed)).toEqual(['/hang']);
});

test('a redirect from an allowed host leads nowhere', async () => {
  await open();
  await allow();
  const to = encodeURIComponent(`${outside.origin}/chat`);
  expect(await send(`${allowed.origin}/redirect?to=${to}`)).toBe('redirect');
  expect(paths(allowed)).toEqual(['/redirect']);
  expect(outside.arrivals).toEqual([]);
});

test('a download of a model’s file is led to where its hub keeps it, and the ledger says where', async () => {
  await open();
  await allow();
  const { port, host } = new URL(outside.origin);
  const download = (path: string, purpose: string, method = 'GET') =>
    page.evaluate(
      ([url, why, how]) =>
        window.gate
          .fetch(why)(url, { method: how })
          .then(async (response) => {
            await response.text();
            return response.headers.get('x-grove-blocked') ?? String(response.status);
          }),
      [`${allowed.origin}/led/${port}${path}`, purpose, method] as const,
    );
  expect(await download('/m/resolve/main/model.onnx', 'model download')).toBe('200');
  expect(paths(outside)).toEqual(['/m/resolve/main/model.onnx']);
  await expect
    .poll(() => page.evaluate(() => window.ledger.map(({ detail }) => detail)))
    .toContain(`200 from ${host}`);
  // Nothing else is: no other purpose, no address that carries something, nothing that is sent.
  expect(await download('/m/resolve/main/model.onnx', 'model call')).toBe('redirect');
  expect(await download('/m/resolve/main/model.onnx?what=ever', 'model download')).toBe('redirect');
  expect(await download('/chat', 'model download')).toBe('redirect');
  expect(await download('/m/resolve/main/x', 'model download', 'POST')).toBe('redirect');
  expect(paths(outside)).toHaveLength(1);
});

test('a hard reload opens while an update of the worker is not answered', async () => {
  let isHeld = false;
  let held = 0;
  const slow = createServer((request, response) => {
    if (isHeld && request.url === '/service-worker.js') return void held++;
    const { host } = request.headers;
    get(new URL(request.url ?? '/', app.url), { headers: { host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
  });
  await new Promise<void>((resolve) => slow.listen(0, 'localhost', resolve));
  const address = slow.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  try {
    await page.goto(`http://localhost:${address.port}/`);
    await page.waitForFunction(() => document.title === 'open');
    isHeld = true;
    await page.evaluate(async () => void (await navigator.serviceWorker.ready).update());
    await expect.poll(() => held, { timeout: 10_000 }).toBe(1);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Page.reload', { ignoreCache: true });
    await page.waitForFunction(() => document.title === 'open' && window.gate !== undefined);
    // Registering hangs still: it was not what the page waited for.
    expect(held).toBe(1);
    expect(await send(`${outside.origin}/chat`)).toBe('host-not-allowed');
  } finally {
    slow.closeAllConnections();
    slow.close();
  }
});
