import { Dexie } from 'dexie';
import type { Hash } from '../../../core/canonical.ts';
import { StorageError } from '../../../core/errors.ts';
import type { BankInfo } from '../../../core/ports.ts';
import type { BundleStore, HeldBank } from '../../../core/transfer/bundle/bundle-store.ts';
import { dataTables, removeData } from '../../bank-log.ts';
import { bankStore } from '../../bank-store.ts';
import type { Database } from '../../database.ts';
import { bankRowSchema, IMPORT_PREFIX, parseRow, type BankRow } from '../../rows.ts';
import { blobUsers, collectHashes, removeUnusedBlobs } from '../../unused-blobs.ts';

/** A held bank as a caller knows it; undefined for a row that holds none. */
export function heldBank({ id, manifest, head, held }: BankRow): HeldBank | undefined {
  if (held === undefined) return undefined;
  const { expected: _, ...mark } = held;
  return { heldId: id, manifest, head, ...mark };
}

/** Staging banks of imports, held or still being filled. Runs inside a read transaction. */
export async function importRows(database: Database): Promise<readonly BankRow[]> {
  const rows = await database.banks.where('id').startsWith(IMPORT_PREFIX).toArray();
  return rows
    .filter(({ published }) => published === 0)
    .map((row) => parseRow(bankRowSchema, row, 'imported bank'));
}

/** The held banks of a database, and what a person decides about them. */
export function heldBanks(
  database: Database,
): Pick<BundleStore<Blob>, 'listHeld' | 'trustHeld' | 'discardHeld'> {
  const { banks } = database;
  return {
    async listHeld() {
      const rows = await database.read('list the imported banks', [banks], () =>
        importRows(database),
      );
      return rows
        .flatMap((row) => heldBank(row) ?? [])
        .sort((first, second) => (first.importedAt < second.importedAt ? -1 : 1));
    },
    async trustHeld(heldId): Promise<BankInfo> {
      const row = await database.read('read the imported bank', [banks], () => banks.get(heldId));
      const bank = row && parseRow(bankRowSchema, row, 'imported bank');
      if (bank?.held === undefined) throw gone();
      await bankStore(database).publish(heldId, bank.held.expected);
      return { manifest: bank.manifest, head: bank.head };
    },
    async discardHeld(heldId) {
      const scope = [...new Set([...blobUsers(database), banks, ...dataTables(database)])];
      await database.write('throw the imported bank away', scope, async () => {
        const row = await banks.get(heldId);
        if (row?.held === undefined) throw gone();
        const named = new Set<Hash>();
        await database.logChunks
          .where('[dataId+index]')
          .between([row.dataId, Dexie.minKey], [row.dataId, Dexie.maxKey])
          .each((chunk) => collectHashes(chunk.entries, named));
        await removeData(database, row.dataId);
        await banks.delete(heldId);
        await removeUnusedBlobs(database, named);
      });
    },
  };
}

/**
 * Removes staging banks of imports that never ended. Only to be called under the restore lock, which
 * every import holds: what is not held then is nobody's.
 */
export async function sweepImports(database: Database): Promise<void> {
  const { banks } = database;
  const scope = [banks, ...dataTables(database)];
  await database.write('tidy up', scope, async () => {
    const left = await leftImports(database);
    for (const { id, dataId } of left) {
      await removeData(database, dataId);
      await banks.delete(id);
    }
  });
}

/** Staging banks of imports that are not held: being filled, or left by a crash. Runs inside a transaction. */
export async function leftImports(database: Database): Promise<readonly BankRow[]> {
  const rows = await database.banks.where('id').startsWith(IMPORT_PREFIX).toArray();
  return rows.filter(({ published, held }) => published === 0 && held === undefined);
}

const gone = () => new StorageError('not-found', 'This imported bank is not here any more.');
