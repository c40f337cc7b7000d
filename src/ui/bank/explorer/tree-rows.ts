import { ROOT_ID, type Node } from '../../../core/bank/node.ts';
import { childrenOf, getNode, titleOf, type Tree } from '../../../core/bank/tree.ts';
import { treeFacts } from '../../../core/bank/tree-facts.ts';
import { isNarrow, makeMatcher, type Filter } from './row-filter.ts';

/** One node as the explorer shows it. Its rank is worked out where it is drawn. */
export interface TreeRow {
  readonly id: string;
  readonly node: Node;
  readonly title: string;
  /** 1 just below the root. */
  readonly level: number;
  readonly parentId: string;
  /** Active lessons below, itself counted. */
  readonly lessons: number;
  readonly hasChildren: boolean;
  /** Whether those are shown below it. */
  readonly open: boolean;
  /** 1-based place among its siblings that are shown, and how many those are. */
  readonly place: number;
  readonly siblings: number;
}

/**
 * The nodes below the root, depth first, groups before lessons; `isOpen` says which groups show theirs, by id and level.
 * Under a filter every group that holds a match is shown, and open.
 */
export function treeRows(
  tree: Tree,
  isOpen: (id: string, level: number) => boolean,
  filter: Filter,
): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const counts = treeFacts(tree).lessons;
  const narrow = isNarrow(filter);
  const passing = narrow ? passingNodes(tree, makeMatcher(tree, filter)) : null;
  const walk = (parentId: string, level: number) => {
    const children = sortedChildren(tree, parentId).filter(
      ({ id }) => passing === null || passing.has(id),
    );
    children.forEach((node, index) => {
      const { id } = node;
      // The lessons of a tree that is still being read are counted before they are there.
      const hasChildren =
        node.kind === 'group' && (childrenOf(tree, id).length > 0 || (counts.get(id) ?? 0) > 0);
      const open = hasChildren && (narrow || isOpen(id, level));
      rows.push({
        id,
        node,
        title: titleOf(node),
        level,
        parentId,
        lessons: counts.get(id) ?? 0,
        hasChildren,
        open,
        place: index + 1,
        siblings: children.length,
      });
      if (open) walk(id, level + 1);
    });
  };
  walk(ROOT_ID, 1);
  return rows;
}

function sortedChildren(tree: Tree, id: string): readonly Node[] {
  const groups: Node[] = [];
  const lessons: Node[] = [];
  for (const childId of childrenOf(tree, id)) {
    const child = getNode(tree, childId);
    if (child?.kind === 'group') groups.push(child);
    else if (child?.status === 'active') lessons.push(child);
  }
  return [...groups, ...lessons];
}

/** A group passes by itself or with any node below it. */
function passingNodes(tree: Tree, matches: (node: Node) => boolean): ReadonlySet<string> {
  const passing = new Set<string>();
  const visit = (id: string): boolean => {
    const node = getNode(tree, id);
    if (node === undefined) return false;
    let passes = matches(node);
    for (const child of childrenOf(tree, id)) if (visit(child)) passes = true;
    if (passes) passing.add(id);
    return passes;
  };
  visit(ROOT_ID);
  return passing;
}
