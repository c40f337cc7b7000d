import type { PlaceInput, PlaceOperation } from '../organizer.ts';
import { cosine, type WordVector } from '../similarity.ts';
import { middlesOf, PLACE_THRESHOLD, type Middle } from './centroids.ts';
import { newGroups, type Placing } from './new-groups.ts';

/** Where the most like group is full, one this nearly as like it will do. */
const NEARLY = 0.9;
/** The middle of many unlike lessons is a little like everything; so this like on average, too. */
const MEAN_LEAST = 0.2;

interface Target {
  readonly id: string;
  readonly middle: Middle;
  room: number;
}

const EMPTY: Middle = { centroid: new Map(), mean: new Map() };

/**
 * Placement by likeness: each lesson under the group whose middle is most like it, if by
 * `PLACE_THRESHOLD`; those like none are clustered (average linkage, the same threshold) into new
 * groups. Lessons go under groups of lessons only. A lesson whose group is full is left
 * out, so that room is made there rather than the lesson misplaced. null where all are left out.
 */
export function placeByLikeness(input: PlaceInput): PlaceOperation | null {
  const lessons = input.lessons.toSorted((first, second) => (first.id < second.id ? -1 : 1));
  const known = input.groups.filter(
    ({ depth, groupCount }) => depth > 0 && depth < input.maxDepth && groupCount === 0,
  );
  const middles = middlesOf([...known, ...lessons.map((lesson) => ({ lessons: [lesson] }))]);
  const targets = known.map(({ group, childCount }, at): Target => ({
    id: group.id,
    middle: middles[at] ?? EMPTY,
    room: input.maxChildren - childCount,
  }));
  const assignments: PlaceOperation['assignments'] = [];
  const unlike: Placing[] = [];
  for (const [at, lesson] of lessons.entries()) {
    const vector = (middles[known.length + at] ?? EMPTY).centroid;
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
    .map((target) => ({ target, likeness: cosine(target.middle.centroid, vector) }))
    .filter(
      ({ target, likeness }) =>
        likeness >= PLACE_THRESHOLD && cosine(target.middle.mean, vector) >= MEAN_LEAST,
    );
  const best = Math.max(0, ...ranked.map(({ likeness }) => likeness));
  if (ranked.length === 0) return 'none';
  return ranked
    .filter(({ target, likeness }) => target.room > 0 && likeness >= best * NEARLY)
    .reduce<{ readonly target: Target | 'full'; readonly likeness: number }>(
      (nearest, one) => (one.likeness > nearest.likeness ? one : nearest),
      { target: 'full', likeness: -1 },
    ).target;
}
