import { afterEach, expect, test } from 'vitest';
import { cdp } from 'vitest/browser';
import { modelStore } from '../../../src/engine/files/model-store.ts';
import { bytesOf, flakyEntry, HASH, SIZE } from './flaky-entry.ts';

const store = modelStore({ headers: {}, now: () => '2026-12-03T00:00:00.000Z' });
const { origin } = location;

afterEach(() => cdp().send('Storage.overrideQuotaForOrigin', { origin }));

test('a full disk keeps what came and says how much is missing; with room, the rest comes', async () => {
  const model = flakyEntry({ paths: ['a.json', 'b.json', 'c.json'] });
  const { usage = 0 } = await navigator.storage.estimate();
  await cdp().send('Storage.overrideQuotaForOrigin', { origin, quotaSize: usage + 2.5 * SIZE });
  await expect(store.add(model, 'download')).rejects.toMatchObject({
    code: 'no-room',
    message: expect.stringMatching(
      /gives Grove no more room\. About .*B of Flaky .* have yet to come/u,
    ),
  });
  expect((await bytesOf(model, 'a.json')).byteLength).toBe(SIZE);
  expect(await store.get(model.id)).toBeUndefined();
  await cdp().send('Storage.overrideQuotaForOrigin', { origin });
  const held = await store.add(model, 'download');
  expect(held.files.every(({ sha256 }) => sha256 === HASH)).toBe(true);
});
