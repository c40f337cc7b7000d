import { makeChanges, type Change } from '../change.ts';
import { restsBelow } from '../invariants.ts';
import { lessonContentHash, ROOT_ID, type Lesson, type Node } from '../node.ts';
import type { Operation } from '../operation.ts';
import { isSameJson } from '../same-json.ts';
import {
  childrenOf,
  depthOf,
  getGroup,
  getNode,
  heightOf,
  lineageOf,
  outcomesOf,
  type Tree,
} from '../tree.ts';
import { no, yes, type Plan } from './refusal.ts';

type Refused = ReturnType<typeof no>;

/**
 * R12, R13, R21, R22: valid only where every record still equals `from`, and every invariant holds
 * after. The invariants hold before, so only what the records can have broken is looked at: the cost
 * grows with them, not with the bank. A property test holds it to the check of the whole tree.
 */
export function planRestore(
  tree: Tree,
  { records }: Extract<Operation, { type: 'restore' }>,
): Plan {
  const moved = firstMoved(tree, records);
  if (moved !== null) return no('record-moved', `${moved} was changed since`, 'records');
  const misnamed = records.find(
    (record) => record.table === 'node' && record.to !== null && record.to.id !== record.id,
  );
  if (misnamed !== undefined) {
    return no('breaks-invariant', `the record of ${misnamed.id} calls itself otherwise`);
  }
  const after = makeChanges(tree, records);
  const touched = touchedNodes(tree, after, records);
  return (
    checkPlaces(after, touched) ??
    checkContents(tree, touched) ??
    checkIds(after, records) ??
    checkSummaries(tree, after, touched) ??
    yes(records, after)
  );
}

/** The first record that is not what `from` says when its turn comes, or null. */
function firstMoved(tree: Tree, records: readonly Change[]): string | null {
  const changed = new Map<string, Change['to']>();
  for (const record of records) {
    const key = `${record.table}/${record.id}`;
    const present = changed.has(key) ? changed.get(key) : presentOf(tree, record);
    if (!isSameJson(present, record.from)) return record.id;
    changed.set(key, record.to);
  }
  return null;
}

function presentOf(tree: Tree, change: Change) {
  switch (change.table) {
    case 'node':
      return tree.nodes.get(change.id) ?? null;
    case 'alias':
      return tree.aliases.get(change.id) ?? null;
    case 'outcome':
      return tree.outcomes.get(change.id) ?? null;
    case 'state':
      return tree.frozen;
  }
}

interface Touched {
  readonly id: string;
  readonly before: Node | undefined;
  readonly after: Node | undefined;
}

function touchedNodes(before: Tree, after: Tree, records: readonly Change[]): readonly Touched[] {
  const ids = new Set(records.flatMap(({ table, id }) => (table === 'node' ? [id] : [])));
  return [...ids].map((id) => ({ id, before: getNode(before, id), after: getNode(after, id) }));
}

function hasMoved({ before, after }: Touched): boolean {
  return before === undefined || after === undefined || before.parent !== after.parent;
}

/**
 * I1 to I6 of what was touched. An untouched node keeps its parent, so it hangs right where the touched
 * ones above it do; and it lies too deep only below one that moved, whose height tells.
 */
function checkPlaces(tree: Tree, touched: readonly Touched[]): Refused | null {
  const { maxChildren, maxDepth } = tree.manifest;
  const root = getGroup(tree, ROOT_ID);
  if (root === undefined || root.parent !== null) return no('breaks-invariant', 'there is no root');
  for (const each of touched) {
    const { id, after } = each;
    if (after?.kind !== 'group' && childrenOf(tree, id).length > 0) {
      return no('breaks-invariant', `what lies in ${id} would hang from no group`);
    }
    if (after === undefined || id === ROOT_ID) continue;
    const { parent } = after;
    if (parent === null) {
      if (after.kind === 'lesson') continue;
      return no('breaks-invariant', `${id} would be a second root`);
    }
    if (after.kind === 'lesson' && after.status === 'retired') {
      return no('breaks-invariant', `${id} would be retired and placed`);
    }
    if (getGroup(tree, parent) === undefined || lineageOf(tree, id).length === 0) {
      return no('breaks-invariant', `${id} would hang from nothing, or from itself`);
    }
    if (childrenOf(tree, parent).length > maxChildren) {
      const title = getGroup(tree, parent)?.title ?? parent;
      return no('over-capacity', `“${title}” would have more than ${maxChildren} children`);
    }
    if (hasMoved(each) && depthOf(tree, id) + heightOf(tree, id) > maxDepth) {
      return no('too-deep', `a lesson would lie more than ${maxDepth} steps below the root`);
    }
  }
  return null;
}

/** I8 and I9 of lessons that were touched, against the others as they were. */
function checkContents(before: Tree, touched: readonly Touched[]): Refused | null {
  const active = new Map<string, string>();
  const ids = new Set(touched.map(({ id }) => id));
  for (const { id, before: old, after } of touched) {
    if (after?.kind !== 'lesson') continue;
    if (!keepsContent(old, after) && lessonContentHash(after.content) !== after.contentHash) {
      return no('breaks-invariant', `the content hash of ${id} would be wrong`);
    }
    if (after.status === 'retired') continue;
    const known = before.index.contents.get(after.contentHash);
    const same =
      active.get(after.contentHash) ?? (known !== undefined && !ids.has(known) ? known : undefined);
    if (same !== undefined) return no('breaks-invariant', `${id} and ${same} would say the same`);
    active.set(after.contentHash, id);
  }
  return null;
}

function keepsContent(old: Node | undefined, { content, contentHash }: Lesson): boolean {
  return (
    old?.kind === 'lesson' && old.contentHash === contentHash && isSameJson(old.content, content)
  );
}

/** I4 of ids: what was touched leads to something, and nothing leads to what is gone. */
function checkIds(tree: Tree, records: readonly Change[]): Refused | null {
  const isThere = (id: string) => tree.nodes.has(id) || tree.aliases.has(id);
  for (const { table, id } of records) {
    if (table === 'state') continue;
    if (table === 'outcome') {
      const named = tree.outcomes.get(id)?.nodeId;
      if (named === undefined || isThere(named)) continue;
      return no('breaks-invariant', `an outcome would name ${named}, which is nothing`);
    }
    const aliases = tree.aliases.get(id) ?? [];
    if (tree.aliases.has(id) && getGroup(tree, id) !== undefined) {
      return no('breaks-invariant', `${id} would be a node and an alias`);
    }
    const lost = aliases.find((alias) => !isThere(alias));
    if (lost !== undefined) {
      return no('breaks-invariant', `${id} would resolve to ${lost}, which is nothing`);
    }
    if (isThere(id)) continue;
    if (tree.index.formerIds.has(id) || outcomesOf(tree, id).length > 0) {
      return no('breaks-invariant', `${id} is still spoken of`);
    }
  }
  return null;
}

/** I7 of summaries that were touched, rest on a touched lesson, or lay above something that moved. */
function checkSummaries(before: Tree, after: Tree, touched: readonly Touched[]): Refused | null {
  const groups = new Set<string>();
  for (const each of touched) {
    groups.add(each.id);
    for (const group of after.index.summarisedIn.get(each.id) ?? []) groups.add(group);
    if (!hasMoved(each)) continue;
    groups.add(ROOT_ID);
    for (const { id } of lineageOf(before, each.id)) groups.add(id);
  }
  for (const id of groups) {
    const group = getGroup(after, id);
    if (group !== undefined && !restsBelow(after, group)) {
      return no('breaks-invariant', `the summary of ${id} would rest on a lesson not below it`);
    }
  }
  return null;
}
