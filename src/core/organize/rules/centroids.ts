import type { Group, Lesson } from '../../bank/node.ts';
import { placementText } from '../placement-text.ts';
import { tokenize } from '../../recall/tokenize.ts';
import {
  centroid,
  frequencyWeight,
  sumOf,
  vectorOfWords,
  wordVector,
  type WordVector,
} from '../similarity.ts';

/** How like a group's middle a lesson must be to go under it, as a cosine of weighted words. */
export const PLACE_THRESHOLD = 0.34;

/** Lessons, and the group they are of where there is one. */
export interface Gathered {
  readonly group?: Group;
  readonly lessons: readonly Lesson[];
}

/** The middle of a gathering. */
export interface Middle {
  /** Of its lessons and what its group calls itself, of length 1. */
  readonly centroid: WordVector;
  /** The mean of its lessons: the product with it is the mean likeness to them. */
  readonly mean: WordVector;
}

/** The middle of each gathering, by words weighed over all the lessons given. */
export function middlesOf(gathered: readonly Gathered[]): readonly Middle[] {
  const texts = gathered.map(({ lessons }) =>
    lessons.map((lesson) => tokenize(placementText(lesson))),
  );
  const weight = frequencyWeight(texts.flat());
  return gathered.map(({ group }, at) => {
    const called =
      group === undefined ? [] : [wordVector(`${group.title}\n${group.scope}`, weight)];
    const vectors = (texts[at] ?? []).map((words) => vectorOfWords(words, weight));
    const said = vectors.length > 0 ? vectors : called;
    const sum = sumOf(said);
    return {
      centroid: centroid([...called, ...vectors]),
      mean: new Map([...sum].map(([word, value]) => [word, value / said.length])),
    };
  });
}

/** The centroids alone. */
export function centroidsOf(gathered: readonly Gathered[]): readonly WordVector[] {
  return middlesOf(gathered).map((middle) => middle.centroid);
}
