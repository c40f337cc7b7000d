import { Dexie } from 'dexie';
import { sameLessons, namesTask } from '../../core/bank/erasure/log-lessons.ts';
import { planErasure } from '../../core/bank/erasure/plan-erasure.ts';
import type { ErasureTarget } from '../../core/bank/erasure/what-goes.ts';
import { headOf } from '../../core/bank/log.ts';
import type { LogEntry } from '../../core/bank/operation.ts';
import type { Hash } from '../../core/canonical.ts';
import { StorageError } from '../../core/errors.ts';
import { accept, refuse, type Result } from '../../core/result.ts';
import { appendEntries, EMPTY_HEAD, entriesAfter, removeData, sameHead } from '../bank-log.ts';
import type { Database } from '../database.ts';
import { bankRowSchema, parseRow, type BankRow } from '../rows.ts';
import { collectHashes } from '../unused-blobs.ts';
import type { BankErasure, ErasureOptions, ErasureRefusal, HeldElsewhere } from './erasure.ts';

/** A bank as it is stored, with its whole log. */
export interface LoggedBank {
  readonly row: BankRow;
  readonly log: readonly LogEntry[];
}

/** A bank's new log, worked out and not yet stored. */
export interface PlannedBank {
  readonly bank: LoggedBank;
  readonly log: readonly LogEntry[];
  readonly erasure: BankErasure;
}

/** Every bank that can be read: published ones, and those from outside that are held. */
export async function loggedBanks(database: Database): Promise<readonly LoggedBank[]> {
  const { banks, logChunks } = database;
  return database.read('read the banks', [banks, logChunks], async () => {
    const logged: LoggedBank[] = [];
    for (const found of await banks.orderBy('id').toArray()) {
      const row = parseRow(bankRowSchema, found, 'bank');
      if (row.published === 0 && row.held === undefined) continue;
      logged.push({ row, log: await entriesAfter(database, row, 0) });
    }
    return logged;
  });
}

/** Works out what goes from the banks; those from which nothing goes are left out. */
export function planBanks(
  banks: readonly LoggedBank[],
  target: ErasureTarget,
  options: ErasureOptions,
): Result<readonly PlannedBank[], ErasureRefusal> {
  const by = options.by ?? { kind: 'person', name: 'you' };
  const at = options.at ?? new Date().toISOString();
  const reason = options.reason ?? 'a person erased it';
  const planned: PlannedBank[] = [];
  for (const bank of banks) {
    const { manifest, head } = bank.row;
    const erased = planErasure({ manifest, log: bank.log }, target, { by, at, reason });
    if (!erased.ok) {
      const { refusal } = erased;
      return refusal.reason === 'frozen'
        ? erased
        : refuse(refusal.reason, `“${manifest.name}” is damaged. ${refusal.message}`);
    }
    const { log, report } = erased.value;
    if (report.firstSeq === null) continue;
    const erasure = { bankId: bank.row.id, name: manifest.name, head, report };
    planned.push({ bank, log, erasure });
  }
  return accept(planned);
}

/** Published banks with anything of a task: only these are read closer. */
export function banksOfTask(banks: readonly LoggedBank[], taskId: string): readonly LoggedBank[] {
  const tasks = new Set([taskId]);
  return banks.filter(({ row, log }) => row.published === 1 && namesTask(log, tasks));
}

/** Banks that are not erased from and hold the same lessons. */
export function heldElsewhere(
  banks: readonly LoggedBank[],
  planned: readonly PlannedBank[],
): readonly HeldElsewhere[] {
  const erased = new Map(planned.map(({ erasure }) => [erasure.bankId, erasure]));
  const reports = planned.map(({ erasure }) => erasure.report);
  const ids = new Set(reports.flatMap(({ lessons }) => lessons));
  const contents = new Set(reports.flatMap((report) => report.contents));
  return banks.flatMap(({ row, log }) => {
    if (erased.has(row.id)) return [];
    const lessons = sameLessons(log, { ids, contents }).length;
    const forked = row.manifest.forkedFrom;
    const isFork = forked !== undefined && erased.has(forked.bankId);
    if (lessons === 0) return [];
    const { name } = row.manifest;
    return [{ bankId: row.id, name, held: row.published === 0, isFork, lessons }];
  });
}

/**
 * Puts a bank's new log in the place of its old one, and drops the snapshot. Adds every hash that the
 * old log named to `candidates`. Runs inside a write transaction.
 *
 * @throws StorageError `head-moved` where the bank has moved on.
 */
export async function replaceLog(
  database: Database,
  { bank, log }: PlannedBank,
  candidates: Set<Hash>,
): Promise<void> {
  const { banks, logChunks } = database;
  const { id, dataId, head, manifest } = bank.row;
  const found = await banks.get(id);
  const last = log.at(-1);
  if (last === undefined) return;
  if (found === undefined || found.dataId !== dataId || !sameHead(found.head, head)) {
    throw new StorageError(
      'head-moved',
      `The bank “${manifest.name}” was changed in another tab meanwhile; nothing was erased.`,
    );
  }
  await logChunks
    .where('[dataId+index]')
    .between([dataId, Dexie.minKey], [dataId, Dexie.maxKey])
    .each((chunk) => collectHashes(chunk.entries, candidates));
  await removeData(database, dataId);
  await appendEntries(database, { ...found, head: EMPTY_HEAD }, log);
  await banks.put({ ...found, head: headOf(last) });
}
