import type { BankRecall } from '../../core/recall/recalled-bank.ts';
import type { ClosableRecall } from '../bank-recall.ts';

/** Recall by one encoder at a time. */
export interface SwitchedRecall extends BankRecall {
  /** Every question from now on goes to `next`; what answered before is closed. */
  use(next: ClosableRecall): Promise<void>;
}

export function switchedRecall(first: ClosableRecall): SwitchedRecall {
  let current = first;
  return {
    at: (bankId, run) => current.at(bankId, run),
    check: (bankId, run) => current.check(bankId, run),
    async use(next) {
      const before = current;
      current = next;
      if (before !== next) await before.close();
    },
  };
}
