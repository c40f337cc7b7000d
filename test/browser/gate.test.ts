import { expect, test } from 'vitest';
import { WORKER_PRELUDE } from '../../src/gate/side-doors.ts';

/** What a worker says of `expression`, its prelude run before it, where no service worker stands. */
function inWorker(expression: string): Promise<unknown> {
  const code = `${WORKER_PRELUDE}
    Promise.resolve().then(() => ${expression}).then(
      (value) => postMessage(value),
      (error) => postMessage(String(error)),
    );`;
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
  return new Promise<unknown>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  }).finally(() => worker.terminate());
}

const LOST =
  'TypeError: Grove’s service worker does not answer, so nothing was sent. Reload Grove.';
const elsewhere = '"https://outside.invalid/"';
const here = JSON.stringify(new URL('/', location.href).href);

test('without the service worker, fetch asks no other host, and its own as ever', async () => {
  expect(await inWorker(`fetch(${elsewhere})`)).toBe(LOST);
  expect(await inWorker(`fetch(new Request(${elsewhere}))`)).toBe(LOST);
  expect(await inWorker(`fetch(new URL(${elsewhere}), { method: 'POST' })`)).toBe(LOST);
  expect(await inWorker(`fetch(${here}).then(({ status }) => status)`)).toBe(200);
  expect(await inWorker(`fetch('data:,kept').then((response) => response.text())`)).toBe('kept');
});

test('without the service worker, Cache asks no other host', async () => {
  const cache = `caches.open('gate-test').then((cache) => cache`;
  expect(await inWorker(`${cache}.add(${elsewhere}))`)).toBe(LOST);
  expect(await inWorker(`${cache}.addAll([${here}, ${elsewhere}]))`)).toBe(LOST);
  expect(await inWorker(`${cache}.keys()).then(({ length }) => length)`)).toBe(0);
  await caches.delete('gate-test');
});

test('XMLHttpRequest opens this host alone, and what Grove has no use for is gone', async () => {
  const opened = (url: string) => inWorker(`new XMLHttpRequest().open('GET', ${url})`);
  expect(await opened(elsewhere)).toBe('TypeError: Grove asks other hosts by fetch alone.');
  expect(await opened(here)).toBeUndefined();
  const doors = `['EventSource', 'WebTransport', 'WebSocketStream', 'fetchLater']`;
  expect(await inWorker(`${doors}.filter((name) => globalThis[name] !== undefined)`)).toEqual([]);
});
