import type { LogEntry } from '../../core/bank/operation.ts';
import type { BankInfo } from '../../core/ports.ts';
import { accept, refuse, type Refusal, type Result } from '../../core/result.ts';
import type { Database } from '../database.ts';
import { withoutRuns, withRestoreLock } from '../locks.ts';
import { BackupRefused, openBackup, type BackupRefusal } from './backup-reader.ts';
import type { BackupProgress } from './format.ts';
import {
  clearStaged,
  stageBackup,
  stagedEntries,
  sweepStaging,
  type StagedBackup,
} from './staging.ts';
import { switchOver } from './switch-over.ts';

/** Core's check of a bank's log: that every hash is the one of its entry, and that it replays. */
export type VerifyLog = (
  bank: BankInfo,
  entries: AsyncIterable<readonly LogEntry[]>,
) => Promise<Result<unknown, Refusal>>;

export interface RestoreOptions {
  /** `replace`: the file's contents and nothing else (secrets of this browser stay). `merge`: what is
   * here stays, what is missing is added, and a bank that the file carries further is carried further. */
  readonly mode: 'replace' | 'merge';
  readonly verify?: VerifyLog;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BackupProgress) => void;
}

/** What a restore did. */
export interface Restored {
  readonly createdAt: string;
  readonly records: number;
  /** Names of banks that went different ways here and in the file: the one here was kept. */
  readonly keptBanks: readonly string[];
}

/**
 * Puts a back-up in place. All of it is read and checked first, apart from what is stored; then one
 * transaction switches over. A file that is foreign, newer, cut short, changed or does not verify is
 * refused with a reason, and nothing changes. Refused, too, while a run or another restore goes on.
 *
 * @throws StorageError where the database fails (`quota-exceeded`: the file is held twice for a
 * moment); the signal's reason after an abort. Nothing has changed then either.
 */
export async function restore(
  database: Database,
  file: Blob,
  options: RestoreOptions,
): Promise<Result<Restored, BackupRefusal>> {
  options.signal?.throwIfAborted();
  const outcome = await withRestoreLock(() => restoreAlone(database, file, options));
  return outcome.ok ? outcome.value : outcome;
}

/** Removes what a restore or an import that never ended left behind; does nothing while one goes on. */
export async function tidyStaging(database: Database): Promise<void> {
  await withRestoreLock(() => sweepStaging(database));
}

async function restoreAlone(
  database: Database,
  file: Blob,
  options: RestoreOptions,
): Promise<Result<Restored, BackupRefusal>> {
  try {
    await sweepStaging(database);
    const opened = await openBackup(file);
    if (!opened.ok) return opened;
    const { manifest } = opened.value;
    const total = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;
    const staged = await stageBackup(database, opened.value, (records) => {
      options.signal?.throwIfAborted();
      done += records;
      options.onProgress?.({ done, total });
    });
    const verified = await verifyAll(database, staged, options.verify);
    if (!verified.ok) return verified;
    options.signal?.throwIfAborted();
    const switched = await withoutRuns(() => switchOver(database, staged, options.mode));
    if (!switched.ok) return switched;
    return accept({ createdAt: manifest.createdAt, records: total, keptBanks: switched.value });
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof BackupRefused) return { ok: false, refusal: error.refusal };
    throw error;
  } finally {
    // Where even this fails, the next opening tidies up; the first failure is the one to tell.
    await clearStaged(database).catch(() => undefined);
  }
}

async function verifyAll(
  database: Database,
  staged: StagedBackup,
  verify: VerifyLog | undefined,
): Promise<Result<void, BackupRefusal>> {
  if (verify === undefined) return accept(undefined);
  for (const bank of staged.banks.values()) {
    const { manifest, head } = bank;
    const entries = stagedEntries(database, staged.restoreId, bank);
    const verified = await verify({ manifest, head }, entries);
    if (!verified.ok) {
      const message = `The log of “${manifest.name}” does not verify: ${verified.refusal.message}`;
      return refuse('chain-broken', message, verified.refusal.path);
    }
  }
  return accept(undefined);
}
