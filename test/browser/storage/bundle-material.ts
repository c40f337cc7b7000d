import { bundleBank, type BundleBank } from '../../core/transfer/bundle/bundle-bank.ts';
import type { GroveStorage } from '../../../src/storage/open-storage.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { heldBanks } from '../../../src/storage/archive/bundle/held-banks.ts';
import { exportBundle, previewExport } from '../../../src/storage/archive/bundle/export-bundle.ts';
import { importBundle } from '../../../src/storage/archive/bundle/import-bundle.ts';
import { onTestFinished } from 'vitest';
import { freshName } from './filled.ts';
import { ids, START } from './material.ts';
import { openTestStorage } from './open-test-storage.ts';

export const NOW = '2026-02-03T04:05:06.000Z';

/** How an import is asked for in these tests. */
export const ASKED = { now: NOW, fileName: 'metro.grove' };

/** A bank drawn from `seed` under an id that no other test uses. */
export function freshBank(seed: number, size = 80): BundleBank {
  const bank = bundleBank(seed, size);
  return { ...bank, manifest: { ...bank.manifest, id: ids.next() } };
}

/** Puts a bank, or the beginning of it, and its images into a storage. */
export async function putBank(
  { banks, blobs }: GroveStorage,
  { manifest, entries, images }: BundleBank,
  length = entries.length,
): Promise<void> {
  for (const bytes of images.values()) await blobs.put(bytes, 'image/png');
  await banks.createBank(manifest);
  await banks.append(manifest.id, START, entries.slice(0, length));
}

/**
 * A storage whose bundles are worked on here, over a connection of their own, and not in a worker: a
 * worker takes a second to load from the test server.
 */
export async function openWithBundles({ name = freshName() } = {}): Promise<GroveStorage> {
  const storage = await openTestStorage({ name });
  const database = await openDatabase({ name });
  onTestFinished(() => database.shut());
  return {
    ...storage,
    bundles: {
      ...heldBanks(database),
      previewExport: (bankId, options) => previewExport(database, bankId, options),
      exportBundle: (bankId, options) => exportBundle(database, bankId, options),
      importBundle: (file, options) => importBundle(database, file, options),
    },
  };
}
