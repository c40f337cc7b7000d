import { liveQuery } from 'dexie';
import type { Json } from '../core/canonical.ts';
import type { StorageError } from '../core/errors.ts';
import type { BankInfo, LogHead } from '../core/ports.ts';
import type { LessonDraft, RunEvent, RunRecord } from '../core/run.ts';
import { publishedBank, publishedBanks } from './bank-store.ts';
import type { Database } from './database.ts';
import type { LedgerRecord } from './rows.ts';
import { draftsOf, newestRuns, ofRun } from './run-store.ts';
import { newestLedger, settingOf } from './settings-store.ts';
import { storageFailure } from './storage-failure.ts';
import { measureUsage, type Usage } from './usage.ts';

/**
 * A value that keeps in step with the database, whichever tab writes to it. Shaped as a Svelte store:
 * the subscriber is called at once, with undefined until the first answer is there.
 */
export interface Live<T> {
  subscribe(this: void, run: (value: T | undefined) => void): () => void;
}

/** What pages can watch. */
export interface Watches {
  banks(): Live<readonly BankInfo[]>;
  /** The head of a published bank; null where there is none. */
  bankHead(bankId: string): Live<LogHead | null>;
  bank(bankId: string): Live<BankInfo | null>;
  /** Newest first. */
  runs(limit: number): Live<readonly RunRecord[]>;
  events(runId: string): Live<readonly RunEvent[]>;
  drafts(bankId: string): Live<readonly LessonDraft[]>;
  /** Newest first. */
  ledger(limit: number): Live<readonly LedgerRecord[]>;
  setting(key: string): Live<Json | null>;
  usage(): Live<Usage>;
}

/** `query` as a live value. Its failures go to `onFailure`; the last good value stays. */
export function live<T>(
  query: () => Promise<T>,
  onFailure: (error: StorageError) => void,
): Live<T> {
  return {
    subscribe(run) {
      run(undefined);
      const subscription = liveQuery(async () => query()).subscribe({
        next: (value) => run(value),
        error: (error) => onFailure(storageFailure(error, 'keep this page up to date')),
      });
      return () => subscription.unsubscribe();
    },
  };
}

/** Watches over one connection. */
export function watches(database: Database, onFailure: (error: StorageError) => void): Watches {
  const watch = <T>(query: () => Promise<T>) => live(query, onFailure);
  const bank = (id: string) => publishedBank(database, id);
  return {
    banks: () => watch(() => publishedBanks(database)),
    bankHead: (id) => watch(async () => (await bank(id))?.head ?? null),
    bank: (id) => watch(async () => (await bank(id)) ?? null),
    runs: (limit) => watch(() => newestRuns(database, limit)),
    events: (runId) =>
      watch(async () => {
        const rows = await database.runEvents
          .where('[runId+index]')
          .between(...ofRun(runId))
          .toArray();
        return rows.map(({ event }) => event);
      }),
    drafts: (bankId) => watch(() => draftsOf(database, bankId)),
    ledger: (limit) => watch(() => newestLedger(database, limit)),
    setting: (key) => watch(async () => (await settingOf(database, key)) ?? null),
    usage: () => watch(() => measureUsage(database)),
  };
}
