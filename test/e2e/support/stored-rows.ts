import type { Page } from 'playwright';

/** Every row of a table of Grove's database, read from any page of its origin. */
export function storedRows(page: Page, table: string): Promise<unknown[]> {
  return readAll(page, { table, what: 'getAll' });
}

/** The key of every row of a table. */
export function storedKeys(page: Page, table: string): Promise<unknown[]> {
  return readAll(page, { table, what: 'getAllKeys' });
}

function readAll(
  page: Page,
  reading: { readonly table: string; readonly what: 'getAll' | 'getAllKeys' },
): Promise<unknown[]> {
  return page.evaluate(async ({ table, what }) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('grove');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('not opened'));
    });
    const rows = await new Promise<unknown[]>((resolve, reject) => {
      const store = database.transaction(table).objectStore(table);
      const request: IDBRequest = what === 'getAll' ? store.getAll() : store.getAllKeys();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('not read'));
    });
    database.close();
    return rows;
  }, reading);
}
