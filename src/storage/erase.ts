import type { Result } from '../core/result.ts';
import type { Database } from './database.ts';
import { withoutRuns, type LockRefusal } from './locks.ts';

/**
 * Empties every table in one transaction: banks, runs, images, settings with their secrets, the
 * ledger. Refused while a run goes on in any tab.
 */
export function eraseEverything(database: Database): Promise<Result<void, LockRefusal>> {
  return withoutRuns(() =>
    database.write('erase everything', database.tables, async () => {
      for (const table of database.tables) await table.clear();
    }),
  );
}
