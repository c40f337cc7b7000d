import type { LogEntry } from '../../../src/core/bank/operation.ts';
import { hashJson } from '../../../src/core/canonical.ts';
import { accept, refuse } from '../../../src/core/result.ts';
import type { VerifyLog } from '../../../src/storage/archive/restore.ts';
import { Database } from '../../../src/storage/database.ts';
import type { GroveStorage } from '../../../src/storage/open-storage.ts';
import {
  bytesOf,
  callOf,
  cropOf,
  draftOf,
  entriesFrom,
  ids,
  manifestOf,
  runOf,
  START,
  taskOf,
} from './material.ts';

/** What `fill` put into a storage. */
export type Filled = Awaited<ReturnType<typeof fill>>;

/** Two tasks that share an image, with runs, calls, drafts, a bank whose lessons show a crop, and the rest. */
export async function fill(storage: GroveStorage, bankEntries = 150) {
  const put = (seed: number, length: number) =>
    storage.blobs.put(bytesOf(seed, length), 'image/png');
  const [shared, own, bankCrop, draftCrop, unused] = [
    await put(1, 90_000),
    await put(2, 50_000),
    await put(3, 3000),
    await put(4, 2000),
    await put(5, 0),
  ];
  const first = taskOf('How many stops lie between A and B?', [shared, own]);
  const second = taskOf('Which line has the fewest stops? — “Linie 5”, 線', [shared]);
  const manifest = manifestOf('Metro');
  await storage.banks.createBank(manifest);
  const entries = entriesFrom(START, bankEntries, cropOf(bankCrop, shared));
  await storage.banks.append(manifest.id, START, entries);
  await storage.banks.createBank(manifestOf('Empty'));
  const runs = [];
  for (const task of [first, second]) {
    await storage.runs.putTask(task);
    await storage.references.putReference({ taskId: task.id, answers: ['7'] });
    const run = runOf(task, manifest.id, '2026-01-01T00:00:00.000Z');
    runs.push(run);
    await storage.runs.putRun(run);
    await storage.runs.putEvent(run.id, 0, {
      type: 'run-start',
      runId: run.id,
      config: run.config,
    });
    await storage.runs.putEvent(run.id, 1, {
      type: 'run-finish',
      end: 'ready',
      answer: '7',
      attempts: 1,
    });
    await storage.journal.record(callOf(run.id, 0, task.images.at(-1)?.hash ?? ''));
  }
  const [firstRun, secondRun] = runs;
  if (firstRun === undefined || secondRun === undefined) throw new Error('two runs were made');
  const draft = draftOf(firstRun.id, manifest.id, 1, cropOf(draftCrop, own));
  await storage.runs.putDraft(draft);
  await storage.settings.set('theme', 'dark');
  await storage.settings.set('secret.endpoint.a', 'sk-do-not-leak');
  for (const host of ['localhost:8000', 'localhost:11434']) {
    await storage.ledger.append({ at: '2026-01-01T00:00:00.000Z', host, bytes: 12 });
  }
  const images = { shared, own, bankCrop, draftCrop, unused };
  return { first, second, firstRun, secondRun, manifest, entries, draft, images };
}

/** Every row of every table, as text; the ledger without its keys, as those are the database's own. */
export async function contents(name: string): Promise<Record<string, string[]>> {
  const raw = new Database({ name });
  await raw.open();
  const all: Record<string, string[]> = {};
  for (const table of raw.tables) {
    const rows = await table.toArray();
    all[table.name] = rows.map((row: object) => {
      const plain = 'bytes' in row ? { ...row, bytes: String(row.bytes) } : { ...row };
      if (table.name === 'ledger') Reflect.deleteProperty(plain, 'id');
      return hashJson(plain);
    });
  }
  raw.close();
  return all;
}

/** A stand-in for core's check of a log that works out every hash for itself. */
export const verifyHashes: VerifyLog = async (_bank, batches) => {
  for await (const entries of batches) {
    for (const entry of entries) {
      if (entry.hash !== hashOf(entry)) {
        return refuse('hash-differs', `entry ${entry.seq} is not what its hash says`);
      }
    }
  }
  return accept(undefined);
};

function hashOf({ hash: _, ...body }: LogEntry): string {
  return hashJson(body);
}

/** A name for a database no other test uses. */
export const freshName = (): string => `test-${ids.next()}`;
