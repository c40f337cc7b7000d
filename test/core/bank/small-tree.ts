import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { Operation, Outcome } from '../../../src/core/bank/operation.ts';
import { adding, grow, lessonOf, placing, summaryOf, treeOf } from './material.ts';

export const conflict = { lessons: ['a', 'b'] as [string, string], about: 'x', settled: null };
export const OUTCOME: Outcome = {
  retrievalId: 'r1',
  nodeId: 'a',
  taskId: 't9',
  result: 'success',
  strength: 'judged',
};

/** root › g1 (a, b; summarised), g2 (c › g3 with d); e unplaced, f retired; one outcome. */
export const TREE = treeOf([
  ...adding('a', 'b', 'c', 'd', 'e', 'f'),
  placing({ g1: ROOT_ID, g2: ROOT_ID, g3: 'g2' }, { a: 'g1', b: 'g1', c: 'g2', d: 'g3', f: 'g2' }),
  { type: 'retire-lesson', lesson: 'f', reason: 'old' },
  { type: 'consolidate', group: 'g1', summary: summaryOf(['a', 'b'], { conflicts: [conflict] }) },
  { type: 'record-outcome', outcome: OUTCOME },
]);
export const FROZEN = grow(TREE, [{ type: 'freeze', reason: 'evaluation' }]);
export const revision = lessonOf('a2', {}, { revises: 'a' });
export const part = (id: string, children: string[]) => ({ id, title: id, scope: '', children });
export const split = (over: object = {}): Operation => ({
  type: 'split',
  group: 'g1',
  parts: [part('p1', ['a']), part('p2', ['b'])],
  lift: false,
  forced: false,
  ...over,
});
export const merge = (over: object = {}): Operation => ({
  type: 'merge',
  groups: ['g1', 'g2'],
  into: 'm',
  title: 'Both',
  scope: '',
  ...over,
});

export const restore = (from: boolean, to: boolean): Operation => ({
  type: 'restore',
  of: null,
  records: [{ table: 'state', id: 'frozen', from, to }],
});
