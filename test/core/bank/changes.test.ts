import { expect, test } from 'vitest';
import { changesBetween } from '../../../src/core/bank/history/changes-between.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { Operation } from '../../../src/core/bank/operation.ts';
import { emptyTree } from '../../../src/core/bank/tree.ts';
import { evidenceOf, grow, lessonOf, placing, summaryOf } from './material.ts';
import { merge, OUTCOME, part, revision, split, TREE } from './small-tree.ts';

/** What the operations change in the small tree, and what taking them back changes. */
function told(...operations: readonly Operation[]) {
  const after = grow(TREE, operations);
  const short = (changes: ReturnType<typeof changesBetween>) =>
    changes.map(({ type, id }) => `${type} ${id}`);
  return { there: short(changesBetween(TREE, after)), back: short(changesBetween(after, TREE)) };
}

const CASES: readonly (readonly [Operation | Operation[], string[], string[]])[] = [
  [{ type: 'add-lesson', lesson: lessonOf('new') }, ['lesson-add new'], ['lesson-remove new']],
  [
    { type: 'revise-lesson', predecessor: 'a', lesson: revision },
    ['lesson-revise a2', 'summary-void g1', 'rank-change g1', 'conflict-close g1'],
    [
      'lesson-return a',
      'lesson-remove a2',
      'summary-write g1',
      'rank-change g1',
      'conflict-open g1',
    ],
  ],
  [{ type: 'retire-lesson', lesson: 'c', reason: '' }, ['lesson-retire c'], ['lesson-return c']],
  [
    { type: 'support-lesson', lesson: 'c', evidence: evidenceOf('t7') },
    ['lesson-support c'],
    ['lesson-support c'],
  ],
  [placing({}, { e: 'g1' }), ['lesson-place e'], ['lesson-unplace e']],
  [placing({}, { c: 'g1' }), ['lesson-move c'], ['lesson-move c']],
  [
    placing({ g4: 'g1' }, { e: 'g4' }),
    ['group-add g4', 'lesson-place e'],
    ['group-remove g4', 'lesson-unplace e'],
  ],
  [
    merge(),
    ['groups-merge m', 'rank-change g1', 'conflict-close g1'].slice(0, 2),
    ['groups-merge m', 'summary-write g1', 'rank-change g1', 'conflict-open g1'],
  ],
  [
    merge({ into: 'g1' }),
    [
      'groups-merge g1',
      'group-rename g1',
      'summary-void g1',
      'rank-change g1',
      'conflict-close g1',
    ],
    [
      'groups-merge g1',
      'group-rename g1',
      'summary-write g1',
      'rank-change g1',
      'conflict-open g1',
    ],
  ],
  [split(), ['group-split g1'], ['group-split g1']],
  [
    split({ lift: true }),
    ['group-split g1', 'rank-change g1'],
    ['group-split g1', 'summary-write g1', 'rank-change g1', 'conflict-open g1'],
  ],
  [
    { type: 'consolidate', group: 'g2', summary: summaryOf(['c', 'd']) },
    ['summary-write g2', 'rank-change g2'],
    ['summary-void g2', 'rank-change g2'],
  ],
  [
    { type: 'record-outcome', outcome: { ...OUTCOME, retrievalId: 'r2' } },
    ['outcome-record a'],
    ['outcome-remove a'],
  ],
  [
    { type: 'settle-conflict', group: 'g1', lessons: ['b', 'a'], settled: 'a' },
    ['conflict-settle g1'],
    ['conflict-open g1'],
  ],
  [
    { type: 'revise-group', group: 'g1', title: 'Better', scope: 'maps' },
    ['group-rename g1'],
    ['group-rename g1'],
  ],
  [
    { type: 'set-trust', lessons: ['a', 'e'], trust: 'held' },
    ['lesson-trust a', 'lesson-trust e'],
    ['lesson-trust a', 'lesson-trust e'],
  ],
  [{ type: 'freeze', reason: '' }, ['bank-freeze bank'], ['bank-unfreeze bank']],
  [
    { type: 'erase', lessons: ['a'], entries: [], reason: '' },
    [
      'lesson-remove a',
      'summary-void g1',
      'rank-change g1',
      'conflict-close g1',
      'outcome-remove a',
    ],
    ['lesson-add a', 'summary-write g1', 'rank-change g1', 'conflict-open g1', 'outcome-record a'],
  ],
];

test.each(CASES.map(([operation, there, back]) => ({ operation, there, back })))(
  'what changed is told, and backwards too: $there',
  ({ operation, there, back }) => {
    expect(told(...[operation].flat())).toEqual({ there, back });
  },
);

test('a tree and itself differ in nothing', () => {
  expect(changesBetween(TREE, TREE)).toEqual([]);
});

test('a merge names its groups and a split its parts, and says where it was taken back', () => {
  const merged = grow(TREE, [merge()]);
  expect(changesBetween(TREE, merged)[0]).toMatchObject({
    type: 'groups-merge',
    groups: [{ id: 'g1' }, { id: 'g2', title: 'Group g2' }],
    undone: false,
  });
  expect(changesBetween(merged, TREE)[0]).toMatchObject({ type: 'groups-merge', undone: true });
  const lifted = grow(TREE, [split({ lift: true })]);
  expect(changesBetween(TREE, lifted)[0]).toMatchObject({
    type: 'group-split',
    parts: [{ id: 'p1' }, { id: 'p2' }],
    lifted: true,
  });
});

test('a lesson that was revised twice follows the one that was there', () => {
  const after = grow(TREE, [
    { type: 'revise-lesson', predecessor: 'c', lesson: lessonOf('c2', {}, { revises: 'c' }) },
    { type: 'revise-lesson', predecessor: 'c2', lesson: lessonOf('c3', {}, { revises: 'c2' }) },
  ]);
  expect(changesBetween(TREE, after)).toEqual([
    {
      type: 'lesson-revise',
      id: 'c3',
      title: 'Title c3',
      predecessor: { id: 'c', title: 'Title c' },
    },
  ]);
});

test('support of a lesson is told with the rank that its group gained', () => {
  const tree = grow(TREE, [
    { type: 'settle-conflict', group: 'g1', lessons: ['a', 'b'], settled: 'both' },
  ]);
  const verified = evidenceOf('t7', { strength: 'verified', feedback: 'user' });
  const after = grow(tree, [{ type: 'support-lesson', lesson: 'a', evidence: verified }]);
  expect(changesBetween(tree, after)).toContainEqual({
    type: 'rank-change',
    id: 'g1',
    title: 'Group g1',
    from: 'summary',
    to: 'rule',
  });
});

test('a split that is merged again in between is told by what it came to', () => {
  const parts = [part('p1', ['a']), part('p2', ['b'])];
  const after = grow(TREE, [
    split({ parts, lift: true }),
    merge({ groups: ['p1', 'p2'], into: 'p3' }),
  ]);
  expect(changesBetween(TREE, after)[0]).toMatchObject({ type: 'groups-merge', id: 'p3' });
});

test('from nothing, all that is there is told', () => {
  const types = changesBetween(emptyTree(TREE.manifest), TREE).map(({ type }) => type);
  expect(types.filter((type) => type === 'lesson-add')).toHaveLength(5);
  expect(types.filter((type) => type === 'group-add')).toHaveLength(3);
  expect(types).toContain('rank-change');
});

test('moves under the root are told as any other', () => {
  const after = grow(TREE, [placing({}, { a: ROOT_ID })]);
  expect(changesBetween(TREE, after)).toContainEqual({
    type: 'lesson-move',
    id: 'a',
    title: 'Title a',
    from: 'g1',
    to: ROOT_ID,
  });
});
