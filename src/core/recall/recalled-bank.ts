import type { Tree } from '../bank/tree.ts';
import type { LogHead } from '../ports.ts';
import {
  RECALL_SETTINGS,
  type EncoderId,
  type RecallCandidate,
  type RecallQuery,
} from './index/recall-types.ts';
import type { RecallMaking } from './recall-port.ts';

/** A bank as it stands, and what recall finds in it. */
export interface RecalledBank {
  readonly tree: Tree;
  readonly head: LogHead;
  readonly making: RecallMaking;
  /** What was stored of the index could not be read: it was made again from the log. */
  readonly wasDamaged: boolean;
  /** Best first. Throws `RecallError`. */
  find(query: Omit<RecallQuery, 'vector'>): Promise<readonly RecallCandidate[]>;
}

/** How a caller follows an index that takes in what it lacks. */
export interface RecallRun {
  /** Entries of the log that are taken in, and how many there are; told where any were behind. */
  readonly tell?: ((done: number, of: number) => void) | undefined;
  /** Stops between two pages of the log. What was taken in is kept, and gone on from the next time. */
  readonly signal?: AbortSignal | undefined;
}

export interface BankRecall {
  /**
   * The bank with recall that stands where it does. Throws StorageError, RecallError; the signal's
   * reason.
   */
  at(bankId: string, run?: RecallRun): Promise<RecalledBank>;
  /**
   * Makes the index from the log once more and compares the two, byte for byte. Where they differ it
   * gives false, and the one that was held is thrown away.
   */
  check(bankId: string, run?: Pick<RecallRun, 'tell'>): Promise<boolean>;
}

/** How Grove's indexes are made with an encoder, or without. */
export function makingOf(encoder: EncoderId | null): RecallMaking {
  return { settings: RECALL_SETTINGS, encoder };
}
