import { EMPTY_LOG, headOf } from '../log.ts';
import type { BankManifest, LogEntry } from '../operation.ts';

/** A bank as its settings and its whole log. */
export interface BankLog {
  readonly manifest: BankManifest;
  readonly log: readonly LogEntry[];
}

/**
 * A fork: another bank that begins with the log of the first, entry for entry and hash for hash, and
 * goes its own way from there. It keeps the settings, `localOnly` among them, and says in its manifest
 * where it comes from. `atSeq` forks from an earlier entry; the fork of a frozen bank is frozen until a
 * person unfreezes it. Forking is not evolving: a bank evolves where steps are appended to it, by
 * whichever harness (EpiCon 5.3).
 */
export function forkBank(
  { manifest, log }: BankLog,
  fork: {
    readonly id: string;
    readonly name: string;
    readonly createdAt: string;
    readonly atSeq?: number;
  },
): BankLog {
  const { id, name, createdAt, atSeq = log.length } = fork;
  const shared = log.slice(0, Math.max(0, atSeq));
  const last = shared.at(-1);
  const head = last === undefined ? EMPTY_LOG : headOf(last);
  const forkedFrom = { bankId: manifest.id, head: { seq: head.seq, hash: head.hash } };
  return { manifest: { ...manifest, id, name, createdAt, forkedFrom }, log: shared };
}
