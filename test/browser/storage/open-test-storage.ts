import { onTestFinished } from 'vitest';
import {
  openStorage,
  type GroveStorage,
  type StorageOptions,
} from '../../../src/storage/open-storage.ts';
import { deleteDatabase, ids } from './material.ts';

/** Opens a storage that is closed and deleted when the test ends. */
export async function openTestStorage(options: StorageOptions = {}): Promise<GroveStorage> {
  const name = options.name ?? `test-${ids.next()}`;
  const storage = await openStorage({ ...options, name });
  onTestFinished(async () => {
    await storage.close();
    await deleteDatabase(name);
  });
  return storage;
}
