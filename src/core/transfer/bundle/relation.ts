import type { Hash } from '../../canonical.ts';
import type { LogHead } from '../../ports.ts';

/**
 * How a bundle's bank stands to the bank of the same id here: `new` (none here), `same`, `newer` (the
 * file goes on from here), `older` (here goes on from the file), `diverged` (the two went different ways).
 */
export type BankRelation = 'new' | 'same' | 'newer' | 'older' | 'diverged';

/** Compares two logs by their heads and by what each has where the other ends. */
export function relationOf(
  here: LogHead | undefined,
  file: LogHead,
  /** The hash of the file's entry where the log here ends, and the other way round. */
  at: { readonly fileAtHere: Hash | undefined; readonly hereAtFile: Hash | undefined },
): BankRelation {
  if (here === undefined) return 'new';
  if (here.seq === file.seq) return here.hash === file.hash ? 'same' : 'diverged';
  if (here.seq < file.seq) {
    return here.seq === 0 || at.fileAtHere === here.hash ? 'newer' : 'diverged';
  }
  return file.seq === 0 || at.hereAtFile === file.hash ? 'older' : 'diverged';
}
