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

  test('may summarise from what it was shown alone, so from nothing that is held', () => {
    const shown: Asked = { type: 'consolidate', group: 'g', lessons: new Set(['a']) };
    const resting = (ids: string[]): Operation => ({
      type: 'consolidate',
      group: 'g',
      summary: summaryOf(ids),
    });
    expect(reasonOf(resting(['a']), shown)).toBe('taken');
    expect(reasonOf(resting(['a', 'b']), shown)).toBe('not-asked-for');
  });

  test('may merge siblings it was shown, not so many that the whole would have to be split', () => {
    const merge = (...groups: string[]): Operation => ({
      type: 'merge',
      groups,
      into: 'g',
      title: 'Both',
      scope: '',
    });
    const asked: Asked = { type: 'merge', groups: new Set(['g', 'h']), mostChildren: 7 };
    expect(reasonOf(merge('g', 'h'), asked)).toBe('taken');
    expect(reasonOf(merge('g', 'root'), asked)).toBe('not-asked-for');
    expect(reasonOf(merge('g', 'h'), { ...asked, mostChildren: 1 })).toBe('too-large');
  });

  test('may split the group it was asked for, and force nothing', () => {
    const split = (group: string, forced: boolean): Operation => ({
      type: 'split',
      group,
      lift: true,
      forced,
      parts: ['a', 'b'].map((id) => ({ id: `p${id}`, title: id, scope: '', children: [id] })),
    });
    const asked: Asked = { type: 'split', group: 'g' };
    expect(reasonOf(split('g', false), asked)).toBe('taken');
    expect(reasonOf(split('h', false), asked)).toBe('not-asked-for');
    expect(reasonOf(split('g', true), asked)).toBe('not-asked-for');
    expect(reasonOf(split('g', false), PLACE)).toBe('not-asked-for');
  });

  test('may begin no group that no lesson goes under, and give none a title without end', () => {
    const lesson = { c: 'new' };
    expect(reasonOf(placing({ new: 'g' }, lesson), PLACE)).toBe('taken');
    expect(reasonOf(placing({ above: 'root', new: 'above' }, lesson), PLACE)).toBe('taken');
    expect(reasonOf(placing({ new: 'g', idle: 'root' }, lesson), PLACE)).toBe('empty-group');
    const endless = placing({ [`new${'x'.repeat(200)}`]: 'g' }, { c: `new${'x'.repeat(200)}` });
    expect(reasonOf(endless, PLACE)).toBe('over-budget');
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
