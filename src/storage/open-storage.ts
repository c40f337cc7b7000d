import type { StorageError } from '../core/errors.ts';
import type {
  BlobStore,
  CallJournal,
  RecallStore,
  ReferenceStore,
  RunStore,
} from '../core/ports.ts';
import type { Result } from '../core/result.ts';
import type { BundleStore } from '../core/transfer/bundle/bundle-store.ts';
import type { BackUp, BackUpOptions } from './archive/back-up.ts';
import type { BackupRefusal } from './archive/backup-reader.ts';
import { bundleStore } from './archive/bundle/bundle-client.ts';
import type { Restored, RestoreOptions } from './archive/restore.ts';
import { bankStore, type GroveBankStore } from './bank-store.ts';
import { blobStore } from './blob-store.ts';
import { DATABASE_NAME, openDatabase, type Database, type DatabaseOptions } from './database.ts';
import { IMPORT_PREFIX } from './rows.ts';
import { eraseEverything } from './erase.ts';
import type { Erasures } from './erasure/erasure.ts';
import { exportNotes, type ExportNotes } from './erasure/export-notes.ts';
import { notingExports } from './erasure/noting-exports.ts';
import { watches, type Watches } from './live.ts';
import { withRunLock, type LockRefusal } from './locks.ts';
import { recallStore } from './recall-store.ts';
import { callJournal, referenceStore, runStore } from './run-store.ts';
import {
  ledgerStore,
  settingsStore,
  type LedgerStore,
  type SettingsStore,
} from './settings-store.ts';
import { guard } from './storage-failure.ts';
import { measureUsage, persist, type Usage } from './usage.ts';
import { sweepWrittenFiles } from './written-files.ts';

export interface StorageOptions extends DatabaseOptions {
  /** A live query could not read: the page shows what it last knew. Told once per failure. */
  readonly onWatchFailure?: (error: StorageError) => void;
}

/** Everything Grove keeps in this browser, over one connection. Each call throws `StorageError`. */
export interface GroveStorage extends Erasures {
  readonly blobs: BlobStore;
  readonly journal: CallJournal;
  readonly runs: RunStore;
  /** Known answers: hand this to a grader only. */
  readonly references: ReferenceStore;
  readonly banks: GroveBankStore;
  /** One bank as a `.grove` file, both ways. */
  readonly bundles: BundleStore<Blob>;
  readonly recall: RecallStore;
  readonly settings: SettingsStore;
  /** Files that were written. Bundles are noted here; whoever hands out another file notes it. */
  readonly exports: ExportNotes;
  readonly ledger: LedgerStore;
  /** Values that keep in step with the database over all tabs, shaped as Svelte stores. */
  readonly watch: Watches;
  usage(): Promise<Usage>;
  /** Asks the browser not to clear this data by itself; true where it promises so. */
  persist(): Promise<boolean>;
  /** Runs `work` while no other page drives the run; refuses at once, with who does, where one does. */
  withRunLock<T>(runId: string, work: () => Promise<T>): Promise<Result<T, LockRefusal>>;
  /** Everything in one file. See `backUp`. */
  backUp(options: BackUpOptions): Promise<BackUp>;
  /** Checks a back-up, then puts it in place, whole or not at all. See `restore`. */
  restore(file: Blob, options: RestoreOptions): Promise<Result<Restored, BackupRefusal>>;
  eraseEverything(): Promise<Result<void, LockRefusal>>;
  /** Lets what has begun finish, then closes. Later calls throw `closed`. */
  close(): Promise<void>;
}

/**
 * Opens Grove's storage.
 *
 * @throws StorageError `newer-version` where a newer Grove wrote it; `failed` where the browser
 * keeps no storage for this page.
 */
export async function openStorage(options: StorageOptions = {}): Promise<GroveStorage> {
  const database = await openDatabase(options);
  await tidyUp(database);
  void sweepWrittenFiles();
  const exports = exportNotes(database);
  // Erasing is rare and reads whole logs: its code loads when asked for.
  const erasing = async () => (await import('./erasure/erasures.ts')).erasures(database);
  return {
    blobs: blobStore(database),
    journal: callJournal(database),
    runs: runStore(database),
    references: referenceStore(database),
    banks: bankStore(database),
    bundles: notingExports(bundleStore(database, options.name ?? DATABASE_NAME), exports),
    recall: recallStore(database),
    settings: settingsStore(database),
    exports,
    ledger: ledgerStore(database),
    watch: watches(database, options.onWatchFailure ?? (() => undefined)),
    usage: () => guard('measure its storage', () => measureUsage(database)),
    persist,
    withRunLock,
    // Back-ups are rare and their code is not small: it loads when asked for.
    async backUp(backUpOptions) {
      const { backUp } = await import('./archive/back-up.ts');
      return backUp(database, backUpOptions);
    },
    async restore(file, restoreOptions) {
      const { restore } = await import('./archive/restore.ts');
      return restore(database, file, restoreOptions);
    },
    eraseEverything: () => eraseEverything(database),
    previewLessonErasure: async (...asked) => (await erasing()).previewLessonErasure(...asked),
    eraseLessons: async (...asked) => (await erasing()).eraseLessons(...asked),
    previewTaskErasure: async (taskId) => (await erasing()).previewTaskErasure(taskId),
    eraseTask: async (...asked) => (await erasing()).eraseTask(...asked),
    close: () => database.shut(),
  };
}

/** Removes what a restore or an import that never ended has left. */
async function tidyUp(database: Database): Promise<void> {
  const { staged, banks } = database;
  const left = await database.read('tidy up', [staged, banks], async () => {
    const imports = banks.where('id').startsWith(IMPORT_PREFIX);
    return (
      (await staged.count()) + (await imports.filter(({ held }) => held === undefined).count())
    );
  });
  if (left === 0) return;
  const { tidyStaging } = await import('./archive/restore.ts');
  await tidyStaging(database);
}
