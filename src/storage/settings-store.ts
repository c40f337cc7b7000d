import type { Json } from '../core/canonical.ts';
import type { Database } from './database.ts';
import { ledgerRecordSchema, parseRow, settingRowSchema, type LedgerRecord } from './rows.ts';

/** Settings by key. A key that begins with `secret.` is a secret: stored here, never backed up. */
export interface SettingsStore {
  /** Undefined where nothing was set. The caller parses the value with its own schema. */
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  remove(key: string): Promise<void>;
}

/** The record of requests, kept in the order they were written. */
export interface LedgerStore {
  append(record: LedgerRecord): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<readonly LedgerRecord[]>;
  clear(): Promise<void>;
}

/** One setting as it stands. Runs inside a read transaction or a live query. */
export async function settingOf(database: Database, key: string): Promise<Json | undefined> {
  const row = await database.settings.get(key);
  return row && parseRow(settingRowSchema, row, `setting ${key}`).value;
}

/** The newest ledger records, newest first. Runs inside a read transaction or a live query. */
export async function newestLedger(database: Database, limit: number): Promise<LedgerRecord[]> {
  const rows = await database.ledger.orderBy('id').reverse().limit(limit).toArray();
  return rows.map((row) => parseRow(ledgerRecordSchema, row.entry, 'ledger record'));
}

export function settingsStore(database: Database): SettingsStore {
  const { settings } = database;
  return {
    get: (key) => database.read('read a setting', [settings], () => settingOf(database, key)),
    async set(key, value) {
      await database.write('keep a setting', [settings], () => settings.put({ key, value }));
    },
    async remove(key) {
      await database.write('remove a setting', [settings], () => settings.delete(key));
    },
  };
}

export function ledgerStore(database: Database): LedgerStore {
  const { ledger } = database;
  return {
    async append(record) {
      await database.write('write the ledger', [ledger], () =>
        ledger.add({ at: record.at, entry: record }),
      );
    },
    list: (limit) =>
      database.read('read the ledger', [ledger], () => newestLedger(database, limit)),
    async clear() {
      await database.write('clear the ledger', [ledger], () => ledger.clear());
    },
  };
}
