import { createServer, type Server } from 'node:http';
import { chromium, type Browser } from 'playwright';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../src/cli/chromium.mjs';
import { startOpenAiServer } from './support/openai-server.mjs';

// Only a browser refuses cross-origin reads, so the probe is tried here, in a bare page.

let page: Server;
let pageOrigin: string;
let browser: Browser;
let endpoint: Awaited<ReturnType<typeof startOpenAiServer>>;

beforeAll(async () => {
  const code = await bundle();
  page = createServer((request, response) => {
    const isCode = request.url === '/code.js';
    response.setHeader('Content-Type', isCode ? 'text/javascript' : 'text/html');
    response.end(isCode ? code : PAGE);
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const address = page.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  pageOrigin = `http://127.0.0.1:${address.port}`;
  endpoint = await startOpenAiServer();
  const executablePath = findChromium();
  browser = await chromium.launch({
    args: [...CHROMIUM_ARGUMENTS],
    ...(executablePath === undefined ? {} : { executablePath }),
  });
});
afterAll(async () => {
  await browser?.close();
  await endpoint?.close();
  page?.close();
});

test('a server that refuses cross-origin reads is told from one that is down', async () => {
  endpoint.behave('no-cors');
  const refused = await testFrom(endpoint.baseUrl);
  expect(refused.seen).toContain('does not let this page read its answers');
  expect(refused.hint).toContain(`OLLAMA_ORIGINS=${pageOrigin}`);
  expect(refused.hint).toContain(`--allowed-origins '["${pageOrigin}"]'`);
  expect(refused.hint).toContain('Enable CORS');

  endpoint.behave('ok');
  expect(await testFrom(endpoint.baseUrl)).toMatchObject({ outcome: 'ok' });

  await endpoint.close();
  const down = await testFrom(endpoint.baseUrl);
  expect(down.seen).toMatch(/^Nothing answers at 127\.0\.0\.1:\d+\.$/);
});

/** What the page runs: the connection test up to its first settled step. */
const PAGE = `<!doctype html><title>page</title><script type="module">
import { testConnection } from '/code.js';
window.firstStep = async (baseUrl) => {
  const profile = { id: 'a', name: 'A', baseUrl, model: 'test-model', imageSupport: 'unknown', maxImageSidePx: 750 };
  const steps = testConnection({
    profile,
    apiKey: 'sk-1',
    fetch: (url, init) => fetch(url, init),
    nowMs: Date.now,
    pageOrigin: location.origin,
    signal: new AbortController().signal,
  });
  for await (const step of steps) if (step.outcome !== 'trying') return step;
};
</script>`;

const stepSchema = z.object({
  outcome: z.string(),
  seen: z.string(),
  hint: z.string().optional(),
});

async function testFrom(baseUrl: string): Promise<z.infer<typeof stepSchema>> {
  const tab = await browser.newPage();
  try {
    await tab.goto(pageOrigin);
    return stepSchema.parse(await tab.evaluate(`firstStep(${JSON.stringify(baseUrl)})`));
  } finally {
    await tab.close();
  }
}

async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2023',
      lib: { entry: 'src/remote/test-connection.ts', formats: ['es'], fileName: 'code' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [first] = Array.isArray(built) ? built : [built];
  const chunk = first !== undefined && 'output' in first ? first.output[0] : undefined;
  if (chunk === undefined) throw new Error('nothing was built');
  return chunk.code;
}
