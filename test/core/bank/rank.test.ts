import { expect, test } from 'vitest';
import { ROOT_ID, type Conflict, type Evidence } from '../../../src/core/bank/node.ts';
import type { Operation } from '../../../src/core/bank/operation.ts';
import { levelOf, rankOf, standingOf } from '../../../src/core/bank/rank.ts';
import { evidenceOf, grow, lessonOf, placing, summaryOf, treeOf } from './material.ts';

/** A summarised group `g` of lessons a, b, …, each with evidence of its own. */
function summarised(evidence: readonly (readonly Evidence[])[], conflicts: Conflict[] = []) {
  const ids = evidence.map((_, at) => String.fromCharCode(97 + at));
  return treeOf([
    ...ids.map((id, at): Operation => {
      const lesson = lessonOf(id, {}, { evidence: [...(evidence[at] ?? [])] });
      return { type: 'add-lesson', lesson };
    }),
    placing({ g: ROOT_ID }, Object.fromEntries(ids.map((id) => [id, 'g']))),
    { type: 'consolidate', group: 'g', summary: summaryOf(ids, { conflicts }) },
  ]);
}

const outcome = (number: number, result: 'success' | 'failure', nodeId = 'g'): Operation => ({
  type: 'record-outcome',
  outcome: {
    retrievalId: `r${number}`,
    nodeId,
    taskId: `later-${number}`,
    result,
    strength: 'judged',
  },
});
const judged = (task: string) => [evidenceOf(task, { feedback: 'judged', strength: 'judged' })];
const verified = (task: string) => [
  evidenceOf(task, { feedback: 'reference', strength: 'verified' }),
];
const unverified = (task: string) => [evidenceOf(task)];
const claimed = (task: string) => [evidenceOf(task, { feedback: 'judged' })];

test('a lesson is a lesson, and a group without a summary a group', () => {
  const tree = treeOf([
    { type: 'add-lesson', lesson: lessonOf('a') },
    placing({ g: ROOT_ID }, { a: 'g' }),
  ]);
  expect([rankOf(tree, 'a'), rankOf(tree, 'g'), rankOf(tree, 'none')]).toEqual([
    'lesson',
    'group',
    'group',
  ]);
});

test('a summary needs two distinct tasks: two sources of one task are one', () => {
  expect(rankOf(summarised([verified('t1'), verified('t1')]), 'g')).toBe('group');
  expect(rankOf(summarised([verified('t1'), verified('t2')]), 'g')).toBe('summary');
});

test('a rule needs three tasks and one verified, or three judged', () => {
  const [one, two, three] = [judged('t1'), judged('t2'), judged('t3')];
  expect(rankOf(summarised([one, two]), 'g')).toBe('summary');
  expect(rankOf(summarised([one, two, three]), 'g')).toBe('rule');
  expect(rankOf(summarised([one, two, claimed('t3')]), 'g')).toBe('summary');
  expect(rankOf(summarised([verified('t1'), claimed('t2'), claimed('t3')]), 'g')).toBe('rule');
});

test('three agreeing sources without feedback count as judged, two do not', () => {
  const tree = summarised([unverified('t1'), unverified('t2'), unverified('t3')]);
  expect(standingOf(tree, 'g')).toMatchObject({ support: 3, judged: 3, verified: 0 });
  expect(rankOf(tree, 'g')).toBe('rule');
  const mixed = summarised([unverified('t1'), unverified('t2'), claimed('t3')]);
  expect(rankOf(mixed, 'g')).toBe('summary');
});

test('failures may be a quarter of the support and no more', () => {
  const tree = summarised([verified('t1'), verified('t2'), verified('t3'), verified('t4')]);
  const once = grow(tree, [outcome(1, 'failure')]);
  expect(standingOf(once, 'g')).toMatchObject({ support: 4, failures: 1 });
  expect(rankOf(once, 'g')).toBe('rule');
  const twice = grow(once, [outcome(2, 'failure', 'a')]);
  expect(rankOf(twice, 'g')).toBe('summary');
  const thrice = [3, 4, 5, 6].map((number) => outcome(number, 'success'));
  expect(rankOf(grow(twice, thrice), 'g')).toBe('rule');
});

test('a source that contradicts counts as a failure, not as support', () => {
  const against = [evidenceOf('t4', { strength: 'verified', supports: false })];
  const tree = summarised([verified('t1'), verified('t2'), verified('t3'), against]);
  expect(standingOf(tree, 'g')).toMatchObject({ support: 3, failures: 1 });
  expect(rankOf(tree, 'g')).toBe('summary');
});

test('an open conflict keeps a summary from being a rule until it is settled', () => {
  const conflict: Conflict = { lessons: ['a', 'b'], about: 'x', settled: null };
  const tree = summarised([verified('t1'), verified('t2'), verified('t3')], [conflict]);
  expect(rankOf(tree, 'g')).toBe('summary');
  const settle: Operation = {
    type: 'settle-conflict',
    group: 'g',
    lessons: ['a', 'b'],
    settled: 'both',
  };
  expect(rankOf(grow(tree, [settle]), 'g')).toBe('rule');
});

test('level n + 1 takes two eligible children of level n, however high a third one is', () => {
  const ids = [...'abcdefgh'];
  const below = (group: string, ...lessons: readonly string[]): Operation => ({
    type: 'consolidate',
    group,
    summary: summaryOf(lessons),
  });
  const tree = treeOf([
    ...ids.map((id): Operation => ({ type: 'add-lesson', lesson: lessonOf(id) })),
    placing(
      { top: ROOT_ID, mid: 'top', one: 'mid', two: 'mid', three: 'top', four: 'top' },
      { a: 'one', b: 'one', c: 'two', d: 'two', e: 'three', f: 'three', g: 'four', h: 'four' },
    ),
    below('one', 'a', 'b'),
    below('two', 'c', 'd'),
    below('three', 'e', 'f'),
  ]);
  const levels = (of: typeof tree) => ['a', 'one', 'mid', 'top'].map((id) => levelOf(of, id));
  expect(levels(tree)).toEqual([0, 1, 0, 0]);
  const upper = grow(tree, [below('mid', 'a', 'c'), below('top', 'a', 'e')]);
  expect(levels(upper)).toEqual([0, 1, 2, 1]);
  expect(levels(grow(upper, [below('four', 'g', 'h')]))).toEqual([0, 1, 2, 2]);
});
