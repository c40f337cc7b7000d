import { describe, expect, test } from 'vitest';
import { applyOperation, parseOperation } from '../../../src/core/bank/apply.ts';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { Operation } from '../../../src/core/bank/operation.ts';
import {
  childrenOf,
  getGroup,
  getLesson,
  outcomesOf,
  resolve,
  unplacedLessons,
} from '../../../src/core/bank/tree.ts';
import {
  canonicalTree,
  evidenceOf,
  grow,
  lessonOf,
  PERSON,
  placing,
  summaryOf,
} from './material.ts';
import { OUTCOME, TREE, FROZEN, revision, part, split, merge, restore } from './small-tree.ts';

const VALID: readonly Operation[] = [
  { type: 'add-lesson', lesson: lessonOf('new') },
  { type: 'revise-lesson', predecessor: 'a', lesson: revision },
  {
    type: 'revise-lesson',
    predecessor: 'a',
    lesson: lessonOf('a3', lessonOf('a').content, { revises: 'a' }),
  },
  { type: 'support-lesson', lesson: 'a', evidence: evidenceOf('t7') },
  { type: 'retire-lesson', lesson: 'a', reason: 'wrong' },
  placing({ g4: 'g1' }, { e: 'g4', c: ROOT_ID }),
  merge(),
  merge({ into: 'g1' }),
  split(),
  split({ lift: true }),
  { type: 'consolidate', group: 'g2', summary: summaryOf(['c', 'd']) },
  { type: 'record-outcome', outcome: { ...OUTCOME, nodeId: 'g1' } },
  { type: 'settle-conflict', group: 'g1', lessons: ['b', 'a'], settled: 'a' },
  { type: 'revise-group', group: 'g1', title: 'Better', scope: 'maps' },
  { type: 'set-trust', lessons: ['a', 'e'], trust: 'held' },
  { type: 'freeze', reason: 'evaluation' },
];

describe.each(VALID.map((operation, at) => [operation.type, at, operation] as const))(
  '%s (%i)',
  (_type, _at, operation) => {
    test('is applied, keeps every invariant, and leaves the tree it was given alone', () => {
      const before = canonicalTree(TREE);
      const after = grow(TREE, [operation]);
      expect(checkInvariants(after)).toEqual([]);
      expect(canonicalTree(after)).not.toBe(before);
      expect(canonicalTree(TREE)).toBe(before);
    });

    test('has an exact inverse, whose own inverse does it again', () => {
      const applied = applyOperation(TREE, operation, PERSON);
      if (!applied.ok || applied.value.inverse === null) throw new Error('not applied');
      const undone = applyOperation(applied.value.tree, applied.value.inverse, PERSON);
      if (!undone.ok || undone.value.inverse === null) throw new Error('not undone');
      expect(canonicalTree(undone.value.tree)).toBe(canonicalTree(TREE));
      const redone = grow(undone.value.tree, [undone.value.inverse]);
      expect(canonicalTree(redone)).toBe(canonicalTree(applied.value.tree));
    });

    test('survives JSON, and so does its inverse', () => {
      const applied = applyOperation(TREE, operation, PERSON);
      const inverse = applied.ok ? applied.value.inverse : null;
      for (const one of [operation, inverse]) {
        expect(parseOperation(JSON.parse(JSON.stringify(one)))).toEqual({ ok: true, value: one });
      }
    });
  },
);

test('JSON that is no operation is refused with the path that does not fit', () => {
  const parsed = parseOperation({ type: 'place', groups: [], assignments: [{ lesson: 3 }] });
  expect(parsed).toMatchObject({
    ok: false,
    refusal: { reason: 'bad-shape', path: 'assignments.0.lesson' },
  });
});

test('retiring a lesson voids the summary that rests on it, and takes its place away', () => {
  const after = grow(TREE, [{ type: 'retire-lesson', lesson: 'a', reason: '' }]);
  expect(getGroup(after, 'g1')?.summary).toBeNull();
  expect(childrenOf(after, 'g1')).toEqual(['b']);
  expect(unplacedLessons(after)).toEqual(['e']);
});

test('a revision lies where its predecessor lay, whose id resolves to it', () => {
  const after = grow(TREE, [{ type: 'revise-lesson', predecessor: 'a', lesson: revision }]);
  expect(getLesson(after, 'a2')?.parent).toBe('g1');
  expect(resolve(after, 'a')).toEqual(['a2']);
});

test('a merge keeps every child once and merged ids resolve, through later merges and splits too', () => {
  const merged = grow(TREE, [merge()]);
  expect(childrenOf(merged, 'm')).toEqual(['a', 'b', 'c', 'g3']);
  const parts = [part('p1', ['a', 'b']), part('p2', ['c', 'g3'])];
  const lifted = grow(merged, [split({ group: 'm', parts, lift: true })]);
  expect(resolve(lifted, 'g1')).toEqual(['p1', 'p2']);
  expect(childrenOf(lifted, ROOT_ID)).toEqual(['p1', 'p2']);
});

test('a lesson that is moved out voids the summary of the group it left, not of one it is still below', () => {
  const above: Operation = { type: 'consolidate', group: ROOT_ID, summary: summaryOf(['a']) };
  const after = grow(TREE, [above, placing({}, { a: 'g2' })]);
  expect(getGroup(after, 'g1')?.summary).toBeNull();
  expect(getGroup(after, ROOT_ID)?.summary).not.toBeNull();
});

test('erasing takes a lesson with its outcomes and summaries, and cannot be taken back', () => {
  const erase: Operation = { type: 'erase', lessons: ['a'], entries: [1], reason: 'asked' };
  const applied = applyOperation(TREE, erase, PERSON);
  if (!applied.ok) throw new Error('refused');
  const { tree, inverse } = applied.value;
  expect(inverse).toBeNull();
  expect(canonicalTree(tree)).not.toContain('"a"');
  expect(outcomesOf(tree, 'a')).toEqual([]);
  expect(checkInvariants(tree)).toEqual([]);
});

test('a frozen bank takes a person’s unfreeze, or their taking back of the freeze', () => {
  for (const operation of [{ type: 'unfreeze', reason: '' } as const, restore(true, false)]) {
    expect(canonicalTree(grow(FROZEN, [operation]))).toBe(canonicalTree(TREE));
  }
});
