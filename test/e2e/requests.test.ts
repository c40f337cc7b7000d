import type { Request } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';

let app: StartedApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('until an endpoint is set, the app asks no host but its own for anything', async () => {
  const browser = await launch();
  const context = await browser.newContext();
  const page = await context.newPage();
  const seen: Request[] = [];
  // The context tells of every page, and of what workers and the service worker ask for.
  context.on('request', (request) => seen.push(request));
  const sockets: string[] = [];
  page.on('websocket', (socket) => sockets.push(socket.url()));
  try {
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Try the metro sample' }).click();
    await page.getByRole('checkbox', { name: 'Fast' }).check();
    await page
      .getByRole('status')
      .filter({ hasText: 'On a map that no lesson came from' })
      .waitFor({ timeout: 90_000 });
    for (const name of ['Bank', 'Settings']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    // Nothing was even stopped on its way.
    await page
      .getByText('Empty: no request has left this browser, and none was blocked.')
      .waitFor();
    await page.getByText('None: nothing can leave this browser.').waitFor();
  } finally {
    await browser.close();
  }
  expect(seen.some((request) => request.serviceWorker() !== null)).toBe(true);
  const own = new URL(app.url).origin;
  const elsewhere = seen
    .map((request) => request.url())
    .filter((url) => !/^(data|blob):/u.test(url) && new URL(url).origin !== own);
  expect(elsewhere).toEqual([]);
  expect(sockets).toEqual([]);
});
