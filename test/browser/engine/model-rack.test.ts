import { expect, test } from 'vitest';
import { EngineError, type LoadedModel } from '../../../src/core/models/engine.ts';
import type { RackState } from '../../../src/core/models/model-rack.ts';
import { EngineDouble, entryOf, rackOver } from './rack-double.ts';

const SIGNAL = new AbortController().signal;
const REQUEST = { messages: [], schema: null, maxNewTokens: 4, temperature: 0 };

async function replyOf(model: LoadedModel): Promise<string> {
  let text = '';
  for await (const event of model.generate(REQUEST, SIGNAL)) {
    if (event.type === 'text') text += event.text;
  }
  return text;
}

test('a model is loaded once for all that ask, and its state is told on the way', async () => {
  const engine = new EngineDouble();
  const rack = rackOver(engine, [entryOf('a')]);
  const seen: (RackState | undefined)[] = [];
  rack.watch((states) => seen.push(states.get('a')));
  const [first, second] = await Promise.all([rack.load('a'), rack.load('a')]);
  expect(first).toBe(second);
  expect(engine.loads).toEqual(['a']);
  expect(await replyOf(first)).toBe('Model a');
  expect(seen.map((state) => (state?.type === 'loading' ? state.phase : state?.type))).toEqual([
    ...['waiting', 'compiling', 'checking', 'ready'],
    ...['ready', 'ready'],
  ]);
  rack.unload('a');
  expect(rack.states.size).toBe(0);
  await rack.load('a');
  expect(engine.loads).toEqual(['a', 'a']);
});

test('what was used longest ago makes room; what is at work stays', async () => {
  const engine = new EngineDouble();
  const rack = rackOver(engine, [
    entryOf('a', 4),
    entryOf('b', 4),
    entryOf('c', 4),
    entryOf('d', 4),
  ]);
  const a = await rack.load('a');
  await rack.load('b');
  await replyOf(a);
  await rack.load('c');
  expect(engine.unloads).toEqual(['b']);
  const gate = Promise.withResolvers<void>();
  engine.reply = () => gate.promise;
  const busy = replyOf(a);
  await rack.load('d');
  expect(engine.unloads).toEqual(['b', 'c']);
  gate.resolve();
  expect(await busy).toBe('Model a');
});

test('one load at a time; one that waits can be given up', async () => {
  const engine = new EngineDouble();
  const gate = Promise.withResolvers<void>();
  engine.gate = () => gate.promise;
  const rack = rackOver(engine, [entryOf('a'), entryOf('b')]);
  const a = rack.load('a');
  const b = rack.load('b');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(rack.states.get('b')).toEqual({ type: 'loading', phase: 'waiting' });
  rack.unload('b');
  await expect(b).rejects.toMatchObject({ code: 'stopped' });
  gate.resolve();
  await a;
  expect(engine.loads).toEqual(['a']);
});

test('whoever gives up waiting leaves the load to the others', async () => {
  const engine = new EngineDouble();
  const gate = Promise.withResolvers<void>();
  engine.gate = () => gate.promise;
  const rack = rackOver(engine, [entryOf('a')]);
  const abort = new AbortController();
  const given = rack.load('a', abort.signal);
  abort.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  gate.resolve();
  await rack.load('a');
  expect(engine.loads).toEqual(['a']);
});

test('a model that another tab is loading is not loaded here too', async () => {
  const engine = new EngineDouble();
  const rack = rackOver(engine, [entryOf('a')]);
  const other = Promise.withResolvers<void>();
  await new Promise<void>((held) => {
    void navigator.locks.request('grove.model-loading.a', () => {
      held();
      return other.promise;
    });
  });
  await expect(rack.load('a')).rejects.toMatchObject({ code: 'busy' });
  expect(rack.states.get('a')).toMatchObject({ type: 'failed', code: 'busy' });
  other.resolve();
  await new Promise((resolve) => setTimeout(resolve, 10));
  await rack.load('a');
  expect(rack.states.get('a')?.type).toBe('ready');
});

test('a model that computes wrongly is unloaded, and one that is not here is named so', async () => {
  const engine = new EngineDouble();
  const check = () => Promise.reject(new EngineError('wrong-answer', 'it said 5'));
  const rack = rackOver(engine, [entryOf('a')], { check });
  await expect(rack.load('a')).rejects.toMatchObject({ code: 'wrong-answer' });
  expect(engine.unloads).toEqual(['a']);
  expect(rack.states.get('a')).toMatchObject({ type: 'failed', code: 'wrong-answer' });
  await expect(rack.load('z')).rejects.toMatchObject({ code: 'missing-file' });
});

test('a model that ends by itself is told, and loads anew when it is asked for', async () => {
  const engine = new EngineDouble();
  const rack = rackOver(engine, [entryOf('a')]);
  await rack.load('a');
  engine.end('a', new EngineError('device-lost', 'the GPU is gone'));
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(rack.states.get('a')).toMatchObject({ type: 'failed', code: 'device-lost' });
  expect(await replyOf(await rack.load('a'))).toBe('Model a');
});
