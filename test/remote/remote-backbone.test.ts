import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ModelCallCode } from '../../src/core/errors.ts';
import { startOpenAiServer } from '../e2e/support/openai-server.mjs';
import { backboneAt, IMAGE, IMAGE_URL, KEY, requestOf, run, visible } from './fixture.ts';

type Server = Awaited<ReturnType<typeof startOpenAiServer>>;
type Behaviour = Parameters<Server['behave']>[0];

let server: Server;
beforeAll(async () => {
  server = await startOpenAiServer({
    reply: (request) => `Seven stops, I think.\nAnswer: ${request.messages.length + 5}`,
    models: ['test-model', 'other-model'],
  });
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.behave('ok');
});

const REPLY = 'Seven stops, I think.\nAnswer: 7';

describe('a call that succeeds', () => {
  test('streams the reply and ends with the server’s usage', async () => {
    const { chunks, error } = await run(
      backboneAt(server.baseUrl).backbone,
      requestOf('How many?'),
    );
    expect(error).toBeUndefined();
    const deltas = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? chunk.text : []));
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join('')).toBe(REPLY);
    expect(chunks.filter((chunk) => chunk.type === 'finish')).toEqual([
      {
        type: 'finish',
        response: {
          text: REPLY,
          reasoning: '',
          finishReason: 'stop',
          usage: { promptTokens: 5, completionTokens: 8, images: 0, estimated: false },
          model: 'test-model',
        },
      },
    ]);
  });

  test('sends the key as a header, temperature, token limit and images as data URLs', async () => {
    await run(backboneAt(server.baseUrl).backbone, requestOf('How many?', [IMAGE]));
    const [seen] = server.requests;
    expect(seen?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(seen?.body).toMatchObject({
      model: 'test-model',
      stream: true,
      temperature: 0.25,
      max_tokens: 64,
      messages: [
        { role: 'system', content: 'You solve.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'How many?' },
            { type: 'image_url', image_url: { url: IMAGE_URL } },
          ],
        },
      ],
    });
    expect(JSON.stringify(seen?.body)).not.toContain(KEY);
  });

  test('says that it estimated the tokens where the server reports none', async () => {
    server.behave('no-usage');
    const { chunks } = await run(
      backboneAt(server.baseUrl).backbone,
      requestOf('How many?', [IMAGE]),
    );
    // 19 characters are 5 tokens; the image goes out at 750 × 375.
    expect(chunks.at(-1)).toMatchObject({
      response: {
        usage: { promptTokens: 5 + 375, completionTokens: 8, images: 1, estimated: true },
      },
    });
  });

  test('streams reasoning apart from the text', async () => {
    server.behave('reasoning');
    const { chunks } = await run(backboneAt(server.baseUrl).backbone, requestOf('How many?'));
    expect(chunks[0]).toEqual({ type: 'reasoning-delta', text: 'Let me look. ' });
    expect(chunks.at(-1)).toMatchObject({ response: { text: REPLY, reasoning: 'Let me look. ' } });
  });

  test('takes a whole reply from a server that does not stream', async () => {
    server.behave('not-streamed');
    const { chunks } = await run(backboneAt(server.baseUrl).backbone, requestOf('How many?'));
    expect(chunks.at(-1)).toMatchObject({
      response: { text: REPLY, finishReason: 'stop', usage: { estimated: false } },
    });
  });

  test('takes [DONE] as an end where no finish reason came', async () => {
    server.behave('done-only');
    const { chunks } = await run(backboneAt(server.baseUrl).backbone, requestOf('How many?'));
    expect(chunks.at(-1)).toMatchObject({ response: { text: REPLY, finishReason: 'other' } });
  });
});

describe('a server that takes less than was asked', () => {
  const request = { ...requestOf('How many?'), responseSchema: { type: 'object' } };

  test('gets the schema, and after refusing it no schema, from then on', async () => {
    server.behave('refuse-schema');
    const { backbone, delays } = backboneAt(server.baseUrl);
    const first = await run(backbone, request);
    expect(first.error).toBeUndefined();
    expect(first.chunks[0]).toMatchObject({ type: 'retry', attempt: 2, delayMs: 0 });
    await run(backbone, request);
    const sent = server.chats().map(({ response_format }) => response_format);
    expect(sent).toEqual([
      {
        type: 'json_schema',
        json_schema: { name: 'reply', schema: { type: 'object' }, strict: true },
      },
      undefined,
      undefined,
    ]);
    expect(delays).toEqual([]);
  });

  test('keeps getting the schema after a busy answer, which refuses none of it', async () => {
    server.behave('ok', ['conflict-409']);
    const { backbone, delays } = backboneAt(server.baseUrl);
    const { error } = await run(backbone, request);
    expect(error).toBeUndefined();
    expect(delays).toEqual([500]);
    const sent = server.chats().map(({ response_format }) => response_format !== undefined);
    expect(sent).toEqual([true, true]);
  });

  test('gets max_completion_tokens where it refuses max_tokens', async () => {
    server.behave('refuse-max-tokens');
    const { error } = await run(backboneAt(server.baseUrl).backbone, requestOf('How many?'));
    expect(error).toBeUndefined();
    expect(server.chats().map((chat) => chat.max_completion_tokens)).toEqual([undefined, 64]);
  });
});

describe('faults that only a person can settle', () => {
  interface Fault {
    behaviour: Behaviour;
    code: ModelCallCode;
    message: RegExp;
    hint: RegExp;
  }
  const faults: readonly Fault[] = [
    { behaviour: 'wrong-key', code: 'wrong-key', message: /did not accept the key/, hint: /key/ },
    { behaviour: 'echo-key', code: 'wrong-key', message: /Bearer \[key\]/, hint: /key/ },
    {
      behaviour: 'unknown-model',
      code: 'unknown-model',
      message: /does not know the model “test-model”/,
      hint: /^The server lists: test-model, other-model\.$/,
    },
    { behaviour: 'quota', code: 'rate-limited', message: /No quota left/, hint: /quota/ },
    {
      behaviour: 'no-image-support',
      code: 'no-image-support',
      message: /does not take images \(status 400\)/,
      hint: /vision/,
    },
    {
      behaviour: 'no-image-support-500',
      code: 'no-image-support',
      message: /does not take images \(status 500\)/,
      hint: /vision/,
    },
    {
      behaviour: 'context-overflow',
      code: 'context-overflow',
      message: /longer than “test-model” at .* can read.*4096/,
      hint: /fewer or smaller images/,
    },
    {
      behaviour: 'html',
      code: 'not-json',
      message: /answered with a web page instead of JSON.*<title>Server UI/,
      hint: /base URL/,
    },
    { behaviour: 'garbage', code: 'not-json', message: /piece of the reply/, hint: /Try again/ },
    { behaviour: 'empty', code: 'empty-reply', message: /replied with nothing/, hint: /Try again/ },
    {
      behaviour: 'truncated-socket',
      code: 'truncated-stream',
      message: /broke off before its end/,
      hint: /Try again/,
    },
    {
      behaviour: 'truncated-end',
      code: 'truncated-stream',
      message: /broke off before its end/,
      hint: /Try again/,
    },
    {
      behaviour: 'stream-error',
      code: 'server-error',
      message: /failed on its side.*The engine crashed/,
      hint: /log/,
    },
  ];
  test.each(faults)(
    '$behaviour ends at once as $code',
    async ({ behaviour, code, message, hint }) => {
      server.behave(behaviour);
      const { backbone, delays } = backboneAt(server.baseUrl);
      const outcome = await run(backbone, requestOf('How many?', [IMAGE]));
      expect(outcome.error).toMatchObject({ code });
      expect(outcome.error?.message).toMatch(message);
      expect(outcome.error?.hint).toMatch(hint);
      expect(server.chats()).toHaveLength(1);
      expect(delays).toEqual([]);
      expect(visible(outcome)).not.toContain(KEY);
    },
  );

  test('a base URL without /v1 is told from an unknown model', async () => {
    const { error } = await run(backboneAt(server.origin).backbone, requestOf('How many?'));
    expect(error).toMatchObject({ code: 'bad-request', status: 404 });
    expect(error?.hint).toBe(
      `The base URL ${server.origin} probably lacks /v1: try ${server.origin}/v1.`,
    );
  });

  test('images are not sent to a model that is set up as taking none', async () => {
    const { backbone } = backboneAt(server.baseUrl, {
      profile: {
        id: 'lab',
        name: 'Lab',
        baseUrl: server.baseUrl,
        model: 'test-model',
        imageSupport: 'no',
        maxImageSidePx: 750,
      },
    });
    const { error } = await run(backbone, requestOf('How many?', [IMAGE]));
    expect(error?.code).toBe('no-image-support');
    expect(server.requests).toEqual([]);
  });
});

describe('trying again', () => {
  const transient: readonly { behaviour: Behaviour; waits: readonly number[] }[] = [
    { behaviour: 'timeout-408', waits: [500, 1000] },
    { behaviour: 'conflict-409', waits: [500, 1000] },
    { behaviour: 'rate-limited', waits: [2000, 2000] },
    { behaviour: 'error-500', waits: [500, 1000] },
    { behaviour: 'error-503', waits: [2000, 2000] },
    { behaviour: 'truncated-start', waits: [500, 1000] },
    { behaviour: 'reset', waits: [500, 1000] },
  ];
  test.each(transient)('$behaviour twice, then a reply', async ({ behaviour, waits }) => {
    server.behave('ok', [behaviour, behaviour]);
    const { backbone, delays } = backboneAt(server.baseUrl);
    const { chunks, error } = await run(backbone, requestOf('How many?'));
    expect(error).toBeUndefined();
    expect(delays).toEqual(waits);
    expect(chunks.slice(0, 2)).toMatchObject([
      { type: 'retry', attempt: 2, delayMs: waits[0] },
      { type: 'retry', attempt: 3, delayMs: waits[1] },
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', response: { text: REPLY } });
    expect(server.chats()).toHaveLength(3);
  });

  test('stops after four tries, and says so', async () => {
    server.behave('error-500');
    const { backbone, delays } = backboneAt(server.baseUrl);
    const { error } = await run(backbone, requestOf('How many?'));
    expect(error).toMatchObject({ code: 'server-error', status: 500 });
    expect(error?.message).toMatch(/Tried 4 times\.$/);
    expect(delays).toEqual([500, 1000, 2000]);
  });

  test('a server that is down is not tried again', async () => {
    const gone = await startOpenAiServer();
    await gone.close();
    const { backbone, delays } = backboneAt(gone.baseUrl);
    const { error } = await run(backbone, requestOf('How many?'));
    expect(error?.code).toBe('server-unreachable');
    expect(error?.message).toBe(`Nothing answers at ${new URL(gone.origin).host}.`);
    expect(delays).toEqual([]);
  });
});

describe('a request that the gate stops', () => {
  test.each([
    { blocked: 'host-not-allowed', code: 'blocked-by-gate' },
    { blocked: 'offline', code: 'offline' },
  ])('$blocked ends at once as $code', async ({ blocked, code }) => {
    const headers = { 'x-grove-blocked': blocked };
    const { backbone, delays } = backboneAt(server.baseUrl, {
      fetch: async () => new Response('', { status: 403, headers }),
    });
    const { error } = await run(backbone, requestOf('How many?'));
    expect(error?.code).toBe(code);
    expect(delays).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

describe('an abort', () => {
  const moments: readonly { when: string; behaviour: Behaviour }[] = [
    { when: 'while nothing has come', behaviour: 'hang' },
    { when: 'between two pieces', behaviour: 'slow' },
  ];
  test.each(moments)('$when ends within 200 ms and hangs up', async ({ behaviour }) => {
    server.behave(behaviour);
    const stop = new AbortController();
    const seen = server.nextChat();
    const hungUp = server.nextHangUp();
    const outcome = run(backboneAt(server.baseUrl).backbone, requestOf('How many?'), stop.signal);
    await seen;
    const before = performance.now();
    stop.abort();
    const { error } = await outcome;
    expect(performance.now() - before).toBeLessThan(200);
    expect(error?.code).toBe('aborted');
    await hungUp;
    expect(server.chats()).toHaveLength(1);
  });

  test('during a wait ends within 200 ms, though the wait goes on', async () => {
    server.behave('error-500');
    const stop = new AbortController();
    const { backbone } = backboneAt(server.baseUrl, {
      delay: () => {
        queueMicrotask(() => stop.abort());
        return new Promise(() => {});
      },
    });
    const { error } = await run(backbone, requestOf('How many?'), stop.signal);
    expect(error?.code).toBe('aborted');
    expect(server.chats()).toHaveLength(1);
  });

  test('before the call sends nothing', async () => {
    const { error } = await run(
      backboneAt(server.baseUrl).backbone,
      requestOf('How many?'),
      AbortSignal.abort(),
    );
    expect(error?.code).toBe('aborted');
    expect(server.requests).toEqual([]);
  });

  test('leaving the stream hangs up', async () => {
    server.behave('slow');
    const hungUp = server.nextHangUp();
    const { signal } = new AbortController();
    for await (const chunk of backboneAt(server.baseUrl).backbone.generate(
      requestOf('Hm?'),
      signal,
    )) {
      expect(chunk.type).toBe('text-delta');
      break;
    }
    await hungUp;
  });
});
