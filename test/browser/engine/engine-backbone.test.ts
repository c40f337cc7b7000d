import { expect, test } from 'vitest';
import type { ModelChunk, ModelRequest, Part } from '../../../src/core/call.ts';
import { EngineError } from '../../../src/core/models/engine.ts';
import { engineBackbone } from '../../../src/engine/engine-backbone.ts';
import { EngineDouble, entryOf, rackOver } from './rack-double.ts';

const SIGNAL = new AbortController().signal;

const requestOf = (...parts: readonly Part[]): ModelRequest => ({
  prompt: 'test@1',
  messages: [{ role: 'user', parts: [...parts] }],
  ...{ maxOutputTokens: 8, temperature: 0, sample: 0 },
});

function backboneOver(engine: EngineDouble) {
  const entry = entryOf('a');
  const rack = rackOver(engine, [entry]);
  const render = () => Promise.reject(new Error('nothing is to be rendered'));
  return { rack, backbone: engineBackbone({ entry, rack, render }) };
}

async function chunksOf(engine: EngineDouble, request: ModelRequest, signal = SIGNAL) {
  const chunks: ModelChunk[] = [];
  for await (const chunk of backboneOver(engine).backbone.generate(request, signal)) {
    chunks.push(chunk);
  }
  return chunks;
}

test('a call loads the model, streams, and says what it took in the model’s own tokens', async () => {
  const chunks = await chunksOf(new EngineDouble(), requestOf({ type: 'text', text: 'Go' }));
  expect(chunks).toEqual([
    { type: 'text-delta', text: 'Model a' },
    {
      type: 'finish',
      response: {
        ...{ text: 'Model a', reasoning: '', finishReason: 'stop', model: 'Model a' },
        usage: { promptTokens: 3, completionTokens: 2, images: 0, estimated: false },
      },
    },
  ]);
});

test('where the GPU is taken away it is loaded once more by itself, and that is told; not twice', async () => {
  const engine = new EngineDouble();
  let times = 0;
  engine.reply = async () => {
    times += 1;
    if (times === 1) engine.end('a', new EngineError('device-lost', 'the GPU is gone'));
    if (times === 1) await new Promise(() => undefined);
  };
  const chunks = await chunksOf(engine, requestOf({ type: 'text', text: 'Go' }));
  expect(chunks.map(({ type }) => type)).toEqual(['retry', 'text-delta', 'finish']);
  expect(engine.loads).toEqual(['a', 'a']);

  const hopeless = new EngineDouble();
  hopeless.reply = async () => {
    hopeless.end('a', new EngineError('device-lost', 'the GPU is gone'));
    await new Promise(() => undefined);
  };
  await expect(chunksOf(hopeless, requestOf())).rejects.toMatchObject({
    ...{ name: 'ModelCallError', code: 'model-failed', message: 'the GPU is gone' },
    hint: expect.stringContaining('continue the run'),
  });
});

test('failures have the codes of any other backbone', async () => {
  const engine = new EngineDouble();
  const image = { type: 'image', hash: 'h', mediaType: 'image/png', width: 1, height: 1 } as const;
  await expect(chunksOf(engine, requestOf(image))).rejects.toMatchObject({
    code: 'no-image-support',
  });
  engine.reply = () => Promise.reject(new EngineError('prompt-too-long', 'too long'));
  await expect(chunksOf(engine, requestOf())).rejects.toMatchObject({ code: 'context-overflow' });
  const abort = new AbortController();
  engine.reply = () =>
    new Promise((_, reject) => {
      abort.signal.addEventListener('abort', () => reject(new EngineError('stopped', 'stopped')));
    });
  const call = chunksOf(engine, requestOf(), abort.signal);
  setTimeout(() => abort.abort(), 20);
  await expect(call).rejects.toMatchObject({ code: 'aborted' });
});
