import { ROOT_ID, type Lesson } from '../bank/node.ts';
import { childrenOf, depthOf, getGroup, getNode, pathOf, type Tree } from '../bank/tree.ts';
import { tokenize } from '../recall/tokenize.ts';
import { groupIndexOf } from './group-index.ts';
import type { ChildView, GroupView } from './organizer.ts';
import { placementText } from './placement-text.ts';

/** The organizer sees this many groups at most, whatever the bank's size (cost rule, DESIGN.md §3). */
export const GROUPS_SEEN = 24;
/** And this many lessons of each. */
export const LESSONS_SEEN = 12;
/** Of a child that is a group, this many. */
export const LESSONS_OF_CHILD = 3;

/** The root, and the groups that `lessons` recall best, each with a few of its lessons. */
export function groupViews(tree: Tree, lessons: readonly Lesson[]): readonly GroupView[] {
  const index = groupIndexOf(tree);
  const most = GROUPS_SEEN - 1;
  const hits = lessons.map((lesson) =>
    index.search(tokenize(placementText(lesson)), most, (id) => hasRoom(tree, id)),
  );
  const ids = new Set<string>([ROOT_ID]);
  // Each lesson's best group first, then each one's second best, until there are enough; then the
  // groups at the top, so that a bank's few groups are all seen.
  for (let rank = 0; rank < most; rank += 1) {
    for (const ranked of hits) {
      const id = ranked[rank];
      if (id !== undefined && ids.size < GROUPS_SEEN) ids.add(id);
    }
  }
  for (const id of childrenOf(tree, ROOT_ID)) if (ids.size < GROUPS_SEEN) ids.add(id);
  return [...ids].flatMap((id) => viewOf(tree, id) ?? []);
}

/** A group with a few of its lessons; null where the id is no group's. The root shows none. */
export function viewOf(tree: Tree, id: string): GroupView | null {
  const group = getGroup(tree, id);
  if (group === undefined) return null;
  const children = childrenOf(tree, id);
  return {
    group,
    path: pathOf(tree, id),
    lessons: id === ROOT_ID ? [] : sampleLessons(tree, id, LESSONS_SEEN),
    childCount: children.length,
    groupCount: children.filter((child) => getGroup(tree, child) !== undefined).length,
    depth: depthOf(tree, id),
  };
}

/** A group's children, those that are groups with a few of their lessons. */
export function childViews(tree: Tree, groupId: string): readonly ChildView[] {
  return childrenOf(tree, groupId).flatMap((id): ChildView[] => {
    const node = getNode(tree, id);
    if (node === undefined) return [];
    const lessons = node.kind === 'lesson' ? [node] : sampleLessons(tree, id, LESSONS_OF_CHILD);
    return [{ node, lessons }];
  });
}

/** Lessons below a group, as evenly from its children as there are lessons; few nodes are looked at. */
export function sampleLessons(tree: Tree, groupId: string, most: number): readonly Lesson[] {
  const children = childrenOf(tree, groupId);
  const taken: Lesson[] = [];
  for (const [at, id] of children.entries()) {
    const node = getNode(tree, id);
    const left = most - taken.length;
    if (left <= 0 || node === undefined) break;
    const share = Math.ceil(left / (children.length - at));
    if (node.kind === 'lesson') taken.push(node);
    else taken.push(...sampleLessons(tree, id, share));
  }
  return taken;
}

/** Whether a group can take one more child without passing capacity or depth. */
export function hasRoom(tree: Tree, id: string): boolean {
  const { maxChildren, maxDepth } = tree.manifest;
  return childrenOf(tree, id).length < maxChildren && depthOf(tree, id) < maxDepth;
}
