import { ROOT_ID } from './node.ts';
import { rankOf, type Rank } from './rank.ts';
import type { Tree } from './tree.ts';

/** What every view of a tree asks of all its nodes, worked out once a tree. */
export interface TreeFacts {
  /** Active lessons below each group; for a lesson, whether it is active itself: 1 or 0. */
  readonly lessons: ReadonlyMap<string, number>;
  /** Groups and lessons below a group on its longest way down, itself counted; of a lesson 1. */
  levelsFrom(id: string): number;
  rankOf(id: string): Rank;
  /** The tree has its groups alone: its lessons, and what the groups say, are still to be read. */
  readonly groupsAlone: boolean;
}

/** What there is to say of a group without looking at what lies below it. */
export interface GroupTally {
  readonly lessons: number;
  readonly levels: number;
  readonly rank: Rank;
}

const known = new WeakMap<Tree, TreeFacts>();

/** Says the facts of a tree that lacks its lessons: they are these, whatever it holds. */
export function tellFacts(tree: Tree, tallies: ReadonlyMap<string, GroupTally>): void {
  known.set(tree, {
    lessons: new Map([...tallies].map(([id, { lessons }]) => [id, lessons])),
    levelsFrom: (id) => tallies.get(id)?.levels ?? 1,
    rankOf: (id) => tallies.get(id)?.rank ?? 'group',
    groupsAlone: true,
  });
}

/** The facts of a tree. One pass over its nodes: asking the tree node by node is slow at 100,000. */
export function treeFacts(tree: Tree): TreeFacts {
  const found = known.get(tree);
  if (found !== undefined) return found;
  const lessons = new Map<string, number>();
  const levels = new Map<string, number>();
  const groupsIn = new Map<string, string[]>();
  tree.nodes.forEach((node, id) => {
    if (node.kind === 'lesson') {
      lessons.set(id, node.status === 'active' ? 1 : 0);
    } else if (node.parent !== null) {
      const siblings = groupsIn.get(node.parent);
      if (siblings === undefined) groupsIn.set(node.parent, [id]);
      else siblings.push(id);
    }
  });
  // Lessons first, so that a group has what hangs from it straight before it is summed up.
  tree.nodes.forEach(({ kind, parent }, id) => {
    if (kind !== 'lesson' || parent === null) return;
    lessons.set(parent, (lessons.get(parent) ?? 0) + (lessons.get(id) ?? 0));
    levels.set(parent, 2);
  });
  const sumUp = (id: string): void => {
    for (const group of groupsIn.get(id) ?? []) {
      sumUp(group);
      lessons.set(id, (lessons.get(id) ?? 0) + (lessons.get(group) ?? 0));
      levels.set(id, Math.max(levels.get(id) ?? 1, 1 + (levels.get(group) ?? 1)));
    }
    if (!lessons.has(id)) lessons.set(id, 0);
  };
  sumUp(ROOT_ID);
  const ranks = new Map<string, Rank>();
  const facts: TreeFacts = {
    lessons,
    groupsAlone: false,
    levelsFrom: (id) => levels.get(id) ?? 1,
    rankOf(id) {
      const rank = ranks.get(id) ?? rankOf(tree, id);
      ranks.set(id, rank);
      return rank;
    },
  };
  known.set(tree, facts);
  return facts;
}

/** Active lessons in a tree that have their place. */
export function placedLessons(tree: Tree | null): number {
  return tree === null ? 0 : (treeFacts(tree).lessons.get(ROOT_ID) ?? 0);
}
