import { ROOT_ID } from '../../core/bank/node.ts';
import { childrenOf, getNode, type Tree } from '../../core/bank/tree.ts';

const known = new WeakMap<Tree, ReadonlyMap<string, number>>();

/** How many active lessons lie below each group of a tree, itself counted for a lesson; once a tree. */
export function lessonCounts(tree: Tree): ReadonlyMap<string, number> {
  const found = known.get(tree);
  if (found !== undefined) return found;
  const counts = new Map<string, number>();
  const countOf = (id: string): number => {
    const node = getNode(tree, id);
    const count =
      node?.kind === 'lesson'
        ? Number(node.status === 'active')
        : childrenOf(tree, id).reduce((sum, child) => sum + countOf(child), 0);
    counts.set(id, count);
    return count;
  };
  countOf(ROOT_ID);
  known.set(tree, counts);
  return counts;
}
