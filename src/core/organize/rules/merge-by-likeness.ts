import type { GroupView, MergeInput, MergeOperation } from '../organizer.ts';
import { cosine } from '../similarity.ts';
import { betweenOf, silhouetteOf } from './best-parts.ts';
import { centroidsOf } from './centroids.ts';
import { likenessesOf, type Likenesses } from './cluster.ts';

/** Two groups whose lessons tell them apart less than this are one; a split asks for more than twice. */
const SILHOUETTE_MOST = 0.1;
/** Lessons less alike than this have nothing in common that would make them one group. */
const MEAN_LEAST = 0.2;
/** A group that holds one child is no group yet: clearly alike is enough. */
const SMALL_GROUP = 0.6;

interface Pair {
  readonly groups: readonly [GroupView, GroupView];
  /** How well they fit together. */
  readonly fit: number;
}

/**
 * Agglomerative merging: of the siblings, the two that fit best become one where their lessons do not
 * tell them apart (by silhouette), or where they are clearly alike and one has at most one child. The
 * larger keeps its id, title and scope. null where there are none.
 */
export function mergeByLikeness({ groups, mostChildren }: MergeInput): MergeOperation | null {
  const pairs = groups
    .flatMap((first, at) => groups.slice(at + 1).map((second) => [first, second] as const))
    .filter(([first, second]) => first.childCount + second.childCount <= mostChildren)
    .flatMap((pair) => pairOf(pair) ?? []);
  const [best] = pairs.toSorted((first, second) => second.fit - first.fit);
  if (best === undefined) return null;
  const [first, second] = best.groups;
  const { id, title, scope } = (second.childCount > first.childCount ? second : first).group;
  return { type: 'merge', groups: [first.group.id, second.group.id], into: id, title, scope };
}

function pairOf(groups: readonly [GroupView, GroupView]): Pair | null {
  const [first, second] = groups;
  const fewest = Math.min(first.childCount, second.childCount);
  // A group without a lesson is like nothing, and says nothing.
  if (fewest === 0) return { groups, fit: 1 };
  if (fewest === 1) {
    const [one, other] = centroidsOf([first, second]);
    const likeness = one === undefined || other === undefined ? 0 : cosine(one, other);
    const isLevel = first.groupCount > 0 === second.groupCount > 0;
    return isLevel && likeness >= SMALL_GROUP ? { groups, fit: likeness } : null;
  }
  const parts = [
    first.lessons.map((_, at) => at),
    second.lessons.map((_, at) => first.lessons.length + at),
  ];
  const likenesses = lessonLikenesses(groups);
  const between = betweenOf(likenesses, parts);
  return between >= MEAN_LEAST && silhouetteOf(likenesses, parts) <= SILHOUETTE_MOST
    ? { groups, fit: between }
    : null;
}

function lessonLikenesses(groups: readonly GroupView[]): Likenesses {
  const lessons = groups.flatMap((view) => view.lessons);
  return likenessesOf(centroidsOf(lessons.map((lesson) => ({ lessons: [lesson] }))));
}
