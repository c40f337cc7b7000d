import { EMPTY_LOG } from '../../../src/core/bank/log.ts';
import { emptyTree, type Tree } from '../../../src/core/bank/tree.ts';
import { plainKernel } from '../../../src/core/recall/index/kernel.ts';
import { RecallIndex } from '../../../src/core/recall/index/recall-index.ts';
import { recallChanges } from '../../../src/core/recall/recall-changes.ts';
import { makingOf, type BankRecall } from '../../../src/core/recall/recalled-bank.ts';
import { tokenize } from '../../../src/core/recall/tokenize.ts';

/** Recall over one tree, by words alone, on this thread. */
export function recallOf(tree: Tree): Pick<BankRecall, 'at'> {
  const making = makingOf(null);
  const index = new RecallIndex({
    ...making,
    tokenizer: { id: 'test', tokenize },
    kernel: plainKernel(),
  });
  for (const { id, node } of recallChanges(emptyTree(tree.manifest), tree)) {
    if (node !== null) index.apply({ type: 'put', id, step: 1, ...node, vector: null });
  }
  return {
    at: async () => ({
      tree,
      head: EMPTY_LOG,
      making,
      wasDamaged: false,
      async find(query) {
        const found = index.query({ ...query, vector: null });
        if (!found.ok) throw new Error(found.refusal.message);
        return found.value;
      },
    }),
  };
}
