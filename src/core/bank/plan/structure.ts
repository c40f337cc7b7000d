import { changeAlias, changeNode, makeChanges, type Change, type NodeChange } from '../change.ts';
import { ROOT_ID, type Group } from '../node.ts';
import type { Operation } from '../operation.ts';
import {
  childrenOf,
  depthOf,
  getGroup,
  getLesson,
  getNode,
  heightOf,
  isBelow,
  type Tree,
} from '../tree.ts';
import { no, yes, type OperationRefusal, type Plan } from './refusal.ts';

type Of<T extends Operation['type']> = Extract<Operation, { type: T }>;

/** R3 to R6, R11 to R13: a batch of lessons under groups, some of them new. */
export function planPlace(tree: Tree, { groups, assignments }: Of<'place'>): Plan {
  const changes: Change[] = [];
  const fresh = new Map<string, Group>();
  for (const { id, parent, title, scope } of groups) {
    if (isTaken(tree, id) || fresh.has(id))
      return no('id-taken', `the id ${id} is taken`, 'groups');
    if (getGroup(tree, parent) === undefined && !fresh.has(parent)) {
      return no('not-a-group', `there is no group ${parent} to stand under`, 'groups');
    }
    const group: Group = { kind: 'group', id, parent, title, scope, summary: null };
    fresh.set(id, group);
    changes.push({ table: 'node', id, from: null, to: group });
  }
  const assigned = new Set<string>();
  for (const { lesson: id, under } of assignments) {
    const lesson = getLesson(tree, id);
    if (lesson === undefined) return no('not-a-lesson', `there is no lesson ${id}`, 'assignments');
    if (lesson.status !== 'active') return no('not-active', `${id} was retired`, 'assignments');
    if (assigned.has(id)) return no('assigned-twice', `${id} is assigned twice`, 'assignments');
    if (lesson.parent === under)
      return no('already-placed', `${id} lies there already`, 'assignments');
    if (getGroup(tree, under) === undefined && !fresh.has(under)) {
      return no('not-a-group', `there is no group ${under}`, 'assignments');
    }
    assigned.add(id);
    changes.push(changeNode(tree, id, { ...lesson, parent: under }));
  }
  const after = makeChanges(tree, changes);
  const touched = new Set([
    ...groups.map(({ parent }) => parent),
    ...assignments.map(({ under }) => under),
  ]);
  const moved = [...fresh.keys(), ...assigned];
  const refusal = checkShape(after, touched, moved);
  if (refusal !== null) return refusal;
  const voided = voidLeft(tree, after, assigned);
  return voided.length === 0 ? yes(changes, after) : yes([...voided, ...changes]);
}

/** Summaries of groups that a lesson has left no longer rest on it, so they are void. */
function voidLeft(tree: Tree, after: Tree, lessons: ReadonlySet<string>): NodeChange[] {
  const left = new Set(
    [...lessons].flatMap((lesson) =>
      (tree.index.summarisedIn.get(lesson) ?? []).filter((id) => !isBelow(after, lesson, id)),
    ),
  );
  return [...left].flatMap((id) => {
    const group = getGroup(tree, id);
    return group === undefined ? [] : [changeNode(tree, id, { ...group, summary: null })];
  });
}

/** R4, R12 to R14: siblings into one; the union keeps every child once, and merged ids resolve to it. */
export function planMerge(tree: Tree, operation: Of<'merge'>): Plan {
  const { into, title, scope } = operation;
  const ids = [...new Set(operation.groups)];
  const groups = ids.flatMap((id) => getGroup(tree, id) ?? []);
  if (groups.length < ids.length) return no('not-a-group', 'one of them is no group', 'groups');
  const [first] = groups;
  if (first === undefined || ids.length < 2) {
    return no('not-siblings', 'a merge takes two groups or more', 'groups');
  }
  if (ids.includes(ROOT_ID)) return no('at-the-root', 'the root merges with nothing', 'groups');
  if (groups.some(({ parent }) => parent !== first.parent)) {
    return no('not-siblings', 'the groups do not stand side by side', 'groups');
  }
  if (!ids.includes(into) && isTaken(tree, into)) {
    return no('id-taken', `the id ${into} is taken`, 'into');
  }
  const { parent } = first;
  const merged: Group = { kind: 'group', id: into, parent, title, scope, summary: null };
  const changes: Change[] = [changeNode(tree, into, merged)];
  for (const id of ids) {
    for (const child of childrenOf(tree, id)) {
      const node = getNode(tree, child);
      if (node !== undefined && id !== into) {
        changes.push(changeNode(tree, child, { ...node, parent: into }));
      }
    }
    if (id !== into) changes.push(changeNode(tree, id, null), changeAlias(tree, id, [into]));
  }
  const after = makeChanges(tree, changes);
  return checkShape(after, new Set([into])) ?? yes(changes, after);
}

/** R4, R12, R13, R15, R16: a group into parts that partition its children exactly. */
export function planSplit(tree: Tree, { group: id, parts, lift }: Of<'split'>): Plan {
  const group = getGroup(tree, id);
  if (group === undefined) return no('not-a-group', `there is no group ${id}`, 'group');
  const { parent } = group;
  if (lift && parent === null) return no('at-the-root', 'the root cannot be lifted', 'lift');
  const refusal = checkPartition(tree, { id, parts });
  if (refusal !== null) return refusal;
  const under = lift && parent !== null ? parent : id;
  const changes: Change[] = parts.map((part) => ({
    table: 'node',
    id: part.id,
    from: null,
    to: {
      kind: 'group',
      id: part.id,
      parent: under,
      title: part.title,
      scope: part.scope,
      summary: null,
    },
  }));
  for (const part of parts) {
    for (const child of part.children) {
      const node = getNode(tree, child);
      if (node !== undefined) changes.push(changeNode(tree, child, { ...node, parent: part.id }));
    }
  }
  if (lift) {
    const partIds = parts.map((part) => part.id);
    changes.push(changeNode(tree, id, null), changeAlias(tree, id, partIds));
  }
  const touched = new Set([under, ...parts.map((part) => part.id)]);
  const after = makeChanges(tree, changes);
  return checkShape(after, touched) ?? yes(changes, after);
}

function checkPartition(
  tree: Tree,
  { id, parts }: Pick<Of<'split'>, 'parts'> & { readonly id: string },
): { readonly ok: false; readonly refusal: OperationRefusal } | null {
  const partIds = new Set(parts.map((part) => part.id));
  if (partIds.size < parts.length || parts.some((part) => isTaken(tree, part.id))) {
    return no('id-taken', 'the id of a part is taken', 'parts');
  }
  const present = childrenOf(tree, id);
  const given = parts.flatMap(({ children }) => children);
  const exact =
    parts.length >= 2 &&
    parts.every(({ children }) => children.length > 0) &&
    given.length === present.length &&
    new Set(given).size === given.length &&
    given.every((child) => present.includes(child));
  return exact
    ? null
    : no(
        'not-a-partition',
        'two parts or more, none empty, must hold every child of the group once',
        'parts',
      );
}

/**
 * R12, R13, R22 around what an operation touched: groups that gained children, and the nodes whose
 * depth may have grown, which are the same where nothing else is named.
 */
function checkShape(
  tree: Tree,
  touched: ReadonlySet<string>,
  moved: Iterable<string> = touched,
): { readonly ok: false; readonly refusal: OperationRefusal } | null {
  const { maxChildren, maxDepth } = tree.manifest;
  for (const id of touched) {
    if (childrenOf(tree, id).length > maxChildren) {
      const title = getGroup(tree, id)?.title ?? id;
      return no('over-capacity', `“${title}” would have more than ${maxChildren} children`);
    }
    if (id !== ROOT_ID && depthOf(tree, id) === 0) {
      return no('breaks-invariant', `${id} would hang from nothing, or from itself`);
    }
  }
  for (const id of moved) {
    if (depthOf(tree, id) + heightOf(tree, id) > maxDepth) {
      return no('too-deep', `a lesson would lie more than ${maxDepth} steps below the root`);
    }
  }
  return null;
}

function isTaken(tree: Tree, id: string): boolean {
  return tree.nodes.has(id) || tree.aliases.has(id);
}
