import { Dexie } from 'dexie';
import type { RecallStore } from '../core/ports.ts';
import { entriesAfter, removeRecall } from './bank-log.ts';
import type { Database } from './database.ts';
import { bankRowSchema, parseRow, recallPartRowSchema, type BankRow } from './rows.ts';

/** Recall indexes in parts, under the `dataId` of their bank, so that they go with its log. */
export function recallStore(database: Database): RecallStore {
  const { banks, logChunks, recallParts } = database;
  const bankOf = async (id: string): Promise<BankRow | undefined> => {
    const row = await banks.get(id);
    return row && parseRow(bankRowSchema, row, 'bank');
  };
  return {
    readRecall: (bankId, making) =>
      database.read('read the recall index', [banks, recallParts], async () => {
        const bank = await bankOf(bankId);
        if (bank === undefined) return undefined;
        const rows = await recallParts
          .where('[dataId+making+name]')
          .between([bank.dataId, making, Dexie.minKey], [bank.dataId, making, Dexie.maxKey])
          .toArray();
        // What is no part is left out: the index tells by itself what it lacks.
        const parts = rows.flatMap((row) => recallPartRowSchema.safeParse(row).data ?? []);
        return rows.length === 0
          ? undefined
          : new Map(parts.map(({ name, bytes }) => [name, bytes]));
      }),
    writeRecall: (bankId, { making, head, names, parts }) =>
      database.write('keep the recall index', [banks, logChunks, recallParts], async () => {
        const bank = await bankOf(bankId);
        if (bank === undefined || head.seq === 0 || head.seq > bank.head.seq) return;
        const [entry] = await entriesAfter(database, bank, head.seq - 1, 1);
        if (entry?.hash !== head.hash) return;
        const { dataId } = bank;
        const stored = await recallParts
          .where('[dataId+making+name]')
          .between([dataId, making, Dexie.minKey], [dataId, making, Dexie.maxKey])
          .primaryKeys();
        const kept = new Set(names);
        await recallParts.bulkDelete(stored.filter(([, , name]) => !kept.has(name)));
        for (const [name, bytes] of parts) {
          await recallParts.put({ dataId, bankId, making, name, bytes });
        }
      }),
    removeRecall: (bankId, making) =>
      database.write('remove the recall index', [banks, recallParts], async () => {
        const bank = await bankOf(bankId);
        if (bank !== undefined) await removeRecall(database, bank.dataId, making);
      }),
  };
}
