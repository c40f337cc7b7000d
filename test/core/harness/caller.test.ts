import { describe, expect, it } from 'vitest';
import { requestHash, type ModelChunk, type ModelRequest } from '../../../src/core/call.ts';
import { makeCaller, type CallerOptions } from '../../../src/core/harness/caller.ts';
import type { CallEvent, Caller } from '../../../src/core/harness/harness.ts';
import type { Backbone } from '../../../src/core/ports.ts';
import { MemoryJournal, ScriptedBackbone, steppingClock } from '../evolve/scripted-run.ts';

const request: ModelRequest = {
  prompt: 'direct-solver@1',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
  maxOutputTokens: 10,
  temperature: 0,
  sample: 0,
};

function options(overrides: Partial<CallerOptions> & { readonly serve?: Backbone } = {}) {
  const { serve = new ScriptedBackbone(() => 'one two'), ...rest } = overrides;
  return {
    journal: new MemoryJournal(),
    backbone: () => serve,
    clock: steppingClock(0, 5),
    runId: 'r',
    attempt: 1,
    signal: new AbortController().signal,
    localOnly: false,
    ...rest,
  };
}

async function call(caller: Caller, role: 'solver' | 'critic' = 'solver', of = request) {
  const events: CallEvent[] = [];
  const run = caller.call(role, of);
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done === true) return { record: next.value, events };
    events.push(next.value);
  }
}

describe('a caller', () => {
  it('counts ordinals by role and keys by the request’s hash', async () => {
    const caller = makeCaller(options());
    const keys = [
      (await call(caller)).record.key,
      (await call(caller, 'critic')).record.key,
      (await call(caller)).record.key,
    ];
    expect(keys.map(({ role, ordinal }) => [role, ordinal])).toEqual([
      ['solver', 0],
      ['critic', 0],
      ['solver', 1],
    ]);
    expect(keys[0]).toMatchObject({ runId: 'r', attempt: 1, requestHash: requestHash(request) });
    expect(caller.records).toHaveLength(3);
  });

  it('returns a recorded call with no event and the duration it had', async () => {
    const journal = new MemoryJournal();
    const first = await call(makeCaller(options({ journal })));
    expect(first.events.map(({ type }) => type)).toEqual([
      'call-start',
      'token-delta',
      'token-delta',
    ]);
    const again = await call(makeCaller(options({ journal, clock: steppingClock(900, 50) })));
    expect(again).toEqual({ record: first.record, events: [] });
  });

  it('makes the call again where the request is another', async () => {
    const journal = new MemoryJournal();
    await call(makeCaller(options({ journal })));
    const other = { ...request, temperature: 1 };
    const { events } = await call(makeCaller(options({ journal })), 'solver', other);
    expect(events).not.toEqual([]);
    expect(journal.records.size).toBe(2);
  });

  it('stores a call before it returns', async () => {
    const journal = new MemoryJournal();
    const { record } = await call(makeCaller(options({ journal })));
    expect(await journal.find(record.key)).toEqual(record);
  });

  it('passes on retries and reasoning, and mends half a surrogate pair', async () => {
    const serve: Backbone = {
      id: 'x',
      label: 'x',
      device: 'remote',
      async *generate(): AsyncGenerator<ModelChunk> {
        yield { type: 'retry', attempt: 1, delayMs: 500, message: 'busy' };
        yield { type: 'reasoning-delta', text: 'hm' };
        const usage = { promptTokens: 1, completionTokens: 1, images: 0, estimated: false };
        const rest = { reasoning: 'hm', finishReason: 'stop' as const, usage, model: 'm' };
        yield { type: 'finish', response: { text: 'a\ud83d', ...rest } };
      },
    };
    const { events, record } = await call(makeCaller(options({ serve })));
    expect(events.slice(1)).toEqual([
      { type: 'call-retry', role: 'solver', delayMs: 500, message: 'busy' },
      { type: 'token-delta', role: 'solver', text: 'hm', reasoning: true },
    ]);
    expect(record.response.text).toBe('a\ufffd');
  });

  it('throws aborted before it starts a call once the signal has fired', async () => {
    const serve = new ScriptedBackbone(() => 'x');
    const caller = makeCaller(options({ serve, signal: AbortSignal.abort() }));
    await expect(call(caller)).rejects.toMatchObject({ code: 'aborted' });
    expect(serve.requests).toEqual([]);
  });

  it('closes the stream where its consumer leaves', async () => {
    let closed = false;
    const serve: Backbone = {
      id: 'x',
      label: 'x',
      device: 'this-device',
      async *generate(): AsyncGenerator<ModelChunk> {
        try {
          while (true) yield { type: 'text-delta', text: 'x' };
        } finally {
          closed = true;
        }
      },
    };
    for await (const event of makeCaller(options({ serve })).call('solver', request)) {
      if (event.type === 'token-delta') break;
    }
    expect(closed).toBe(true);
  });
});
