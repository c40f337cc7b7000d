import { expect, test } from 'vitest';
import { EngineError, type GenerateRequest } from '../../../src/core/models/engine.ts';
import { EngineConnection } from '../../../src/engine/protocol/engine-connection.ts';
import { serveEngine, type EngineRuntime } from '../../../src/engine/protocol/engine-host.ts';
import { PIECES_AHEAD } from '../../../src/engine/protocol/engine-protocol.ts';

const REQUEST: GenerateRequest = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Go' }] }],
  schema: null,
  maxNewTokens: 1000,
  temperature: 0,
};
const SIGNAL = new AbortController().signal;

const SILENT_RUNTIME: EngineRuntime = {
  load: async () => undefined,
  embed: async (texts) => new Float32Array(texts.length),
  generate: () => new Promise(() => undefined),
  score: async () => new Float32Array([1, 2]),
};

/** A runtime at one end of a channel, and the page's connection at the other. */
function connected(runtime: Partial<EngineRuntime> = {}, silentMs = 60_000) {
  const { port1, port2 } = new MessageChannel();
  serveEngine(port2, { ...SILENT_RUNTIME, ...runtime });
  port2.start();
  port1.start();
  return new EngineConnection(
    {
      postMessage: (message) => port1.postMessage(message),
      addEventListener: (type, listen) => port1.addEventListener(type, listen),
      close: () => port1.close(),
    },
    { name: 'Test', silentMs },
  );
}

/** Says 0, 1, 2 … until it is stopped or so many were said. */
const counting = (most: number, said: string[] = []): Partial<EngineRuntime> => ({
  async generate(_request, { signal, push }) {
    for (let at = 0; at < most; at += 1) {
      await push(`${at} `);
      said.push(`${at} `);
      signal.throwIfAborted();
    }
    const text = said.join('');
    const tokens = { promptTokens: 1, completionTokens: most };
    return { text, finishReason: 'stop', ...tokens, prefillMs: 1, decodeMs: 1 };
  },
});

const pause = (durationMs: number) => new Promise((resolve) => setTimeout(resolve, durationMs));

test('a reply streams in order and ends with one finish, as long as it may be', async () => {
  const connection = connected(counting(200));
  let [text, finished] = ['', 0];
  for await (const event of connection.generate(REQUEST, SIGNAL)) {
    if (event.type === 'text') text += event.text;
    else {
      finished += 1;
      expect(event.generated.text).toBe(text);
    }
  }
  expect(finished).toBe(1);
  expect(text).toBe(Array.from({ length: 200 }, (_, at) => `${at} `).join(''));
});

test('decoding waits while what was streamed is not taken', async () => {
  const said: string[] = [];
  const stream = connected(counting(1000, said)).generate(REQUEST, SIGNAL);
  await stream.next();
  await pause(50);
  expect(said.length).toBe(PIECES_AHEAD);
  for (let taken = 1; taken < PIECES_AHEAD; taken += 1) await stream.next();
  await pause(50);
  expect(said.length).toBeGreaterThan(PIECES_AHEAD);
  expect(said.length).toBeLessThanOrEqual(2 * PIECES_AHEAD);
  await stream.return(undefined);
});

test('an abort is told at once and ends the decoding; the next order is answered', async () => {
  const said: string[] = [];
  const connection = connected(counting(1_000_000, said));
  const abort = new AbortController();
  const stream = connection.generate(REQUEST, abort.signal);
  await stream.next();
  abort.abort();
  await expect(stream.next()).rejects.toMatchObject({ code: 'stopped' });
  await connection.ask({ type: 'embed', texts: ['a'] }, 'embedded');
  const reached = said.length;
  await pause(50);
  expect(said.length).toBe(reached);
  expect(await connection.score(REQUEST.messages)).toEqual(new Float32Array([1, 2]));
});

test('who stops listening stops the decoding', async () => {
  const said: string[] = [];
  const connection = connected(counting(1_000_000, said));
  for await (const event of connection.generate(REQUEST, SIGNAL)) if (event.type === 'text') break;
  await connection.ask({ type: 'embed', texts: [] }, 'embedded');
  expect(said.length).toBeLessThanOrEqual(PIECES_AHEAD + 1);
});

test('an order that waits can be aborted before its turn, and is not begun', async () => {
  const begun: string[] = [];
  const atWork = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const connection = connected({
    async embed() {
      atWork.resolve();
      await gate.promise;
      return new Float32Array(1);
    },
    async generate(_request, { signal }) {
      signal.throwIfAborted();
      begun.push('generate');
      throw new Error('it should not have begun');
    },
  });
  const first = connection.ask({ type: 'embed', texts: ['a'] }, 'embedded');
  const abort = new AbortController();
  const second = connection.generate(REQUEST, abort.signal).next();
  abort.abort();
  await expect(second).rejects.toMatchObject({ code: 'stopped' });
  await atWork.promise;
  // The abort is the message after that of the order.
  await pause(10);
  gate.resolve();
  await first;
  await connection.score(REQUEST.messages);
  expect(begun).toEqual([]);
});

test('what a model cannot be asked leaves it usable; any other failure ends it for all that wait', async () => {
  const errors = [
    new EngineError('prompt-too-long', 'too long'),
    new EngineError('not-askable', 'no eyes'),
    new Error('the session is broken'),
  ];
  const connection = connected({
    async generate() {
      throw errors.shift();
    },
  });
  const ask = () => connection.generate(REQUEST, SIGNAL).next();
  await expect(ask()).rejects.toMatchObject({ code: 'prompt-too-long', message: 'too long' });
  await expect(ask()).rejects.toMatchObject({ code: 'not-askable' });
  const [broken, waiting] = [ask(), ask()];
  await expect(broken).rejects.toMatchObject({
    code: 'failed',
    message: 'Test stopped working: the session is broken',
  });
  await expect(waiting).rejects.toMatchObject({ code: 'failed' });
  await expect(ask()).rejects.toMatchObject({ code: 'failed' });
  expect((await connection.ended).code).toBe('failed');
});

test('silence ends it; signs of life do not', async () => {
  const silent = connected({}, 60);
  await expect(silent.generate(REQUEST, SIGNAL).next()).rejects.toMatchObject({ code: 'silent' });
  const slow = connected(
    {
      async embed(_texts, tell) {
        for (let at = 0; at < 6; at += 1) {
          await pause(30);
          tell();
        }
        return new Float32Array(3);
      },
    },
    90,
  );
  const { vectors } = await slow.ask({ type: 'embed', texts: ['a'] }, 'embedded');
  expect(vectors).toHaveLength(3);
});

test('a GPU that is lost is told to all that wait, whatever they wait for', async () => {
  let lose: (message: string) => void = () => undefined;
  const connection = connected({
    async load(_model, _device, { lost }) {
      lose = lost;
    },
  });
  const model = {
    ...{ id: 'm', name: 'M', source: null, approximateBytes: 1, licence: 'MIT', notes: '' },
    ...{ roles: ['text' as const], runtime: 'transformers' as const, dtype: {}, requires: [] },
    ...{ memoryBytes: 1, otherwise: null },
    files: [{ path: 'a', bytes: null, sha256: null }],
    language: {
      ...{ architecture: 'causal' as const, context: 64, promptBudget: 32 },
      ...{ images: null, library: null, selfTest: null },
    },
  };
  await connection.ask({ type: 'load', model, device: 'webgpu' }, 'loaded');
  const waiting = connection.generate(REQUEST, SIGNAL).next();
  lose('driver reset');
  await expect(waiting).rejects.toMatchObject({ code: 'device-lost' });
  expect((await connection.ended).message).toContain('driver reset');
});

test('a message of no known form is refused by the name of what is wrong in it', async () => {
  const { port1, port2 } = new MessageChannel();
  const listened = new Promise<unknown>((resolve) => {
    serveEngine(
      {
        postMessage: () => undefined,
        addEventListener: (_type, listen) =>
          port2.addEventListener('message', (event: MessageEvent<unknown>) => {
            try {
              listen(event);
            } catch (error) {
              resolve(error);
            }
          }),
      },
      SILENT_RUNTIME,
    );
  });
  port2.start();
  port1.postMessage({ type: 'embed', id: 1, texts: [7] });
  expect(String(await listened)).toContain('texts');
});
