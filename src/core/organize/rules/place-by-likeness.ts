import type { Lesson } from '../../bank/node.ts';
import type { PlaceInput, PlaceOperation } from '../organizer.ts';
import { cosine, type WordVector } from '../similarity.ts';
import { centroidsOf, PLACE_THRESHOLD } from './centroids.ts';
import { agglomerate, likenessesOf, meanOf } from './cluster.ts';
import { groupTitle } from './group-title.ts';

/** Where the most like group is full, one this nearly as like it will do. */
const NEARLY = 0.9;

interface Target {
  readonly id: string;
  readonly vector: WordVector;
  room: number;
}

interface Placing {
  readonly lesson: Lesson;
  readonly vector: WordVector;
}

/**
 * Placement by likeness: each lesson under the group whose middle is most like it, if by
 * `PLACE_THRESHOLD`; those like none are clustered (average linkage, the same threshold) into new
 * groups below the root. Lessons go under groups of lessons only. A lesson whose group is full is left
 * out, so that room is made there rather than the lesson misplaced. null where all are left out.
 */
export function placeByLikeness(input: PlaceInput): PlaceOperation | null {
  const lessons = input.lessons.toSorted((first, second) => (first.id < second.id ? -1 : 1));
  const known = input.groups.filter(
    ({ depth, groupCount }) => depth > 0 && depth < input.maxDepth && groupCount === 0,
  );
  const vectors = centroidsOf([...known, ...lessons.map((lesson) => ({ lessons: [lesson] }))]);
  const targets = known.map(({ group, childCount }, at): Target => ({
    id: group.id,
    vector: vectors[at] ?? new Map(),
    room: input.maxChildren - childCount,
  }));
  const assignments: PlaceOperation['assignments'] = [];
  const unlike: Placing[] = [];
  for (const [at, lesson] of lessons.entries()) {
    const vector = vectors[known.length + at] ?? new Map<string, number>();
    const target = targetOf(targets, vector);
    if (target === 'none') unlike.push({ lesson, vector });
    else if (target !== 'full') {
      target.room -= 1;
      assignments.push({ lesson: lesson.id, under: target.id });
    }
  }
  const made = newGroups(input, unlike);
  const all = [...assignments, ...made.assignments];
  return all.length === 0 ? null : { type: 'place', groups: made.groups, assignments: all };
}

/** The group to go under; `full` where it has no room, `none` where none is like it. */
function targetOf(targets: readonly Target[], vector: WordVector): Target | 'full' | 'none' {
  const ranked = targets
    .map((target) => ({ target, likeness: cosine(target.vector, vector) }))
    .filter(({ likeness }) => likeness >= PLACE_THRESHOLD);
  const best = Math.max(0, ...ranked.map(({ likeness }) => likeness));
  if (ranked.length === 0) return 'none';
  return ranked
    .filter(({ target, likeness }) => target.room > 0 && likeness >= best * NEARLY)
    .reduce<{ readonly target: Target | 'full'; readonly likeness: number }>(
      (nearest, one) => (one.likeness > nearest.likeness ? one : nearest),
      { target: 'full', likeness: -1 },
    ).target;
}

function newGroups(
  { groups, maxChildren, maxDepth, newIds }: PlaceInput,
  unlike: readonly Placing[],
): Pick<PlaceOperation, 'groups' | 'assignments'> {
  const made: Pick<PlaceOperation, 'groups' | 'assignments'> = { groups: [], assignments: [] };
  const root = groups.find(({ depth }) => depth === 0);
  const likenesses = likenessesOf(unlike.map(({ vector }) => vector));
  const parts = agglomerate(likenesses, { threshold: PLACE_THRESHOLD, mostSize: maxChildren });
  // The larger first, where the root has not room for all.
  for (const part of parts.toSorted((first, second) => second.length - first.length)) {
    const id = newIds[made.groups.length];
    const room = root === undefined ? 0 : maxChildren - root.childCount - made.groups.length;
    const [middle] = part.toSorted(
      (first, second) => meanOf(likenesses, second, part) - meanOf(likenesses, first, part),
    );
    const content = unlike[middle ?? -1]?.lesson.content;
    if (root === undefined || id === undefined || content === undefined) break;
    if (room <= 0 || maxDepth < 2) break;
    const { scope } = content;
    made.groups.push({ id, parent: root.group.id, title: groupTitle(content), scope });
    for (const at of part) {
      const lesson = unlike[at]?.lesson.id;
      if (lesson !== undefined) made.assignments.push({ lesson, under: id });
    }
  }
  return made;
}
