import { ROOT_ID, type Lesson } from '../bank/node.ts';
import { childrenOf, depthOf, getGroup, getNode, pathOf, type Tree } from '../bank/tree.ts';
import { tokenize } from '../recall/tokenize.ts';
import { groupIndexOf } from './group-index.ts';
import type { ChildView, GroupView } from './organizer.ts';
import { placementText } from './placement-text.ts';

/** The organizer sees this many groups at most, whatever the bank's size (cost rule, DESIGN.md §3). */
export const GROUPS_SEEN = 36;
/** Of these, so many are recalled; the rest are what those stand under, and the top of the tree. */
const GROUPS_RECALLED = 24;
/** And this many lessons of each. */
export const LESSONS_SEEN = 12;
/** Of a child that is a group, this many. */
export const LESSONS_OF_CHILD = 3;

/**
 * The root, the groups that `lessons` recall best, the groups those stand under, and one level of the
 * tree; each with a few of its lessons.
 */
export function groupViews(tree: Tree, lessons: readonly Lesson[]): readonly GroupView[] {
  const found = recalled(tree, lessons);
  const above = found.flatMap((id) => getGroup(tree, id)?.parent ?? []);
  const all = new Set([ROOT_ID, ...found, ...above, ...childrenOf(tree, ROOT_ID)]);
  return [...all].slice(0, GROUPS_SEEN).flatMap((id) => viewOf(tree, id) ?? []);
}

/** Each lesson's best group first, then each one's second best, until there are enough. */
function recalled(tree: Tree, lessons: readonly Lesson[]): readonly string[] {
  const index = groupIndexOf(tree);
  const hits = lessons.map((lesson) =>
    index.search(tokenize(placementText(lesson)), GROUPS_RECALLED, (id) => hasRoom(tree, id)),
  );
  const ids = new Set<string>();
  for (let rank = 0; rank < GROUPS_RECALLED; rank += 1) {
    for (const ranked of hits) {
      const id = ranked[rank];
      if (id !== undefined && ids.size < GROUPS_RECALLED) ids.add(id);
    }
  }
  return [...ids];
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
