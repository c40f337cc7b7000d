import { ROOT_ID, type Group, type Lesson } from '../bank/node.ts';
import {
  childrenOf,
  depthOf,
  getGroup,
  groupsFrom,
  lessonsBelow,
  pathOf,
  type Tree,
} from '../bank/tree.ts';
import { makeBm25 } from '../recall/bm25.ts';
import { indexText, lessonIndexText } from '../recall/index-text.ts';
import { tokenize } from '../recall/tokenize.ts';
import type { GroupView } from './organizer.ts';

/** The organizer sees this many groups at most, whatever the bank's size (cost rule, DESIGN.md §3). */
export const GROUPS_SEEN = 24;
const LESSONS_SEEN = 12;
/** A group is recalled by what it says of itself and by this many of its lessons. */
const LESSONS_INDEXED = 4;

/** The root, and the groups that `lessons` recall best, each with a few of its lessons. */
export function groupViews(tree: Tree, lessons: readonly Lesson[]): readonly GroupView[] {
  const root = getGroup(tree, ROOT_ID);
  const below = [...groupsFrom(tree)].filter(({ id }) => id !== ROOT_ID);
  const few = below.length < GROUPS_SEEN;
  const seen = few ? below : recalled(tree, below, lessons);
  return [...(root === undefined ? [] : [root]), ...seen].map((group) => viewOf(tree, group));
}

/** Each lesson's best group first, then each one's second best, until there are enough. */
function recalled(
  tree: Tree,
  groups: readonly Group[],
  lessons: readonly Lesson[],
): readonly Group[] {
  const index = makeBm25(groups.map((group) => ({ id: group.id, words: wordsOf(tree, group) })));
  const most = GROUPS_SEEN - 1;
  const hits = lessons.map(({ content }) =>
    index.search(tokenize(lessonIndexText({ ...content, anchor: '' })), most),
  );
  const ids = new Set<string>();
  for (let rank = 0; rank < most; rank += 1) {
    for (const ranked of hits) {
      const id = ranked[rank]?.id;
      if (id !== undefined && ids.size < most) ids.add(id);
    }
  }
  return [...ids].flatMap((id) => getGroup(tree, id) ?? []);
}

function wordsOf(tree: Tree, group: Group): readonly string[] {
  const lessons = firstLessons(tree, group.id, LESSONS_INDEXED);
  return tokenize([indexText(group), ...lessons.map(indexText)].join('\n'));
}

function viewOf(tree: Tree, group: Group): GroupView {
  return {
    group,
    path: pathOf(tree, group.id),
    lessons: group.id === ROOT_ID ? [] : firstLessons(tree, group.id, LESSONS_SEEN),
    childCount: childrenOf(tree, group.id).length,
    depth: depthOf(tree, group.id),
  };
}

function firstLessons(tree: Tree, groupId: string, most: number): readonly Lesson[] {
  const first: Lesson[] = [];
  for (const lesson of lessonsBelow(tree, groupId)) {
    if (first.length >= most) break;
    first.push(lesson);
  }
  return first;
}
