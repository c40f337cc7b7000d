import type { LogHead } from '../../ports.ts';
import { EMPTY_LOG, headOf } from '../log.ts';
import type { LogEntry } from '../operation.ts';

/**
 * The last entry that two whole logs share, by hash; the empty log's head where they share none. Each
 * hash carries the one before it, so where two entries are one, all before them are too.
 */
export function commonAncestor(first: readonly LogEntry[], second: readonly LogEntry[]): LogHead {
  let [low, high] = [0, Math.min(first.length, second.length)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (first[middle - 1]?.hash === second[middle - 1]?.hash) low = middle;
    else high = middle - 1;
  }
  const last = first[low - 1];
  return last === undefined ? EMPTY_LOG : headOf(last);
}
