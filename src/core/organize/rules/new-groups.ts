import type { Lesson } from '../../bank/node.ts';
import type { GroupView, PlaceInput, PlaceOperation } from '../organizer.ts';
import { centroid, cosine, type WordVector } from '../similarity.ts';
import { centroidsOf, PLACE_THRESHOLD } from './centroids.ts';
import { agglomerate, likenessesOf, meanLikeness, meanOf } from './cluster.ts';
import { groupTitle } from './group-title.ts';

/** Subjects stand side by side below the root up to this share of its capacity; then under wider groups. */
const ROOT_SHARE = 2 / 3;

/** A lesson to be placed, by its words. */
export interface Placing {
  readonly lesson: Lesson;
  readonly vector: WordVector;
}

/** A group that new groups can stand under. */
interface Place {
  readonly id: string;
  readonly vector: WordVector;
  room: number;
}

type Made = Pick<PlaceOperation, 'groups' | 'assignments'>;

/**
 * New groups for lessons that are like no group: clusters by average linkage. They stand below the root
 * while it has few children, then under the most like of the groups that hold unlike things already;
 * the larger first. What finds no place is left out.
 */
export function newGroups(input: PlaceInput, unlike: readonly Placing[]): Made {
  const made: Made = { groups: [], assignments: [] };
  const likenesses = likenessesOf(unlike.map(({ vector }) => vector));
  const parts = agglomerate(likenesses, {
    threshold: PLACE_THRESHOLD,
    mostSize: input.maxChildren,
  });
  const placeFor = makePlaceFor(input);
  for (const part of parts.toSorted((first, second) => second.length - first.length)) {
    const members = part.flatMap((at) => unlike[at] ?? []);
    const [middle] = part.toSorted(
      (first, second) => meanOf(likenesses, second, part) - meanOf(likenesses, first, part),
    );
    const content = unlike[middle ?? -1]?.lesson.content;
    const id = input.newIds[made.groups.length];
    const place = placeFor(centroid(members.map(({ vector }) => vector)));
    if (id === undefined || content === undefined || place === undefined) continue;
    place.room -= 1;
    made.groups.push({ id, parent: place.id, title: groupTitle(content), scope: content.scope });
    made.assignments.push(...members.map(({ lesson }) => ({ lesson: lesson.id, under: id })));
  }
  return made;
}

function makePlaceFor(input: PlaceInput): (vector: WordVector) => Place | undefined {
  const { groups, maxChildren, maxDepth } = input;
  const above = groups.filter(({ depth }) => depth < maxDepth - 1);
  const root = above.find(({ depth }) => depth === 0);
  const atRoot = root && placeOf(root, new Map(), maxChildren);
  const reserve = maxChildren - Math.ceil(maxChildren * ROOT_SHARE);
  let wide: readonly Place[] | undefined;
  return (vector) => {
    if (atRoot !== undefined && atRoot.room > reserve) return atRoot;
    // Worked out where it is called for: most batches begin no group.
    wide ??= widePlaces(above, maxChildren);
    if (wide.length === 0) return atRoot !== undefined && atRoot.room > 0 ? atRoot : undefined;
    const [nearest] = wide
      .filter(({ room }) => room > 0)
      .toSorted((first, second) => cosine(second.vector, vector) - cosine(first.vector, vector));
    return nearest;
  };
}

function widePlaces(views: readonly GroupView[], maxChildren: number): readonly Place[] {
  const wide = views.filter((view) => view.depth > 0 && view.groupCount > 0 && isWide(view));
  const vectors = centroidsOf(wide);
  return wide.map((view, at) => placeOf(view, vectors[at] ?? new Map(), maxChildren));
}

function placeOf({ group, childCount }: GroupView, vector: WordVector, maxChildren: number): Place {
  return { id: group.id, vector, room: maxChildren - childCount };
}

/** Whether a group is about more than one subject: its lessons would not be placed with each other. */
function isWide({ lessons }: GroupView): boolean {
  return (
    meanLikeness(likenessesOf(centroidsOf(lessons.map((lesson) => ({ lessons: [lesson] }))))) <
    PLACE_THRESHOLD
  );
}
