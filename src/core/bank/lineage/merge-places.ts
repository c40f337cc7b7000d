import type { Lesson, Node } from '../node.ts';
import type { NewGroup } from '../operation.ts';
import type { Difference } from '../persistent-map.ts';
import { childrenOf, depthOf, getGroup, getLesson, groupsFrom, lineageOf } from '../tree.ts';
import type { GroupsMerged } from './merge-groups.ts';
import type { MergeWork } from './merge-work.ts';

/** A lesson of ours that theirs has under a group. */
interface Wanted {
  readonly theirs: Lesson;
  readonly ours: Lesson;
  readonly under: string;
}

/**
 * Gives lessons the places they have there: those that have none here, and those that theirs moved and
 * ours did not. Groups that are missing are made under the corresponding parent, where capacity and
 * depth allow; else the lesson waits for the next maintenance step.
 */
export function mergePlaces(
  work: MergeWork,
  nodes: readonly Difference<Node>[],
  groups: GroupsMerged,
): void {
  const wanted = new Map<string, Wanted[]>();
  for (const { before, after } of nodes) {
    if (after?.kind !== 'lesson' || after.status === 'retired' || after.parent === null) continue;
    const base = before?.kind === 'lesson' ? before : null;
    const ours = work.ourLesson(after);
    if (ours?.status !== 'active') continue;
    const want = { theirs: after, ours, under: after.parent };
    if (ours.parent === null || isFollowed(work, { base, groups, want })) {
      wanted.set(after.parent, [...(wanted.get(after.parent) ?? []), want]);
    }
  }
  const { theirs } = work.input;
  const ordered = [...wanted].toSorted(
    ([first], [second]) =>
      depthOf(theirs, first) - depthOf(theirs, second) || (first < second ? -1 : 1),
  );
  for (const [under, lessons] of ordered) placeUnder(work, under, lessons);
  listFull(work);
}

/** Whether theirs moved the lesson since the ancestor and ours is to follow. */
function isFollowed(
  work: MergeWork,
  {
    base,
    groups,
    want,
  }: { readonly base: Lesson | null; readonly groups: GroupsMerged; readonly want: Wanted },
): boolean {
  const { theirs, ours, under } = want;
  if (base === null || base.parent === null || base.parent === under) return false;
  if (groups.isRefusedMove(base.parent, under)) return false;
  if (ours.parent === work.ourGroup(under)) return false;
  const here = getLesson(work.input.ours, ours.id);
  if (here?.parent === base.parent) return true;
  const message = `“${theirs.content.title}” was moved here and there, each elsewhere.`;
  return work.isForTheirs({
    reason: 'moved-differently',
    message,
    theirs: theirs.id,
    ours: ours.id,
  });
}

function placeUnder(work: MergeWork, under: string, wanted: readonly Wanted[]): void {
  const target = targetOf(work, under);
  const lessons = wanted.toSorted((first, second) => (first.ours.id < second.ours.id ? -1 : 1));
  const room = target === null ? 0 : roomFor(work, target);
  const taken = lessons.slice(0, room);
  if (target !== null && taken.length > 0) {
    const operation = {
      type: 'place' as const,
      groups: [...target.create],
      assignments: taken.map(({ ours }) => ({ lesson: ours.id, under: target.under })),
    };
    if (work.take(operation, under)) target.theirs.forEach(([id, own]) => work.isGroup(id, own));
  }
  for (const { theirs, ours } of lessons.slice(room)) {
    if (ours.parent === null) continue;
    const message = `“${theirs.content.title}” was moved there; here there is no room for that.`;
    work.oppose({ reason: 'no-room', message, theirs: theirs.id, ours: ours.id });
  }
}

/** Where a group of theirs is here, and the groups to make so that it is. */
interface Target {
  readonly under: string;
  readonly create: readonly NewGroup[];
  /** Their groups that are made, and the ids they get. */
  readonly theirs: readonly (readonly [string, string])[];
}

function targetOf(work: MergeWork, id: string): Target | null {
  const known = work.ourGroup(id);
  if (known !== null) return { under: known, create: [], theirs: [] };
  const group = getGroup(work.input.theirs, id);
  // An id that resolves to several groups here says no place.
  if (group === undefined || group.parent === null || work.tree.aliases.has(id)) return null;
  const parent = targetOf(work, group.parent);
  if (parent === null) return null;
  const { title, scope } = group;
  const own = work.idFor(id);
  return {
    under: own,
    create: [...parent.create, { id: own, parent: parent.under, title, scope }],
    theirs: [...parent.theirs, [id, own]],
  };
}

function roomFor(work: MergeWork, { under, create }: Target): number {
  const { maxChildren, maxDepth } = work.tree.manifest;
  const attach = create[0]?.parent ?? under;
  if (depthOf(work.tree, attach) + create.length + 1 > maxDepth) return 0;
  const room = maxChildren - childrenOf(work.tree, attach).length;
  return create.length === 0 ? Math.max(0, room) : room > 0 ? maxChildren : 0;
}

/** Lessons that wait where no group has room at all. */
function listFull(work: MergeWork): void {
  const waiting = work.tree.index.unplaced.size;
  if (waiting === 0) return;
  const { maxChildren, maxDepth } = work.tree.manifest;
  for (const { id } of groupsFrom(work.tree)) {
    const hasRoom = childrenOf(work.tree, id).length < maxChildren;
    if (hasRoom && lineageOf(work.tree, id).length < maxDepth) return;
  }
  const message = `Our tree has no room: ${waiting} of its lessons wait for a place.`;
  work.oppose({ reason: 'bank-full', message, theirs: 'bank' });
}
