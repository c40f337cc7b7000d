import { expect, onTestFinished, test } from 'vitest';
import { cdp } from 'vitest/browser';
import { hashBytes } from '../../../src/core/canonical.ts';
import { bytesOf, entriesFrom, manifestOf, START } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';

const MEGABYTE = 1_000_000;

/** What the provider's session can do; its own type names no domain of the protocol. */
interface Session {
  send(method: string, parameters: object): Promise<unknown>;
}

const { origin } = location;

function send(method: string, parameters: object): Promise<unknown> {
  const session = cdp() as unknown as Session;
  return session.send(method, { origin, ...parameters });
}

async function setQuota(quotaSize?: number): Promise<void> {
  const size = quotaSize === undefined ? {} : { quotaSize };
  await send('Storage.overrideQuotaForOrigin', size);
  const answer = await send('Storage.getUsageAndQuota', {});
  expect(answer).toMatchObject({ overrideActive: quotaSize !== undefined });
}

/**
 * Chromium remembers for some seconds how much room an origin had, and lets writes pass on that.
 * Forgetting the origin's databases (of tests that are over: each page has its own) forgets that too.
 */
async function forgetRoom(): Promise<void> {
  await send('Storage.clearDataForOrigin', { storageTypes: 'indexeddb' });
}

test('usage is told in plain numbers', async () => {
  const storage = await openTestStorage();
  await storage.blobs.put(bytesOf(1, 1234), 'image/png');
  const usage = await storage.usage();
  expect(usage).toMatchObject({ images: 1, imageBytes: 1234, runs: 0, banks: 0 });
  expect(usage.quotaBytes).toBeGreaterThan(usage.usedBytes);
  const promised = await storage.persist();
  expect(typeof promised).toBe('boolean');
  expect((await storage.usage()).persisted).toBe(promised);
});

test('when the browser has no more room, the write is refused by name and what is stored stays', async () => {
  onTestFinished(() => setQuota());
  await forgetRoom();
  const storage = await openTestStorage();
  const { usage = 0 } = await navigator.storage.estimate();
  await setQuota(usage + 6 * MEGABYTE);

  const stored: string[] = [];
  const fill = async () => {
    for (let seed = 0; seed < 40; seed += 1) {
      stored.push(await storage.blobs.put(bytesOf(seed, MEGABYTE), 'image/png'));
    }
  };
  await expect(fill()).rejects.toMatchObject({ name: 'StorageError', code: 'quota-exceeded' });
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.length).toBeLessThan(10);
  for (const [seed, hash] of stored.entries()) {
    const bytes = (await storage.blobs.get(hash))?.bytes;
    expect(bytes && hashBytes(bytes), `image ${seed}`).toBe(hash);
  }

  // With room again, everything goes on over the same connection.
  await setQuota();
  const manifest = manifestOf('Metro');
  await storage.banks.createBank(manifest);
  const entries = entriesFrom(START, 100);
  await storage.banks.append(manifest.id, START, entries);
  // A large append fails whole; the bank stands where it stood.
  await setQuota(1);
  // Until Chromium looks at it: it remembers the room there was for some seconds.
  const isFull = async (seed: number) =>
    storage.blobs.put(bytesOf(seed, MEGABYTE), 'image/png').then(
      () => false,
      () => true,
    );
  let seed = 100;
  await expect.poll(() => isFull((seed += 1)), { timeout: 30_000, interval: 500 }).toBe(true);
  const head = { seq: 100, hash: entries.at(-1)?.hash ?? '' };
  const more = storage.banks.append(manifest.id, head, entriesFrom(head, 5000));
  await expect(more).rejects.toMatchObject({ code: 'quota-exceeded' });
  await setQuota();
  expect(await storage.banks.getBank(manifest.id)).toMatchObject({ head });
  expect(await storage.banks.readLog(manifest.id, 0)).toEqual(entries);
}, 60_000);
