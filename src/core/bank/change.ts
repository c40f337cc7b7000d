import { unreachable } from '../result.ts';
import type { Node } from './node.ts';
import type { Operation, Outcome } from './operation.ts';
import type { PersistentMap } from './persistent-map.ts';
import type { Tree, TreeIndex } from './tree.ts';

/** One record going from one value to another; `null`: it is not there. */
export type Change = Extract<Operation, { type: 'restore' }>['records'][number];

export type NodeChange = Extract<Change, { table: 'node' }>;

/** A change of a node from what the tree has to `to`. */
export function changeNode(tree: Tree, id: string, to: Node | null): NodeChange {
  return { table: 'node', id, from: tree.nodes.get(id) ?? null, to };
}

/** A change of what a former id resolves to. */
export function changeAlias(tree: Tree, id: string, to: readonly string[] | null): Change {
  const from = tree.aliases.get(id);
  return {
    table: 'alias',
    id,
    from: from === undefined ? null : [...from],
    to: to === null ? null : [...to],
  };
}

/** The same changes backwards: what takes them back. */
export function invertChanges(changes: readonly Change[]): Change[] {
  return changes.toReversed().map(invertChange);
}

function invertChange(change: Change): Change {
  switch (change.table) {
    case 'node':
      return { ...change, from: change.to, to: change.from };
    case 'alias':
      return { ...change, from: change.to, to: change.from };
    case 'outcome':
      return { ...change, from: change.to, to: change.from };
    case 'state':
      return { ...change, from: change.to, to: change.from };
    default:
      return unreachable(change);
  }
}

/** The tree with the changes made, its index kept up. Trusts that each record equals `from`. */
export function makeChanges(tree: Tree, changes: readonly Change[]): Tree {
  return changes.reduce(makeChange, tree);
}

function makeChange(tree: Tree, change: Change): Tree {
  switch (change.table) {
    case 'node': {
      const { id, from, to } = change;
      const nodes = to === null ? tree.nodes.delete(id) : tree.nodes.set(id, to);
      return { ...tree, nodes, index: indexNode(tree.index, from, to) };
    }
    case 'alias': {
      const { id, to } = change;
      const aliases = to === null ? tree.aliases.delete(id) : tree.aliases.set(id, to);
      return { ...tree, aliases };
    }
    case 'outcome': {
      const { id, from, to } = change;
      const outcomes = to === null ? tree.outcomes.delete(id) : tree.outcomes.set(id, to);
      return { ...tree, outcomes, index: indexOutcome(tree.index, id, { from, to }) };
    }
    case 'state':
      return { ...tree, frozen: change.to };
    default:
      return unreachable(change);
  }
}

function indexNode(index: TreeIndex, from: Node | null, to: Node | null): TreeIndex {
  const taken = from === null ? index : withoutNode(index, from);
  return to === null ? taken : withNode(taken, to);
}

function withNode(index: TreeIndex, node: Node): TreeIndex {
  const { parent, id } = node;
  const children = parent === null ? index.children : addTo(index.children, parent, id);
  if (node.kind === 'group') {
    let { summarisedIn } = index;
    for (const lesson of summarised(node)) summarisedIn = addTo(summarisedIn, lesson, id);
    return { ...index, children, summarisedIn };
  }
  if (node.status === 'retired') return { ...index, children };
  return {
    ...index,
    children,
    unplaced: parent === null ? index.unplaced.set(id, true) : index.unplaced,
    contents: index.contents.set(node.contentHash, id),
    activeLessons: index.activeLessons + 1,
  };
}

function withoutNode(index: TreeIndex, node: Node): TreeIndex {
  const { parent, id } = node;
  const children = parent === null ? index.children : removeFrom(index.children, parent, id);
  if (node.kind === 'group') {
    let { summarisedIn } = index;
    for (const lesson of summarised(node)) summarisedIn = removeFrom(summarisedIn, lesson, id);
    return { ...index, children, summarisedIn };
  }
  if (node.status === 'retired') return { ...index, children };
  const own = index.contents.get(node.contentHash) === id;
  return {
    ...index,
    children,
    unplaced: index.unplaced.delete(id),
    contents: own ? index.contents.delete(node.contentHash) : index.contents,
    activeLessons: index.activeLessons - 1,
  };
}

/** Lessons that a group's summary rests on or names in a conflict. */
function summarised({ summary }: Extract<Node, { kind: 'group' }>): ReadonlySet<string> {
  if (summary === null) return new Set();
  return new Set([...summary.supportedBy, ...summary.conflicts.flatMap(({ lessons }) => lessons)]);
}

function indexOutcome(
  index: TreeIndex,
  key: string,
  { from, to }: { readonly from: Outcome | null; readonly to: Outcome | null },
): TreeIndex {
  let { outcomesOf } = index;
  if (from !== null) outcomesOf = removeFrom(outcomesOf, from.nodeId, key);
  if (to !== null) outcomesOf = addTo(outcomesOf, to.nodeId, key);
  return { ...index, outcomesOf };
}

function addTo(
  map: PersistentMap<readonly string[]>,
  key: string,
  id: string,
): PersistentMap<readonly string[]> {
  const ids = map.get(key) ?? [];
  if (ids.includes(id)) return map;
  const at = ids.findIndex((other) => other > id);
  return map.set(key, at < 0 ? [...ids, id] : ids.toSpliced(at, 0, id));
}

function removeFrom(
  map: PersistentMap<readonly string[]>,
  key: string,
  id: string,
): PersistentMap<readonly string[]> {
  const ids = (map.get(key) ?? []).filter((other) => other !== id);
  return ids.length === 0 ? map.delete(key) : map.set(key, ids);
}
