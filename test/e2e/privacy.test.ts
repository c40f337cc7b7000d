import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { MEDIA_TYPES } from '../../src/cli/headers.mjs';
import { launch } from './support/browser.ts';
import { startGatePage, type StartedApp } from './support/built-app.ts';
import { startOutside, type OutsideServer } from './support/outside-server.ts';
import './support/gate-page/window.ts';

/** The ways that a page without protection has to take; what a browser may defer is not among them. */
const WAYS =
  'fetch no-cors xhr beacon image script style frame import socket events worker nested-worker css-url form';

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
  await context.addInitScript(`localStorage.setItem('outside', '${outside.origin}')`);
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
  await opened();
}
const opened = () => page.waitForFunction(() => document.title === 'open');
const tries = () => page.evaluate(() => Number(localStorage.getItem('tries')));
const tryAll = () => page.evaluate((base) => window.tryEveryWay(`${base}/late`), outside.origin);
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

test('every way out is a real one: without Grove’s headers and worker, all arrive', async () => {
  const bare = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '');
    const known = existsSync(join(app.folder, path)) && path !== '/service-worker.js';
    if (!known) return void response.writeHead(404).end();
    response.setHeader('content-type', MEDIA_TYPES[extname(path)] ?? 'text/plain');
    response.end(readFileSync(join(app.folder, path)));
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const address = bare.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  try {
    await page.goto(`http://127.0.0.1:${address.port}/`);
    await page.waitForFunction(() => document.title === 'closed');
    const expected = WAYS.split(' ').map((way) => `/early/${way}`);
    await expect.poll(() => paths(outside)).toEqual(expect.arrayContaining(expected));
  } finally {
    bare.closeAllConnections();
    bare.close();
  }
});

test('nothing arrives outside on the first visit, under control, and after a hard reload', async () => {
  await open();
  // Once without control, before the gate loaded the page again, and once with it.
  expect(await tries()).toBe(2);
  await tryAll();
  const devtools = await context.newCDPSession(page);
  const reloaded = page.waitForEvent('load');
  await devtools.send('Page.reload', { ignoreCache: true });
  await reloaded;
  await page.waitForFunction(() => localStorage.getItem('tries') === '4');
  await opened();
  await tryAll();
  expect(outside.arrivals).toEqual([]);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
});

test('an updated worker keeps the policy and lets nothing else out', async () => {
  await open();
  await allow();
  appendFileSync(join(app.folder, 'service-worker.js'), '\n// A newer build.\n');
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const changed = new Promise((resolve) =>
      navigator.serviceWorker.addEventListener('controllerchange', resolve),
    );
    await registration.update();
    const next = registration.installing ?? registration.waiting;
    if (next === null) throw new Error('there is no newer worker');
    while (next.state === 'installing') {
      await new Promise((resolve) => next.addEventListener('statechange', resolve, { once: true }));
    }
    next.postMessage('grove-activate');
    await changed;
  });
  await tryAll();
  expect(await send(`${outside.origin}/late`)).toBe('host-not-allowed');
  expect(await send(`${allowed.origin}/chat`)).toBe('200');
  await page.reload();
  await opened();
  expect(await page.evaluate(() => window.gate.policy.allowed)).toEqual([allowed.origin]);
  expect(outside.arrivals).toEqual([]);
});

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
  expect(paths(allowed)).toEqual(['/chat', '/worker-0', '/worker-1']);
  for (const { headers } of allowed.arrivals) {
    expect(Object.keys(headers).filter((name) => name.startsWith('x-grove'))).toEqual([]);
    expect(headers.referer).toBeUndefined();
  }
  const written = () =>
    page.evaluate(
      (origin) => window.ledger.filter((entry) => entry.origin === origin),
      allowed.origin,
    );
  await expect.poll(async () => (await written()).length).toBe(3);
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

test('Grove’s own files load without its server', async () => {
  await open();
  await context.setOffline(true);
  await page.reload();
  await opened();
});
