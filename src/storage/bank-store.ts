import type { BankManifest } from '../core/bank/operation.ts';
import { StorageError } from '../core/errors.ts';
import type { BankInfo, BankStore, LogHead } from '../core/ports.ts';
import {
  appendEntries,
  dataTables,
  EMPTY_HEAD,
  entriesAfter,
  followEntries,
  removeData,
  sameHead,
} from './bank-log.ts';
import type { Database } from './database.ts';
import { withBankLock } from './locks.ts';
import { bankRowSchema, parseRow, type BankRow } from './rows.ts';
import { groupsOf, partsOf, putSnapshotRows, structureOf } from './snapshot.ts';

/** Banks, and what only storage offers: staging banks for imports. */
export interface GroveBankStore extends BankStore {
  /**
   * Creates a bank that no list shows, under `stagingId`. Append to it, snapshot it, delete it by
   * that id; publish it, and it is the bank its manifest names.
   */
  createStaging(stagingId: string, manifest: BankManifest): Promise<void>;
  /**
   * One pointer write: the staging bank's log and snapshot become those of the bank its manifest
   * names. `expected` is the head of the bank it replaces, null where there must be none. A bank that
   * stays on this machine goes on doing so, whatever the manifest that comes says.
   *
   * @throws StorageError `head-moved` where that bank has moved on, `not-found`.
   */
  publish(stagingId: string, expected: LogHead | null): Promise<void>;
}

const info = ({ manifest, head }: BankRow): BankInfo => ({ manifest, head });

/** The published banks, oldest id first, checked. Runs inside a read transaction or a live query. */
export async function publishedBanks(database: Database): Promise<BankInfo[]> {
  const rows = await database.banks.where('published').equals(1).sortBy('id');
  return rows.map((row) => info(parseRow(bankRowSchema, row, 'bank')));
}

/** A published bank, checked. Runs inside a read transaction or a live query. */
export async function publishedBank(database: Database, id: string): Promise<BankInfo | undefined> {
  const row = await database.banks.get(id);
  return row?.published === 1 ? info(parseRow(bankRowSchema, row, 'bank')) : undefined;
}

async function findBank(database: Database, id: string): Promise<BankRow> {
  const row = await database.banks.get(id);
  if (row === undefined) throw new StorageError('not-found', 'This bank is not here any more.');
  return parseRow(bankRowSchema, row, 'bank');
}

/** The store of banks over one connection. */
export function bankStore(database: Database): GroveBankStore {
  const { banks, logChunks, snapshots, snapshotTexts: texts, drafts } = database;
  const all = [banks, ...dataTables(database)];
  return {
    ...staging(database),
    listBanks: () => database.read('list the banks', [banks], () => publishedBanks(database)),
    getBank: (id) => database.read('read the bank', [banks], () => publishedBank(database, id)),
    createBank: (manifest) => addBank(database, manifest.id, manifest, 1),
    readLog: (bankId, afterSeq, most) =>
      database.read('read the log', [banks, logChunks], async () =>
        entriesAfter(database, await findBank(database, bankId), afterSeq, most),
      ),
    append: (bankId, expected, entries) =>
      withBankLock(bankId, () =>
        database.write('append to the bank', [banks, logChunks], async () => {
          const bank = await findBank(database, bankId);
          checkHead(bank, expected);
          const head = followEntries(bank.head, entries);
          if (entries.length === 0) return head;
          await appendEntries(database, bank, entries);
          await banks.put({ ...bank, head });
          return head;
        }),
      ),
    readGroups: (bankId) =>
      database.read('read the bank', [banks, snapshots], async () =>
        groupsOf(database, (await findBank(database, bankId)).dataId),
      ),
    readStructure: (bankId) =>
      database.read('read the bank', [banks, snapshots, texts], async () =>
        structureOf(database, (await findBank(database, bankId)).dataId),
      ),
    readTexts: (bankId, head, pieces) =>
      database.read('read the lessons', [banks, texts], async () =>
        partsOf(database, (await findBank(database, bankId)).dataId, head, pieces),
      ),
    putSnapshot: (bankId, snapshot) =>
      database.write('keep a snapshot', all, async () =>
        putSnapshotRows(database, await findBank(database, bankId), snapshot),
      ),
    changeSettings: (bankId, { name, localOnly }) =>
      withBankLock(bankId, () =>
        database.write('change the settings of the bank', [banks], async () => {
          const bank = await findBank(database, bankId);
          await banks.put({ ...bank, manifest: { ...bank.manifest, name, localOnly } });
        }),
      ),
    deleteBank: (id) =>
      withBankLock(id, () =>
        database.write('remove the bank', [...all, drafts], async () => {
          const bank = await banks.get(id);
          if (bank === undefined) return;
          await removeData(database, bank.dataId);
          if (bank.published === 1) await drafts.where('bankId').equals(id).delete();
          await banks.delete(id);
        }),
      ),
  };
}

function staging(database: Database): Pick<GroveBankStore, 'createStaging' | 'publish'> {
  const { banks } = database;
  return {
    createStaging: (stagingId, manifest) => addBank(database, stagingId, manifest, 0),
    publish: async (stagingId, expected) => {
      const target = await database.read('read the bank', [banks], () =>
        findBank(database, stagingId),
      );
      const id = target.manifest.id;
      await withBankLock(id, () =>
        database.write('publish the bank', [banks, ...dataTables(database)], async () => {
          const staged = await findBank(database, stagingId);
          const present = await banks.get(id);
          if (staged.published === 1) throw new StorageError('not-found', 'Nothing is staged.');
          checkHead(present, expected);
          const { held: _, ...bank } = staged;
          const localOnly = bank.manifest.localOnly || present?.manifest.localOnly === true;
          const manifest = { ...bank.manifest, localOnly };
          await banks.put({ ...bank, manifest, id, published: 1, replaces: null });
          await banks.delete(stagingId);
          if (present !== undefined) await removeData(database, present.dataId);
        }),
      );
    },
  };
}

function addBank(
  database: Database,
  id: string,
  manifest: BankManifest,
  published: 0 | 1,
): Promise<void> {
  const { banks } = database;
  return withBankLock(id, () =>
    database.write('create the bank', [banks], async () => {
      const taken = await banks.where('id').equals(id).or('dataId').equals(id).count();
      if (taken > 0) throw new StorageError('failed', 'A bank with this id is already here.');
      const replaces = published === 1 ? null : manifest.id;
      await banks.add({ id, dataId: id, published, replaces, manifest, head: EMPTY_HEAD });
    }),
  );
}

function checkHead(bank: BankRow | undefined, expected: LogHead | null): void {
  const found = bank?.head ?? null;
  if (found === null ? expected === null : expected !== null && sameHead(found, expected)) return;
  const name = bank === undefined ? 'The bank' : `The bank “${bank.manifest.name}”`;
  throw new StorageError(
    'head-moved',
    `${name} was changed in another tab meanwhile; nothing was written.`,
  );
}
