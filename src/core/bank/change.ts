import { unreachable } from '../result.ts';
import type { Node } from './node.ts';
import type { Operation } from './operation.ts';
import type { PersistentMap } from './persistent-map.ts';
import type { Tree, TreeIndex } from './tree.ts';
import { namedIn } from './tree-from-records.ts';

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

/**
 * The tree with the changes made, its index kept up. Trusts that each record equals `from`, or what an
 * earlier change of the list made of it.
 */
export function makeChanges(tree: Tree, changes: readonly Change[]): Tree {
  let { nodes, aliases, outcomes, frozen, index } = tree;
  const net = changes.length === 1 ? changes : netChanges(changes);
  // What goes leaves the index before what comes enters it, so that no order of records matters.
  for (const change of net) index = withoutRecord(index, change);
  for (const change of net) {
    index = withRecord(index, change);
    const { table, id, to } = change;
    if (table === 'node') nodes = to === null ? nodes.delete(id) : nodes.set(id, to);
    else if (table === 'alias') aliases = to === null ? aliases.delete(id) : aliases.set(id, to);
    else if (table === 'outcome') {
      outcomes = to === null ? outcomes.delete(id) : outcomes.set(id, to);
    } else frozen = change.to;
  }
  return { manifest: tree.manifest, nodes, aliases, outcomes, frozen, index };
}

/** One change a record: from what it was before all of them to what it is after. */
function netChanges(changes: readonly Change[]): readonly Change[] {
  const net = new Map<string, Change>();
  for (const change of changes) {
    const key = `${change.table}/${change.id}`;
    const first = net.get(key);
    // The key names the table, so both are of one kind.
    net.set(key, first === undefined ? change : ({ ...change, from: first.from } as Change));
  }
  return [...net.values()];
}

function withoutRecord(index: TreeIndex, change: Change): TreeIndex {
  switch (change.table) {
    case 'node':
      return change.from === null ? index : withoutNode(index, change.from, change.to);
    case 'alias': {
      let { formerIds } = index;
      for (const target of change.from ?? []) formerIds = removeFrom(formerIds, target, change.id);
      return formerIds === index.formerIds ? index : { ...index, formerIds };
    }
    case 'outcome': {
      if (change.from === null) return index;
      const outcomesOf = removeFrom(index.outcomesOf, change.from.nodeId, change.id);
      return { ...index, outcomesOf };
    }
    case 'state':
      return index;
    default:
      return unreachable(change);
  }
}

function withRecord(index: TreeIndex, change: Change): TreeIndex {
  switch (change.table) {
    case 'node':
      return change.to === null ? index : withNode(index, change.to, change.from);
    case 'alias': {
      let { formerIds } = index;
      for (const target of change.to ?? []) formerIds = addTo(formerIds, target, change.id);
      return formerIds === index.formerIds ? index : { ...index, formerIds };
    }
    case 'outcome': {
      if (change.to === null) return index;
      return { ...index, outcomesOf: addTo(index.outcomesOf, change.to.nodeId, change.id) };
    }
    case 'state':
      return index;
    default:
      return unreachable(change);
  }
}

/** The index with what it says of `node`, but for what it says of `other` too. */
function withNode(index: TreeIndex, node: Node, other: Node | null): TreeIndex {
  const { parent, id } = node;
  let { children, summarisedIn, unplaced, contents, activeLessons } = index;
  if (parent !== null && parent !== other?.parent) children = addTo(children, parent, id);
  for (const lesson of summarised(node, other)) summarisedIn = addTo(summarisedIn, lesson, id);
  if (isUnplaced(node) && !isUnplaced(other)) unplaced = unplaced.set(id, true);
  const [content, otherContent] = [activeContent(node), activeContent(other)];
  if (content !== null && content !== otherContent) contents = contents.set(content, id);
  if (content !== null && otherContent === null) activeLessons += 1;
  return { ...index, children, summarisedIn, unplaced, contents, activeLessons };
}

/** The index without what it says of `node`, but for what it says of `other` too. */
function withoutNode(index: TreeIndex, node: Node, other: Node | null): TreeIndex {
  const { parent, id } = node;
  let { children, summarisedIn, unplaced, contents, activeLessons } = index;
  if (parent !== null && parent !== other?.parent) children = removeFrom(children, parent, id);
  for (const lesson of summarised(node, other)) {
    summarisedIn = removeFrom(summarisedIn, lesson, id);
  }
  if (isUnplaced(node) && !isUnplaced(other)) unplaced = unplaced.delete(id);
  const [content, otherContent] = [activeContent(node), activeContent(other)];
  if (content !== null && content !== otherContent && contents.get(content) === id) {
    contents = contents.delete(content);
  }
  if (content !== null && otherContent === null) activeLessons -= 1;
  return { ...index, children, summarisedIn, unplaced, contents, activeLessons };
}

function isUnplaced(node: Node | null): boolean {
  return node?.kind === 'lesson' && node.status === 'active' && node.parent === null;
}

function activeContent(node: Node | null): string | null {
  return node?.kind === 'lesson' && node.status === 'active' ? node.contentHash : null;
}

/** Lessons that a group's summary rests on or names in a conflict, and that of `other` does not. */
function summarised(node: Node, other: Node | null): readonly string[] {
  const own = node.kind === 'group' ? node.summary : null;
  if (own === null) return NONE;
  const its = other?.kind === 'group' ? other.summary : null;
  if (own === its) return NONE;
  const known = new Set(its === null ? NONE : namedIn(its));
  return [...new Set(namedIn(own))].filter((lesson) => !known.has(lesson));
}

const NONE: readonly string[] = [];

function addTo(
  map: PersistentMap<readonly string[]>,
  key: string,
  id: string,
): PersistentMap<readonly string[]> {
  const ids = map.get(key);
  if (ids === undefined) return map.set(key, [id]);
  if (ids.includes(id)) return map;
  const at = ids.findIndex((other) => other > id);
  return map.set(key, at < 0 ? [...ids, id] : ids.toSpliced(at, 0, id));
}

function removeFrom(
  map: PersistentMap<readonly string[]>,
  key: string,
  id: string,
): PersistentMap<readonly string[]> {
  const ids = (map.get(key) ?? NONE).filter((other) => other !== id);
  return ids.length === 0 ? map.delete(key) : map.set(key, ids);
}
