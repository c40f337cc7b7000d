import type { Hash } from '../core/canonical.ts';
import type { Database } from './database.ts';

const HASH = /^[0-9a-f]{64}$/u;

/** Every string of a plain value that looks like a content hash. */
function* hashesIn(value: unknown): Generator<Hash> {
  if (typeof value === 'string') {
    if (HASH.test(value)) yield value;
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) yield* hashesIn(member);
  }
}

/** Adds whatever in a plain value could name an image. */
export function collectHashes(value: unknown, into: Set<Hash>): void {
  for (const hash of hashesIn(value)) into.add(hash);
}

/** The tables that `removeUnusedBlobs` looks at; its transaction must hold them. */
export function blobUsers(database: Database) {
  const { blobs, tasks, drafts, logChunks, runEvents, calls } = database;
  return [blobs, tasks, drafts, logChunks, runEvents, calls] as const;
}

/**
 * Removes those of `candidates` that are stored and that nothing uses any more. Runs inside a write
 * transaction over `blobUsers`. Gives how many went, and how many stayed because something shows them.
 */
export async function removeUnusedBlobs(
  database: Database,
  candidates: ReadonlySet<Hash>,
): Promise<{ readonly removed: number; readonly kept: number }> {
  const [blobs, ...users] = blobUsers(database);
  const stored = await blobs
    .where('hash')
    .anyOf([...candidates])
    .primaryKeys();
  const unused = new Set(stored);
  for (const table of users) {
    if (unused.size === 0) break;
    await table.each((row: unknown) => {
      for (const hash of hashesIn(row)) unused.delete(hash);
    });
  }
  await blobs.bulkDelete([...unused]);
  return { removed: unused.size, kept: stored.length - unused.size };
}
