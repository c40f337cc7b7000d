import { describe, expect, test } from 'vitest';
import { hashBytes } from '../../../src/core/canonical.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { Database } from '../../../src/storage/database.ts';
import { bytesOf, callOf, draftOf, ids, runOf, taskOf } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';

describe('images', () => {
  test('come back byte for byte under the hash of their bytes', async () => {
    const { blobs } = await openTestStorage();
    const bytes = bytesOf(1, 300_000);
    const hash = await blobs.put(bytes, 'image/png');
    expect(hash).toBe(hashBytes(bytes));
    const stored = await blobs.get(hash);
    expect(stored).toMatchObject({ hash, mediaType: 'image/png' });
    expect(hashBytes(stored?.bytes ?? new Uint8Array())).toBe(hash);
    expect(await blobs.get('0'.repeat(64))).toBeUndefined();
  });

  test('are stored once, with their first media type', async () => {
    const storage = await openTestStorage();
    const hash = await storage.blobs.put(bytesOf(1, 100), 'image/png');
    await storage.blobs.put(bytesOf(1, 100), 'image/webp');
    expect((await storage.blobs.get(hash))?.mediaType).toBe('image/png');
    expect(await storage.usage()).toMatchObject({ images: 1, imageBytes: 100 });
  });

  test('cut from a larger buffer are stored without the rest of it', async () => {
    const { blobs } = await openTestStorage();
    const hash = await blobs.put(bytesOf(1, 1000).subarray(10, 20), 'image/png');
    expect((await blobs.get(hash))?.bytes.buffer.byteLength).toBe(10);
  });
});

describe('runs', () => {
  test('are listed newest first, with their events in order', async () => {
    const { runs } = await openTestStorage();
    const task = taskOf('How many stops?', []);
    await runs.putTask(task);
    const made = ['2026-01-02', '2026-01-03', '2026-01-01'].map((day) =>
      runOf(task, null, `${day}T00:00:00.000Z`),
    );
    for (const run of made) await runs.putRun(run);
    const [second, first] = made;
    expect((await runs.listRuns(2)).map(({ id }) => id)).toEqual([first?.id, second?.id]);
    const runId = first?.id ?? '';
    const event = (attempts: number) =>
      ({ type: 'run-finish', end: 'ready', answer: '7', attempts }) as const;
    for (const index of [10, 2, 0, 1]) await runs.putEvent(runId, index, event(index));
    await runs.putEvent(runId, 2, event(2));
    expect(await runs.getEvents(runId)).toEqual([0, 1, 2, 10].map(event));
    await runs.deleteEventsFrom(runId, 2);
    expect(await runs.getEvents(runId)).toEqual([0, 1].map(event));
    expect(await runs.getTask(task.id)).toEqual(task);
    expect(await runs.getRun(runId)).toEqual(first);
    expect(await runs.getRun('another')).toBeUndefined();
  });

  test('go with their events, calls and drafts, and with nothing of another run', async () => {
    const storage = await openTestStorage();
    const task = taskOf('How many stops?', []);
    const gone = runOf(task, 'bank', '2026-01-01T00:00:00.000Z');
    const stays = runOf(task, 'bank', '2026-01-02T00:00:00.000Z');
    for (const run of [gone, stays]) {
      await storage.runs.putRun(run);
      await storage.runs.putEvent(run.id, 0, {
        type: 'run-start',
        runId: run.id,
        config: run.config,
      });
      await storage.journal.record(callOf(run.id, 0, 'image'));
      await storage.runs.putDraft(draftOf(run.id, 'bank', 1, null));
    }
    await storage.runs.deleteRun(gone.id);
    expect(await storage.runs.getRun(gone.id)).toBeUndefined();
    expect(await storage.runs.getEvents(gone.id)).toEqual([]);
    expect(await storage.journal.find(callOf(gone.id, 0, 'image').key)).toBeUndefined();
    expect(await storage.runs.getEvents(stays.id)).toHaveLength(1);
    expect(await storage.journal.find(callOf(stays.id, 0, 'image').key)).toBeDefined();
    expect((await storage.runs.listDrafts('bank')).map(({ runId }) => runId)).toEqual([stays.id]);
  });

  test('whose stored row is damaged are refused with the path that does not fit', async () => {
    const name = `test-${ids.next()}`;
    const { runs } = await openTestStorage({ name });
    const run = runOf(taskOf('How many stops?', []), null, '2026-01-01T00:00:00.000Z');
    await runs.putRun(run);
    const raw = new Database({ name });
    await raw.open();
    await raw.runs.update(run.id, (row: { run: object }) => {
      row.run = { ...run, config: { ...run.config, attemptLimit: 'five' } };
    });
    raw.close();
    const refused = runs.getRun(run.id);
    await expect(refused).rejects.toMatchObject({ name: 'StorageError', code: 'corrupt' });
    await expect(refused).rejects.toThrow('run.config.attemptLimit');
  });
});

describe('drafts', () => {
  test('wait by bank, oldest first, until they are decided', async () => {
    const { runs } = await openTestStorage();
    const drafts = [1, 2, 3].map((number) => draftOf('run', 'bank', number, null));
    for (const draft of drafts.toReversed()) await runs.putDraft(draft);
    await runs.putDraft(draftOf('run', 'another bank', 4, null));
    expect(await runs.listDrafts('bank')).toEqual(drafts);
    await runs.deleteDraft(drafts[1]?.id ?? '');
    expect(await runs.listDrafts('bank')).toEqual([drafts[0], drafts[2]]);
  });
});

describe('drafts put at once', () => {
  test('are all there, and go again at once', async () => {
    const storage = await openTestStorage();
    const drafts = Array.from({ length: 1000 }, (_, at) => draftOf('import', 'bank', at, null));
    const seen: number[] = [];
    const stop = storage.watch.drafts('bank').subscribe((waiting) => {
      if (waiting !== undefined) seen.push(waiting.length);
    });
    await expect.poll(() => seen).toEqual([0]);
    await storage.runs.putDrafts(drafts);
    await expect.poll(() => seen).toEqual([0, 1000]);
    await storage.runs.deleteDrafts([...drafts.map(({ id }) => id), 'not there']);
    await expect.poll(() => seen).toEqual([0, 1000, 0]);
    stop();
  });

  test('are all left out where one of them cannot be stored', async () => {
    const { runs } = await openTestStorage();
    const known = draftOf('run', 'bank', 0, null);
    await runs.putDraft(known);
    const drafts = [1, 2, 3].map((number) => draftOf('import', 'bank', number, null));
    // A function cannot be cloned: the browser refuses the row after it took the two before.
    const odd = Object.assign(draftOf('import', 'bank', 4, null), { more: () => 4 });
    await expect(runs.putDrafts([...drafts.slice(0, 2), odd, ...drafts.slice(2)])).rejects.toThrow(
      StorageError,
    );
    expect(await runs.listDrafts('bank')).toEqual([known]);
  });
});

describe('the call journal', () => {
  test('keeps the first record of a key', async () => {
    const { journal } = await openTestStorage();
    const call = callOf('run', 0, 'image');
    await journal.record(call);
    await journal.record({ ...call, durationMs: 99_999 });
    expect(await journal.find(call.key)).toEqual(call);
  });

  test('keeps one record where two tabs record the same call at once', async () => {
    const name = `test-${ids.next()}`;
    const [first, second] = [await openTestStorage({ name }), await openTestStorage({ name })];
    const call = callOf('run', 0, 'image');
    await Promise.all([first.journal.record(call), second.journal.record(call)]);
    expect(await second.journal.find(call.key)).toEqual(call);
  });

  test('tells samples, ordinals and requests apart', async () => {
    const { journal } = await openTestStorage();
    const call = callOf('run', 0, 'image');
    await journal.record(call);
    expect(await journal.find({ ...call.key, sample: 1 })).toBeUndefined();
    expect(await journal.find({ ...call.key, ordinal: 1 })).toBeUndefined();
    expect(await journal.find({ ...call.key, requestHash: 'x' })).toBeUndefined();
  });
});

test('references lie apart from tasks', async () => {
  const { references } = await openTestStorage();
  await references.putReference({ taskId: 'task', answers: ['7', 'seven'] });
  expect(await references.getReference('task')).toEqual({
    taskId: 'task',
    answers: ['7', 'seven'],
  });
  expect(await references.getReference('another')).toBeUndefined();
});

test('settings are any JSON by key', async () => {
  const { settings } = await openTestStorage();
  expect(await settings.get('theme')).toBeUndefined();
  await settings.set('theme', 'dark');
  await settings.set('endpoints', [{ id: 'a', url: 'http://localhost:8000/v1' }]);
  expect(await settings.get('theme')).toBe('dark');
  expect(await settings.get('endpoints')).toEqual([{ id: 'a', url: 'http://localhost:8000/v1' }]);
  await settings.remove('theme');
  expect(await settings.get('theme')).toBeUndefined();
});

test('the ledger is read newest first', async () => {
  const { ledger } = await openTestStorage();
  for (const host of ['one', 'two', 'three']) {
    await ledger.append({ at: '2026-01-01T00:00:00.000Z', host, bytes: 10 });
  }
  expect((await ledger.list(2)).map((record) => record['host'])).toEqual(['three', 'two']);
  await ledger.clear();
  expect(await ledger.list(2)).toEqual([]);
});

test('a closed storage lets writes that began finish, and refuses later calls', async () => {
  const name = `test-${ids.next()}`;
  const storage = await openTestStorage({ name });
  const writing = storage.settings.set('late', 1);
  await storage.close();
  await writing;
  await expect(storage.settings.get('late')).rejects.toMatchObject({ code: 'closed' });
  await expect(storage.settings.get('late')).rejects.toBeInstanceOf(StorageError);
  const again = await openTestStorage({ name });
  expect(await again.settings.get('late')).toBe(1);
});
