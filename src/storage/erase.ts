import type { Result } from '../core/result.ts';
import type { Database } from './database.ts';
import { withoutRuns, type LockRefusal } from './locks.ts';
import { sweepWrittenFiles } from './written-files.ts';

/**
 * Empties every table in one transaction: banks, runs, images, settings with their secrets, the
 * ledger; and the files that were written for a download. Refused while a run goes on in any tab.
 */
export function eraseEverything(database: Database): Promise<Result<void, LockRefusal>> {
  return withoutRuns(async () => {
    await database.write('erase everything', database.tables, async () => {
      for (const table of database.tables) await table.clear();
    });
    await sweepWrittenFiles({ all: true });
  });
}
