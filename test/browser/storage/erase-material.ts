import { EMPTY_LOG, makeEntries } from '../../../src/core/bank/log.ts';
import { lessonContentHash, type Evidence, type Lesson } from '../../../src/core/bank/node.ts';
import type { BankManifest, Operation } from '../../../src/core/bank/operation.ts';
import { Database } from '../../../src/storage/database.ts';
import type { GroveStorage } from '../../../src/storage/open-storage.ts';
import { lessonOf, manifestOf, START } from './material.ts';

/** Evidence of a task, of a run of its own. */
export function evidenceFor(taskId: string, number: number): Evidence {
  const [evidence] = lessonOf(number).evidence;
  if (evidence === undefined) throw new Error('a lesson has evidence');
  return { ...evidence, taskId, runId: `run-${number}` };
}

/** A stored bank of lessons, and of what else was done. */
export async function bankOf(
  storage: GroveStorage,
  name: string,
  lessons: readonly Lesson[],
  more: readonly Operation[] = [],
): Promise<BankManifest> {
  const manifest = manifestOf(name);
  const added = lessons.map((lesson): Operation => {
    const contentHash = lessonContentHash(lesson.content);
    return { type: 'add-lesson', lesson: { ...lesson, contentHash } };
  });
  const steps = [...added, ...more].map((operation) => ({
    operation,
    by: { kind: 'person', name: 'Ada' } as const,
  }));
  await storage.banks.createBank(manifest);
  const at = '2026-01-01T00:00:00.000Z';
  await storage.banks.append(manifest.id, START, makeEntries(EMPTY_LOG, steps, { step: 1, at }));
  return manifest;
}

/** A stored fork of a bank. */
export async function withFork(storage: GroveStorage, bankId: string): Promise<BankManifest> {
  const log = await storage.banks.readLog(bankId, 0);
  const head = (await storage.banks.getBank(bankId))?.head ?? START;
  const manifest = { ...manifestOf('Fork'), forkedFrom: { bankId, head } };
  await storage.banks.createBank(manifest);
  await storage.banks.append(manifest.id, START, log);
  return manifest;
}

/** Every row of every table but images, as one text. */
export async function storedText(name: string): Promise<string> {
  const raw = new Database({ name });
  await raw.open();
  const rows: unknown[] = [];
  for (const table of raw.tables) if (table.name !== 'blobs') rows.push(...(await table.toArray()));
  raw.close();
  return JSON.stringify(rows);
}
