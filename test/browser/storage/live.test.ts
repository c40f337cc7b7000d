import { expect, onTestFinished, test } from 'vitest';
import { get } from 'svelte/store';
import type { Live } from '../../../src/storage/live.ts';
import { draftOf, entriesFrom, headOf, ids, manifestOf } from './material.ts';
import { runOf, START, taskOf } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';

/** Follows a live value; `until` waits for a value that fits. */
function follow<T>(live: Live<T>) {
  const seen: (T | undefined)[] = [];
  let look: () => void = () => undefined;
  const stop = live.subscribe((value) => {
    seen.push(value);
    look();
  });
  onTestFinished(stop);
  const until = (fits: (value: T) => boolean) =>
    new Promise<T>((resolve) => {
      look = () => {
        const last = seen.at(-1);
        if (last !== undefined && fits(last)) resolve(last);
      };
      look();
    });
  return { seen, until, stop };
}

test('a live value is a Svelte store, undefined until its first answer', async () => {
  const { watch } = await openTestStorage();
  expect(get(watch.banks())).toBeUndefined();
  const banks = follow(watch.banks());
  expect(banks.seen).toEqual([undefined]);
  expect(await banks.until(() => true)).toEqual([]);
});

test('what one tab writes, another sees', async () => {
  const name = `test-${ids.next()}`;
  const writer = await openTestStorage({ name });
  const { watch } = await openTestStorage({ name });
  const manifest = manifestOf('Metro');
  const banks = follow(watch.banks());
  const head = follow(watch.bankHead(manifest.id));
  const runs = follow(watch.runs(10));
  const drafts = follow(watch.drafts(manifest.id));
  const ledger = follow(watch.ledger(10));
  const usage = follow(watch.usage());
  const theme = follow(watch.setting('theme'));
  expect(await head.until(() => true)).toBeNull();

  await writer.banks.createBank(manifest);
  expect(await banks.until((list) => list.length === 1)).toEqual([{ manifest, head: START }]);
  const entries = entriesFrom(START, 3);
  await writer.banks.append(manifest.id, START, entries);
  expect(await head.until((value) => value?.seq === 3)).toEqual(headOf(entries));

  const run = runOf(taskOf('How many stops?', []), manifest.id, '2026-01-01T00:00:00.000Z');
  const events = follow(watch.events(run.id));
  await writer.runs.putRun(run);
  expect(await runs.until((list) => list.length === 1)).toEqual([run]);
  await writer.runs.putEvent(run.id, 0, { type: 'run-start', runId: run.id, config: run.config });
  await events.until((list) => list.length === 1);

  await writer.runs.putDraft(draftOf(run.id, manifest.id, 1, null));
  await drafts.until((list) => list.length === 1);
  await writer.ledger.append({ at: '2026-01-01T00:00:00.000Z', host: 'localhost' });
  await ledger.until((list) => list.length === 1);
  await writer.settings.set('theme', 'dark');
  await theme.until((value) => value === 'dark');
  await writer.blobs.put(new Uint8Array(5000), 'image/png');
  expect(await usage.until(({ images }) => images === 1)).toMatchObject({
    imageBytes: 5000,
    banks: 1,
    runs: 1,
  });
});

test('what another page writes, this one sees', async () => {
  const name = `test-${ids.next()}`;
  const { watch } = await openTestStorage({ name });
  const theme = follow(watch.setting('theme'));
  expect(await theme.until(() => true)).toBeNull();
  const frame = document.createElement('iframe');
  // Another realm with its own modules: only the database and a BroadcastChannel lie between.
  const source = new URL('../../../src/storage/open-storage.ts', import.meta.url).href;
  frame.srcdoc = `<script type="module">
    const { openStorage } = await import(${JSON.stringify(source)});
    const storage = await openStorage({ name: ${JSON.stringify(name)} });
    await storage.settings.set('theme', 'from another page');
    await storage.close();
  </script>`;
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  expect(await theme.until((value) => value !== null)).toBe('from another page');
});

test('a value nobody follows any more is not called again', async () => {
  const { watch, settings } = await openTestStorage();
  const first = follow(watch.setting('theme'));
  const second = follow(watch.setting('theme'));
  await first.until((value) => value === null);
  await second.until((value) => value === null);
  first.stop();
  await settings.set('theme', 'dark');
  await second.until((value) => value === 'dark');
  expect(first.seen).toEqual([undefined, null]);
});
