import { verifyLog } from '../core/bank/log.ts';
import type { BankManifest, LogEntry } from '../core/bank/operation.ts';
import type { LogHead } from '../core/ports.ts';
import type { Refusal } from '../core/result.ts';

/**
 * Checks a bank's whole log: each entry's hash, that each follows the one before, that it replays, and
 * that it ends at the head. Tells how many entries are done. Gives null where all is well, else what is
 * broken, with the entry's number as the refusal's place. Throws where the signal fires.
 */
export async function checkChain(
  bank: { readonly manifest: BankManifest; readonly head: LogHead },
  log: AsyncIterable<readonly LogEntry[]>,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number) => void },
): Promise<Refusal | null> {
  async function* pages() {
    let done = 0;
    for await (const page of log) {
      signal.throwIfAborted();
      yield page;
      done += page.length;
      onProgress(done);
    }
  }
  const checked = await verifyLog(bank, pages());
  return checked.ok ? null : checked.refusal;
}
