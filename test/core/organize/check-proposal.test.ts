import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/core/bank/operation.ts';
import { checkProposal, type Asked } from '../../../src/core/organize/check-proposal.ts';
import { adding, placing, summaryOf, treeOf } from '../bank/material.ts';

const known = { lessons: ['a', 'b'] as [string, string], about: 'x', settled: 'a' };
const TREE = treeOf([
  ...adding('a', 'b', 'c'),
  placing({ g: 'root', h: 'root' }, { a: 'g', b: 'g' }),
  { type: 'consolidate', group: 'g', summary: summaryOf(['a', 'b'], { conflicts: [known] }) },
]);
const PLACE: Asked = { type: 'place', lessons: new Set(['c']) };
const CONSOLIDATE: Asked = {
  type: 'consolidate',
  group: 'g',
  lessons: new Set(['a', 'b', 'c']),
};

function reasonOf(operation: Operation, asked: Asked): string {
  const checked = checkProposal(TREE, operation, asked);
  return checked.ok ? 'taken' : checked.refusal.reason;
}

describe('an organizer', () => {
  test('may place the lessons it was asked for, and move no other', () => {
    expect(reasonOf(placing({}, { c: 'g' }), PLACE)).toBe('taken');
    expect(reasonOf(placing({}, { c: 'g', a: 'h' }), PLACE)).toBe('not-asked-for');
  });

  test('may summarise the group it was asked for, and no other', () => {
    const summary = summaryOf(['a']);
    expect(reasonOf({ type: 'consolidate', group: 'g', summary }, CONSOLIDATE)).toBe('taken');
    expect(reasonOf({ type: 'consolidate', group: 'h', summary }, CONSOLIDATE)).toBe(
      'not-asked-for',
    );
  });

  test.each<Operation>([
    { type: 'retire-lesson', lesson: 'a', reason: '' },
    { type: 'set-trust', lessons: ['a'], trust: 'trusted' },
    { type: 'freeze', reason: '' },
    { type: 'settle-conflict', group: 'g', lessons: ['a', 'b'], settled: 'b' },
  ])('may not $type, whatever it was asked for', (operation) => {
    expect(reasonOf(operation, PLACE)).toBe('not-asked-for');
    expect(reasonOf(operation, CONSOLIDATE)).toBe('not-asked-for');
  });

  test('settles nothing: a conflict stays as it was settled, and a new one is open', () => {
    const conflicts = [
      { lessons: ['b', 'a'] as [string, string], about: 'y', settled: 'b' },
      { lessons: ['a', 'c'] as [string, string], about: 'z', settled: 'both' },
    ];
    const summary = summaryOf(['a', 'b'], { conflicts });
    const checked = checkProposal(TREE, { type: 'consolidate', group: 'g', summary }, CONSOLIDATE);
    expect(checked).toMatchObject({
      ok: true,
      value: { summary: { conflicts: [{ settled: 'a' }, { settled: null }] } },
    });
  });
});
