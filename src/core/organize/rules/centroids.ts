import type { Group, Lesson } from '../../bank/node.ts';
import { placementText } from '../placement-text.ts';
import { centroid, inverseFrequency, wordVector, type WordVector } from '../similarity.ts';

/** How like a group a lesson must be to go under it, as a cosine of weighted words. */
export const PLACE_THRESHOLD = 0.34;

/** Lessons, and the group they are of where there is one. */
export interface Gathered {
  readonly group?: Group;
  readonly lessons: readonly Lesson[];
}

/**
 * The middle of each gathering: its lessons and what its group calls itself, by words weighed over all
 * the lessons given.
 */
export function centroidsOf(gathered: readonly Gathered[]): readonly WordVector[] {
  const texts = gathered.map(({ lessons }) => lessons.map(placementText));
  const weight = inverseFrequency(texts.flat());
  return gathered.map(({ group }, at) => {
    const own = group === undefined ? [] : [`${group.title}\n${group.scope}`];
    return centroid([...own, ...(texts[at] ?? [])].map((text) => wordVector(text, weight)));
  });
}
