import { expect, onTestFinished, test } from 'vitest';
import { withoutRuns, withRunLock } from '../../../src/storage/locks.ts';
import { ids, runOf, taskOf } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';

/** Another page: a frame of the same origin, which takes the lock and keeps it until it is removed. */
async function otherPageHolding(name: string): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  const locks = frame.contentWindow?.navigator.locks;
  if (locks === undefined) throw new Error('the frame has no locks');
  await new Promise<void>((held) => {
    void locks
      .request(name, () => {
        held();
        return new Promise(() => undefined);
      })
      .catch(() => undefined);
  });
  return frame;
}

test('a run is driven once at a time in a page', async () => {
  const runId = ids.next();
  const outcome = await withRunLock(runId, async () => {
    const second = await withRunLock(runId, async () => 'driven twice');
    const another = await withRunLock(ids.next(), async () => 'another run');
    return { second, another };
  });
  expect(outcome).toMatchObject({
    ok: true,
    value: {
      second: { ok: false, refusal: { reason: 'held-by-this-page' } },
      another: { ok: true, value: 'another run' },
    },
  });
  expect(await withRunLock(runId, async () => 'after')).toEqual({ ok: true, value: 'after' });
});

test('a run that another page drives is refused with who has it, and free when that page goes', async () => {
  const runId = ids.next();
  const frame = await otherPageHolding(`grove-run-${runId}`);
  const refused = await withRunLock(runId, async () => 'driven twice');
  expect(refused).toMatchObject({ ok: false, refusal: { reason: 'held-by-another-page' } });
  frame.remove();
  // The browser frees the locks of a page that went; waiting for the lock is waiting for that.
  await navigator.locks.request(`grove-run-${runId}`, async () => undefined);
  expect(await withRunLock(runId, async () => 'free')).toEqual({ ok: true, value: 'free' });
});

test('a failure inside a driven run frees it', async () => {
  const runId = ids.next();
  const failing = withRunLock(runId, () => Promise.reject(new Error('the run failed')));
  await expect(failing).rejects.toThrow('the run failed');
  expect(await withRunLock(runId, async () => 1)).toEqual({ ok: true, value: 1 });
});

test('nothing is erased or replaced while a run goes on, and no run starts meanwhile', async () => {
  const storage = await openTestStorage();
  const task = taskOf('How many stops?', []);
  const run = runOf(task, null, '2026-01-01T00:00:00.000Z');
  await storage.runs.putTask(task);
  await storage.runs.putRun(run);
  const outcome = await storage.withRunLock(run.id, async () => ({
    everything: await storage.eraseEverything(),
    task: await storage.eraseTask(task.id),
  }));
  expect(outcome).toMatchObject({
    ok: true,
    value: {
      everything: { ok: false, refusal: { reason: 'held-by-this-page' } },
      task: { ok: false, refusal: { reason: 'held-by-this-page' } },
    },
  });
  expect(await storage.runs.getRun(run.id)).toEqual(run);
  const during = await withoutRuns(() => storage.withRunLock(run.id, async () => 'started'));
  expect(during).toMatchObject({ ok: true, value: { ok: false } });
});
