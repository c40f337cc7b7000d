import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyOperation } from '../../../src/core/bank/apply.ts';
import { emptyTree, type Tree } from '../../../src/core/bank/tree.ts';
import { recallChanges, type RecalledNode } from '../../../src/core/recall/recall-changes.ts';
import { draws, longDraws, manifest, operationOf, person } from '../bank/draws.ts';
import { isFull, LIMIT_MS, noteCounts } from '../full-counts.ts';

/** All that recall sees of a tree. */
function seen(tree: Tree): ReadonlyMap<string, RecalledNode> {
  const nodes = recallChanges(emptyTree(tree.manifest), tree);
  return new Map(nodes.flatMap(({ id, node }) => (node === null ? [] : [[id, node]])));
}

test(
  'changes taken in one by one leave what recall sees of the tree, and tell only of what differs',
  (context) => {
    let told = 0;
    fc.assert(
      fc.property(isFull ? longDraws : draws, (sequence) => {
        let tree = emptyTree(manifest);
        const known = new Map<string, RecalledNode>();
        sequence.forEach((draw, turn) => {
          const applied = applyOperation(tree, operationOf(tree, draw, turn), person);
          if (!applied.ok) return;
          const after = applied.value.tree;
          for (const { id, node } of recallChanges(tree, after)) {
            expect(known.get(id)).not.toEqual(node ?? undefined);
            if (node === null) known.delete(id);
            else known.set(id, node);
            told += 1;
          }
          tree = after;
          expect(known).toEqual(seen(tree));
        });
      }),
      { seed: 20261203, numRuns: isFull ? 1500 : 100 },
    );
    expect(told).toBeGreaterThan(100);
    noteCounts(context, { changes: told });
  },
  LIMIT_MS,
);
