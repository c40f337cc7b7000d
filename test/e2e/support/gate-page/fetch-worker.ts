/**
 * Fetches, or has a worker of its own do it, and answers with the status or `refused`. Tries the ways
 * out that only a worker has besides.
 */
import { z } from 'zod';

const orderSchema = z.object({ url: z.string(), depth: z.number() });

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const { url, depth } = orderSchema.parse(data);
  if (depth > 0) {
    const nested = new Worker(new URL('./fetch-worker.ts', import.meta.url), { type: 'module' });
    nested.onmessage = (message) => postMessage(message.data);
    nested.onerror = () => postMessage('worker failed');
    nested.postMessage({ url, depth: depth - 1 });
    return;
  }
  fetch(url, { method: 'POST', body: 'secret' }).then(
    (response) => postMessage(String(response.status)),
    () => postMessage('refused'),
  );
  for (const open of [
    () => new WebSocket(`${url.replace('http', 'ws')}-socket`),
    () => new WebTransport(url.replace('http:', 'https:')),
    () => new EventSource(`${url}-events`),
  ]) {
    try {
      open();
    } catch {
      // It is not there, or the policy refuses it: what is expected.
    }
  }
});
