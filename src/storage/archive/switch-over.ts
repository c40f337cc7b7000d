import type { LogHead } from '../../core/ports.ts';
import { chunkOf, EMPTY_HEAD, removeData, sameHead } from '../bank-log.ts';
import type { Database } from '../database.ts';
import { CHUNK_ENTRIES, SECRET_PREFIX } from '../rows.ts';
import type { StagedBackup } from './staging.ts';

/**
 * One transaction over every table: the staged rows are put in place, all or none. Gives the names of
 * banks that went different ways here and in the file, and so stayed as they are here.
 */
export function switchOver(
  database: Database,
  staged: StagedBackup,
  mode: 'replace' | 'merge',
): Promise<readonly string[]> {
  return database.write('restore the back-up', database.tables, () =>
    mode === 'replace' ? replace(database, staged) : merge(database, staged),
  );
}

async function replace(database: Database, staged: StagedBackup): Promise<readonly string[]> {
  for (const table of database.tables) {
    if (table.name !== 'staged' && table.name !== 'settings') await table.clear();
  }
  // A back-up holds no secrets; the ones of this browser are its own.
  const { settings } = database;
  await settings.filter(({ key }) => !key.startsWith(SECRET_PREFIX)).delete();
  await eachStaged(database, staged, (name, rows) => putAll(database, name, rows));
  return [];
}

async function merge(database: Database, staged: StagedBackup): Promise<readonly string[]> {
  const keptBanks: string[] = [];
  const takenBanks = new Set<unknown>();
  for (const [id, bank] of staged.banks) {
    const choice = await chooseBank(database, id, bank);
    if (choice === 'take') takenBanks.add(id);
    if (choice === 'diverged') keptBanks.push(bank.manifest.name);
  }
  const runsHere = new Set<unknown>(await database.runs.toCollection().primaryKeys());
  await eachStaged(database, staged, async (name, rows) => {
    switch (name) {
      case 'banks':
        return putAll(
          database,
          name,
          rows.filter((row) => takenBanks.has(field(row, 'id'))),
        );
      case 'logChunks':
        return putAll(
          database,
          name,
          rows.filter((row) => takenBanks.has(field(row, 'bankId'))),
        );
      case 'runEvents':
      case 'calls':
      case 'drafts':
        // A run that is here stays whole: two continuations of it must not be mixed, and a lesson
        // that was already decided on must not come back.
        return putAll(
          database,
          name,
          rows.filter((row) => !runsHere.has(field(row, 'runId'))),
        );
      case 'ledger':
        // What left another browser did not leave this one.
        return;
      default:
        return addMissing(database, name, rows);
    }
  });
  return keptBanks;
}

/** Whether the file's bank comes in: it is not here, or it carries further what is here. */
async function chooseBank(
  database: Database,
  id: string,
  theirs: { readonly head: LogHead; readonly hashes: readonly string[] },
): Promise<'take' | 'keep' | 'diverged'> {
  const ours = await database.banks.get(id);
  if (ours === undefined) return 'take';
  const { head, dataId } = ours;
  if (head.seq < theirs.head.seq) {
    const passed = head.seq === 0 ? EMPTY_HEAD.hash : theirs.hashes[head.seq - 1];
    if (passed !== head.hash) return 'diverged';
    await removeData(database, dataId);
    return 'take';
  }
  if (theirs.head.seq === 0 || sameHead(head, theirs.head)) return 'keep';
  const chunk = await database.logChunks.get([dataId, chunkOf(theirs.head.seq)]);
  const passed = chunk?.entries[(theirs.head.seq - 1) % CHUNK_ENTRIES];
  return passed?.hash === theirs.head.hash ? 'keep' : 'diverged';
}

/** The staged rows in order. `each` may await the database only, or the transaction ends under it. */
async function eachStaged(
  database: Database,
  { restoreId }: StagedBackup,
  each: (table: string, rows: readonly unknown[]) => Promise<void>,
): Promise<void> {
  for (let index = 0; ; index += 1) {
    const row = await database.staged.get([restoreId, index]);
    if (row === undefined) return;
    await each(row.table, row.rows);
  }
}

async function putAll(database: Database, name: string, rows: readonly unknown[]): Promise<void> {
  if (rows.length > 0) await database.table<unknown>(name).bulkPut(rows);
}

async function addMissing(
  database: Database,
  name: string,
  rows: readonly unknown[],
): Promise<void> {
  const table = database.table<unknown, string>(name);
  const keyPath = String(table.schema.primKey.keyPath);
  const keys = rows.map((row) => String(field(row, keyPath)));
  const present = new Set(await table.where(':id').anyOf(keys).primaryKeys());
  await table.bulkPut(rows.filter((_, at) => !present.has(keys[at] ?? '')));
}

/** A field of a row that this restore itself staged. */
function field(row: unknown, name: string): unknown {
  return typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined;
}
