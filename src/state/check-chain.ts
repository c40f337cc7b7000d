import { verifyLog } from '../core/bank/log.ts';
import type { BankManifest, LogEntry } from '../core/bank/operation.ts';
import type { LogHead } from '../core/ports.ts';
import type { Refusal } from '../core/result.ts';

/** Entries checked before others are let work: a few milliseconds. */
const PIECE = 100;

/**
 * Checks a bank's whole log: each entry's hash, that each follows the one before, that it replays, and
 * that it ends at the head. Tells how many entries are done. Gives null where all is well, else what is
 * broken, with the entry's number as the refusal's place. Throws where the signal fires.
 */
export async function checkChain(
  bank: { readonly manifest: BankManifest; readonly head: LogHead },
  entries: readonly LogEntry[],
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number) => void },
): Promise<Refusal | null> {
  async function* pieces() {
    for (let start = 0; start < entries.length; start += PIECE) {
      signal.throwIfAborted();
      yield entries.slice(start, start + PIECE);
      onProgress(Math.min(entries.length, start + PIECE));
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  const checked = await verifyLog(bank, pieces());
  return checked.ok ? null : checked.refusal;
}
