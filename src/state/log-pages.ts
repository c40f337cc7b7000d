import type { LogEntry } from '../core/bank/operation.ts';
import type { BankStore } from '../core/ports.ts';
import { othersWork } from './others-work.ts';

/** Eight chunks of the log: some milliseconds to read, to replay or to check. */
const PAGE_ENTRIES = 512;

/**
 * A log's entries after `afterSeq`, page by page, so that the page on screen stays live between them.
 * Throws StorageError.
 */
export async function* logPages(
  banks: Pick<BankStore, 'readLog'>,
  logId: string,
  afterSeq: number,
  pageEntries = PAGE_ENTRIES,
): AsyncGenerator<readonly LogEntry[], void> {
  for (let seq = afterSeq; ;) {
    const page = await banks.readLog(logId, seq, pageEntries);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < pageEntries) return;
    seq = last.seq;
    await othersWork();
  }
}
