import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConnection, type ConnectionStep } from '../../src/remote/test-connection.ts';
import { imagesOf, startOpenAiServer } from '../e2e/support/openai-server.mjs';
import { KEY } from './fixture.ts';

type Server = Awaited<ReturnType<typeof startOpenAiServer>>;

let server: Server;
beforeAll(async () => {
  server = await startOpenAiServer({
    key: KEY,
    reply: (request) => (imagesOf(request).length > 0 ? 'Red.' : 'ready'),
  });
});
afterAll(() => server.close());

function connect(overrides: { model?: string; apiKey?: string; signal?: AbortSignal } = {}) {
  const { model = 'test-model', apiKey = KEY, signal = new AbortController().signal } = overrides;
  return testConnection({
    profile: {
      id: 'lab',
      name: 'Lab',
      baseUrl: server.baseUrl,
      model,
      imageSupport: 'no',
      maxImageSidePx: 750,
    },
    apiKey,
    fetch: (url, init) => fetch(url, init),
    nowMs: () => Date.now(),
    signal,
  });
}

async function settled(steps: AsyncIterable<ConnectionStep>): Promise<ConnectionStep[]> {
  const last = new Map<string, ConnectionStep>();
  for await (const step of steps) last.set(step.tried, step);
  return [...last.values()];
}

test('a good endpoint passes every step, and the picture is a PNG', async () => {
  server.behave('ok');
  const steps = await settled(connect());
  expect(steps.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(steps[1]?.seen).toBe('1 model, “test-model” among them.');
  expect(steps[3]?.seen).toContain('“Red.”');
  const [url] = server.chats().flatMap((chat) => imagesOf(chat));
  expect(url).toMatch(/^data:image\/png;base64,iVBORw0KGgo/);
});

test('a wrong key is reached, fails the list and the chat, and skips the picture', async () => {
  const steps = await settled(connect({ apiKey: 'sk-wrong-key-1' }));
  expect(steps.map(({ outcome }) => outcome)).toEqual(['ok', 'failed', 'failed', 'skipped']);
  expect(steps[2]?.seen).toContain('did not accept the key');
  expect(JSON.stringify(steps)).not.toContain('sk-wrong-key-1');
});

test('an unknown model names those there are', async () => {
  const steps = await settled(connect({ model: 'no-such-model' }));
  expect(steps[1]).toMatchObject({ outcome: 'failed', hint: 'Listed: test-model.' });
  expect(steps[2]).toMatchObject({ outcome: 'failed', hint: 'The server lists: test-model.' });
});

test('a model without vision fails at the picture only', async () => {
  server.behave('no-image-support');
  const steps = await settled(connect());
  expect(steps.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'failed']);
  expect(steps[3]?.seen).toContain('does not take images');
});

test('an abort ends the test within 200 ms', async () => {
  server.behave('hang');
  const stop = new AbortController();
  const seen = server.nextChat();
  const ended = settled(connect({ signal: stop.signal }));
  const expectation = expect(ended).rejects.toMatchObject({ code: 'aborted' });
  await seen;
  const before = performance.now();
  stop.abort();
  await expectation;
  expect(performance.now() - before).toBeLessThan(200);
});
