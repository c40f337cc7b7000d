import { isSameJson } from '../same-json.ts';
import type { Conflict, Group, Node } from '../node.ts';
import { rankOf } from '../rank.ts';
import { getNode, titleOf, type Tree } from '../tree.ts';
import { lessonChanges } from './lesson-changes.ts';
import { structureChanges, type Compared, type StructureChanges } from './structure-changes.ts';
import { TREE_CHANGE_TYPES, type Named, type TreeChange } from './tree-change.ts';

/**
 * What differs between two trees of a bank, whichever came first: by type in the order of
 * `TREE_CHANGE_TYPES`, then by id. What the trees share is not looked at, so the cost grows with what
 * changed. Moves that a merge or a split explains are told as that merge or split; a lesson that came
 * and went in between is not told.
 */
export function changesBetween(before: Tree, after: Tree): readonly TreeChange[] {
  const compared: Compared = { before, after, nodes: after.nodes.differencesFrom(before.nodes) };
  const structure = structureChanges(compared);
  const changes = [
    ...frozenChange(compared),
    ...structure.changes,
    ...lessonChanges(compared, structure),
    ...groupChanges(compared, structure),
    ...rankChanges(compared),
    ...outcomeChanges(compared),
  ];
  const order = new Map(TREE_CHANGE_TYPES.map((type, at) => [type, at]));
  return changes.toSorted(
    (first, second) =>
      (order.get(first.type) ?? 0) - (order.get(second.type) ?? 0) ||
      (first.id < second.id ? -1 : first.id > second.id ? 1 : 0),
  );
}

function frozenChange({ before, after }: Compared): TreeChange[] {
  if (before.frozen === after.frozen) return [];
  const { id, name } = after.manifest;
  return [{ type: after.frozen ? 'bank-freeze' : 'bank-unfreeze', id, title: name }];
}

function groupChanges({ nodes }: Compared, structure: StructureChanges): TreeChange[] {
  return nodes.flatMap(({ key: id, before, after }): TreeChange[] => {
    const old = before?.kind === 'group' ? before : null;
    const now = after?.kind === 'group' ? after : null;
    const known = structure.explained.has(id);
    if (now === null) {
      return old === null || known ? [] : [{ type: 'group-remove', id, title: old.title }];
    }
    const { title, parent, scope } = now;
    const changes: TreeChange[] = [];
    if (old === null) {
      if (!known) changes.push({ type: 'group-add', id, title, under: parent });
    } else {
      const [from, was] = [old.parent, old.title];
      if (was !== title || old.scope !== scope) {
        changes.push({ type: 'group-rename', id, title, was, scope });
      }
      const moved = from !== parent && from !== null && parent !== null;
      if (moved && !structure.explainsMove(from, parent)) {
        changes.push({ type: 'group-move', id, title, from, to: parent });
      }
    }
    return [...changes, ...summaryChanges(old, now)];
  });
}

function summaryChanges(old: Group | null, now: Group): TreeChange[] {
  const [was, is] = [old?.summary ?? null, now.summary];
  const { id, title } = now;
  const conflicts = conflictChanges(now, was?.conflicts ?? [], is?.conflicts ?? []);
  if (was === null && is === null) return [];
  if (was === null) return [{ type: 'summary-write', id, title }, ...conflicts];
  if (is === null) return [{ type: 'summary-void', id, title }, ...conflicts];
  const isSame = isSameJson({ ...was, conflicts: [] }, { ...is, conflicts: [] });
  return isSame ? conflicts : [{ type: 'summary-change', id, title }, ...conflicts];
}

function conflictChanges(
  { id, title }: Group,
  before: readonly Conflict[],
  after: readonly Conflict[],
): TreeChange[] {
  const known = new Map(before.map((conflict) => [conflictKey(conflict), conflict]));
  const changes = after.flatMap((conflict): TreeChange[] => {
    const key = conflictKey(conflict);
    const old = known.get(key);
    known.delete(key);
    const { lessons, about, settled } = conflict;
    if (old !== undefined && old.settled === settled) return [];
    return settled === null
      ? [{ type: 'conflict-open', id, title, lessons, about }]
      : [{ type: 'conflict-settle', id, title, lessons, about, settled }];
  });
  const closed = [...known.values()].map(({ lessons, about }): TreeChange => {
    return { type: 'conflict-close', id, title, lessons, about };
  });
  return [...changes, ...closed];
}

function conflictKey({ lessons }: Conflict): string {
  return lessons.toSorted().join('\n');
}

/** Ranks of the groups whose record, lessons or outcomes changed: no other can have. */
function rankChanges({ before, after, nodes }: Compared): TreeChange[] {
  const groups = new Set<string>();
  const restOn = (id: string) => {
    for (const tree of [before, after]) {
      for (const group of tree.index.summarisedIn.get(id) ?? []) groups.add(group);
    }
  };
  for (const { key, before: old, after: now } of nodes) {
    if (old?.kind === 'group' || now?.kind === 'group') groups.add(key);
    else restOn(key);
  }
  for (const outcome of after.outcomes.differencesFrom(before.outcomes)) {
    const id = (outcome.after ?? outcome.before)?.nodeId ?? '';
    groups.add(id);
    restOn(id);
  }
  return [...groups].flatMap((id): TreeChange[] => {
    const [from, to] = [groupRank(before, id), groupRank(after, id)];
    const isSame = from === to || (from ?? 'group') === (to ?? 'group');
    return isSame ? [] : [{ type: 'rank-change', ...named(before, after, id), from, to }];
  });
}

function groupRank(tree: Tree, id: string) {
  return getNode(tree, id)?.kind === 'group' ? rankOf(tree, id) : null;
}

function outcomeChanges({ before, after }: Compared): TreeChange[] {
  return after.outcomes.differencesFrom(before.outcomes).flatMap((one) => {
    if (isSameJson(one.before, one.after)) return [];
    const told = (type: 'outcome-record' | 'outcome-remove', outcome: typeof one.after) =>
      outcome === undefined
        ? []
        : [
            {
              type,
              ...named(before, after, outcome.nodeId),
              retrievalId: outcome.retrievalId,
              result: outcome.result,
            },
          ];
    return [...told('outcome-remove', one.before), ...told('outcome-record', one.after)];
  });
}

function named(before: Tree, after: Tree, id: string): Named {
  const node: Node | undefined = getNode(after, id) ?? getNode(before, id);
  return { id, title: node === undefined ? id : titleOf(node) };
}
