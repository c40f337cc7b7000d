import { expect, test } from 'vitest';
import { hashBytes } from '../../../src/core/canonical.ts';
import type { BundleProgress } from '../../../src/core/transfer/bundle/bundle-progress.ts';
import { ASKED, freshBank, putBank } from './bundle-material.ts';
import { contents, freshName } from './filled.ts';
import { openTestStorage } from './open-test-storage.ts';

test('in a worker, a bundle goes there and back, is stopped and is refused as it is here', async () => {
  const here = await openTestStorage();
  const bank = freshBank(41, 120);
  await putBank(here, bank);
  const first = await here.bundles.exportBundle(bank.manifest.id);
  const preview = await here.bundles.previewExport(bank.manifest.id);
  expect(preview.images).toHaveLength(first.manifest.counts.crops);

  const name = freshName();
  const there = await openTestStorage({ name });
  const empty = await contents(name);
  const controller = new AbortController();
  const reason = new Error('changed my mind');
  const told: BundleProgress[] = [];
  const onProgress = (progress: BundleProgress) => {
    told.push(progress);
    controller.abort(reason);
  };
  const stopped = there.bundles.importBundle(first.file, {
    ...ASKED,
    signal: controller.signal,
    onProgress,
  });
  await expect(stopped).rejects.toBe(reason);
  expect(told.length).toBeGreaterThan(0);
  expect(await contents(name)).toEqual(empty);

  const cut = there.bundles.importBundle(first.file.slice(0, 5000), ASKED);
  await expect(cut).rejects.toMatchObject({ name: 'BundleError', code: 'truncated' });
  await expect(there.bundles.exportBundle('nothing')).rejects.toMatchObject({
    name: 'StorageError',
    code: 'not-found',
  });

  const outcome = await there.bundles.importBundle(first.file, ASKED);
  if (outcome.type !== 'held') throw new Error(outcome.type);
  await there.bundles.trustHeld(outcome.bank.heldId);
  const again = await there.bundles.exportBundle(bank.manifest.id);
  const bytes = async (file: Blob) => hashBytes(new Uint8Array(await file.arrayBuffer()));
  expect(await bytes(again.file)).toBe(await bytes(first.file));
}, 60_000);
