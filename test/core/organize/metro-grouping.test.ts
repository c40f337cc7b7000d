import { expect, test } from 'vitest';
import { allQuestions } from '../metro/metro-bench.ts';
import {
  adjustedRandIndex,
  grouping,
  labelledLessons,
  mean,
  SEEDS,
  varied,
} from './metro-grouping.ts';

/** A hundred questions over all maps and kinds, by a stride; `npm run bench -- organize --full` takes all. */
const labelled = await labelledLessons(
  Array.from({ length: 100 }, (_, at) => (at * 67) % allQuestions.length).flatMap(
    (at) => allQuestions[at] ?? [],
  ),
);

test('the rules’ groups of metro lessons agree with the kinds of question, which they never see', async () => {
  expect(labelled.length).toBeGreaterThan(80);
  expect(new Set(labelled.map(({ kind }) => kind)).size).toBe(5);
  const runs = await Promise.all(SEEDS.map((seed) => grouping(labelled, seed)));
  expect(mean(runs.map(({ subjects }) => subjects))).toBeGreaterThanOrEqual(0.6);
});

test('they agree too where no two lessons are worded alike', async () => {
  const runs = await Promise.all(
    SEEDS.map((seed) => grouping(varied(labelled, { percent: 30, seed }), seed)),
  );
  expect(mean(runs.map(({ subjects }) => subjects))).toBeGreaterThanOrEqual(0.6);
});

test('no lesson names the kind of its question', () => {
  for (const { lesson, kind } of labelled) {
    expect(JSON.stringify(lesson.content).toLowerCase()).not.toContain(kind);
  }
});

test('the adjusted Rand index is 1 for the same partition, and about 0 for one that has nothing to do with it', () => {
  expect(adjustedRandIndex(['a', 'a', 'b', 'b'], ['x', 'x', 'y', 'y'])).toBe(1);
  // Hubert and Arabie: of six things, worked by hand.
  expect(adjustedRandIndex([...'aaabbb'], [...'xxyyzz'])).toBeCloseTo(0.242, 3);
  const halves = Array.from({ length: 400 }, (_, at) => String(at % 2));
  const thirds = Array.from({ length: 400 }, (_, at) => String(Math.floor(at / 2) % 3));
  expect(Math.abs(adjustedRandIndex(halves, thirds))).toBeLessThan(0.02);
});
