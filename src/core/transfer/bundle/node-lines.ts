import { rankOf } from '../../bank/rank.ts';
import { childrenOf, getNode, pathOf, type Tree } from '../../bank/tree.ts';
import { ROOT_ID } from '../../bank/node.ts';
import { canonicalJson } from '../../canonical.ts';

/**
 * The tree as lines for people and other tools, all derived from the log: each node with its path of
 * titles and its rank. First what has a place, depth first, children by id; then what has none (lessons
 * that wait, and retired ones), by id.
 */
export function* nodeLines(tree: Tree): Generator<string> {
  const placed = new Set<string>();
  for (const id of placedIds(tree, ROOT_ID)) {
    placed.add(id);
    yield nodeLine(tree, id);
  }
  const rest = [...tree.nodes.entries()].flatMap(([id]) => (placed.has(id) ? [] : [id]));
  for (const id of rest.sort()) yield nodeLine(tree, id);
}

function* placedIds(tree: Tree, id: string): Generator<string> {
  yield id;
  for (const child of childrenOf(tree, id)) yield* placedIds(tree, child);
}

function nodeLine(tree: Tree, id: string): string {
  return canonicalJson({ ...getNode(tree, id), path: pathOf(tree, id), rank: rankOf(tree, id) });
}

/** How many nodes of each kind a tree has: active lessons, retired ones, groups with the root. */
export function countNodes(tree: Tree): {
  readonly lessons: number;
  readonly retired: number;
  readonly groups: number;
} {
  const counts = { lessons: 0, retired: 0, groups: 0 };
  for (const [, node] of tree.nodes.entries()) {
    if (node.kind === 'group') counts.groups += 1;
    else if (node.status === 'active') counts.lessons += 1;
    else counts.retired += 1;
  }
  return counts;
}
