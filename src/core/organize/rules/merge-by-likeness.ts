import type { GroupView, MergeInput, MergeOperation } from '../organizer.ts';
import { centroidsOf } from './centroids.ts';
import { likenessesOf, type Likenesses } from './cluster.ts';

/** Groups this much alike are one: above what a split would part, so that the two never take turns. */
const SAME_GROUP = 0.9;
/** A group that holds one child is no group yet: clearly alike is enough. */
const SMALL_GROUP = 0.6;

/**
 * Agglomerative merging: the two siblings most alike become one where they are nearly identical, or
 * clearly alike where one has at most one child. The larger keeps its id, title and scope. null where
 * none are.
 */
export function mergeByLikeness({ groups, mostChildren }: MergeInput): MergeOperation | null {
  const likenesses = likenessesOf(centroidsOf(groups));
  const [first, second] = bestPair(groups, likenesses, mostChildren) ?? [];
  if (first === undefined || second === undefined) return null;
  const larger = second.childCount > first.childCount ? second : first;
  const { id, title, scope } = larger.group;
  return { type: 'merge', groups: [first.group.id, second.group.id], into: id, title, scope };
}

function bestPair(
  groups: readonly GroupView[],
  likenesses: Likenesses,
  mostChildren: number,
): readonly [GroupView, GroupView] | null {
  let best: readonly [GroupView, GroupView] | null = null;
  let most = -1;
  for (const [at, first] of groups.entries()) {
    for (const [beyond, second] of groups.slice(at + 1).entries()) {
      const likeness = likenesses.of(at, at + 1 + beyond);
      const fits = first.childCount + second.childCount <= mostChildren;
      if (fits && likeness > most && likeness >= leastFor(first, second)) {
        best = [first, second];
        most = likeness;
      }
    }
  }
  return best;
}

function leastFor(first: GroupView, second: GroupView): number {
  const fewest = Math.min(first.childCount, second.childCount);
  // A group without a lesson is like nothing, and says nothing.
  if (fewest === 0) return 0;
  const isLevel = first.groupCount > 0 === second.groupCount > 0;
  return fewest === 1 && isLevel ? SMALL_GROUP : SAME_GROUP;
}
