import { describe, expect, it } from 'vitest';
import { EMPTY_RUN_VIEW, foldRun, type RunView } from '../../../src/core/evolve/run-view.ts';
import { isDurableEvent } from '../../../src/core/run.ts';
import { allEvents, stopsRun } from './scripted-run.ts';

/** Freezes all the way down: a fold that changes what it was given then throws. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

const fold = (events: Awaited<ReturnType<typeof allEvents>>, from: RunView = EMPTY_RUN_VIEW) =>
  events.reduce((view, event) => deepFreeze(foldRun(view, event)), from);

describe('the view of a run', () => {
  it('holds attempts, refusals and memory changes in order, the answer, and the draft', async () => {
    const view = fold(await allEvents(stopsRun()));
    expect(view.entries.map(({ type, attempt }) => [type, attempt])).toEqual([
      ['attempt', 1],
      ['proposal-reject', 1],
      ['memory-update', 1],
      ['attempt', 2],
    ]);
    expect(view).toMatchObject({ status: 'ready', answer: '7', live: null, failure: null });
    expect(view.drafts).toHaveLength(1);
    expect(view.entries[0]).toMatchObject({ steps: [{ step_id: 2 }, { step_id: 3 }] });
  });

  it('splits tokens and calls between solving and memory, each span after the one before', async () => {
    const view = fold(await allEvents(stopsRun()));
    expect(view.totals.solving).toMatchObject({ calls: 4, usage: { promptTokens: 400 } });
    expect(view.totals.memory).toMatchObject({ calls: 0, usage: { promptTokens: 0 } });
    const starts = view.entries.map(({ span }) => span.startMs);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
  });

  it('streams the text of the call in flight and touches nothing else', async () => {
    const events = await allEvents(stopsRun());
    const index = events.findLastIndex((event) => event.type === 'token-delta');
    const before = fold(events.slice(0, index));
    const after = foldRun(
      before,
      events[index] ?? { type: 'run-start', runId: '', config: stopsRun().config },
    );
    expect(after.live?.text.startsWith(before.live?.text ?? '')).toBe(true);
    expect(after.live?.role).toBe('critic');
    expect(after.entries).toBe(before.entries);
    expect(after.totals).toBe(before.totals);
  });

  it('forgets what streamed before a retry', () => {
    const started = [
      { type: 'call-start', attempt: 1, role: 'solver', ordinal: 0, backbone: 'x' },
      { type: 'token-delta', attempt: 1, role: 'solver', text: 'half', reasoning: false },
      { type: 'call-retry', attempt: 1, role: 'solver', delayMs: 500, message: 'busy' },
    ] as const;
    expect(fold([...started]).live).toMatchObject({ text: '', retry: { message: 'busy' } });
  });

  it('is the same from durable events alone, and when a replay folds onto a first part', async () => {
    const events = await allEvents(stopsRun());
    const whole = fold(events);
    expect(fold(events.filter(isDurableEvent))).toEqual(whole);
    expect(fold(events, fold(events.slice(0, 20)))).toEqual(whole);
  });

  it('keeps the last answer where the run failed', async () => {
    const events = await allEvents(stopsRun());
    const cut = events.findIndex((event) => event.type === 'memory-update');
    const view = fold([
      ...events.slice(0, cut),
      { type: 'run-fail', code: 'wrong-key', message: 'The server refused the key.', hint: null },
    ]);
    expect(view).toMatchObject({
      status: 'failed',
      answer: '8',
      failure: { code: 'wrong-key' },
    });
  });
});
