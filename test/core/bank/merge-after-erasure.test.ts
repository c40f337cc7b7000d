import { describe, expect, test } from 'vitest';
import { planErasure } from '../../../src/core/bank/erasure/plan-erasure.ts';
import type { ErasureTarget } from '../../../src/core/bank/erasure/what-goes.ts';
import { logEntrySchema, type LogEntry, type Operation } from '../../../src/core/bank/operation.ts';
import { getLesson } from '../../../src/core/bank/tree.ts';
import { logOf, withStep } from './logs.ts';
import { AT, evidenceOf, lessonOf, manifestOf, PERSON } from './material.ts';
import { bankOf, plan, reasons } from './merge-cases.ts';

const QUESTION = 'How many stops are there?';
const outcome = (task: string, retrievalId: string): Operation => ({
  type: 'record-outcome',
  outcome: { retrievalId, nodeId: 'b', taskId: task, result: 'success', strength: 'judged' },
});

/** a rests on the task and another, and has the question as its anchor; own on the task alone. */
const BEFORE = logOf([
  {
    type: 'add-lesson',
    lesson: lessonOf(
      'a',
      { anchor: QUESTION },
      { evidence: [evidenceOf('gone'), evidenceOf('o')] },
    ),
  },
  { type: 'add-lesson', lesson: lessonOf('b') },
  { type: 'add-lesson', lesson: lessonOf('own', {}, { evidence: [evidenceOf('gone')] }) },
  { type: 'support-lesson', lesson: 'b', evidence: evidenceOf('gone') },
  outcome('gone', 'r-gone'),
]);

function erased(target: ErasureTarget): readonly LogEntry[] {
  const made = planErasure({ manifest: manifestOf(), log: BEFORE }, target, {
    by: PERSON,
    at: AT,
    reason: '',
  });
  if (!made.ok) throw new Error(made.refusal.message);
  return made.value.log;
}

const OURS = erased({ taskIds: ['gone'], questions: [QUESTION] });
const forkWith = (...operations: readonly Operation[]) =>
  bankOf(operations.length === 0 ? BEFORE : withStep(BEFORE, operations, PERSON));

describe('merging an old fork after a task was erased', () => {
  test('brings none of it back: no evidence, outcome, lesson or question, and lists each', () => {
    const made = plan(bankOf(OURS), forkWith());
    expect(made.operations).toEqual([]);
    const text = JSON.stringify([...made.tree.nodes.entries(), ...made.tree.outcomes.entries()]);
    expect(text).not.toContain('gone');
    expect(text).not.toContain(QUESTION);
    expect(new Set(reasons(made))).toEqual(new Set(['erased-here']));
    expect(made.conflicts.map(({ theirs, choices }) => [theirs, choices])).toEqual([
      ['a/evidence', []],
      ['b/evidence', []],
      ['own/evidence', []],
      ['own', []],
      ['r-gone/b', []],
    ]);
  });

  test('takes what else the fork learned, on the same lessons too', () => {
    const made = plan(
      bankOf(OURS),
      forkWith(
        { type: 'support-lesson', lesson: 'a', evidence: evidenceOf('new') },
        { type: 'add-lesson', lesson: lessonOf('c') },
        outcome('new', 'r-new'),
      ),
    );
    expect(getLesson(made.tree, 'a')?.evidence.map(({ taskId }) => taskId)).toEqual(['o', 'new']);
    expect(getLesson(made.tree, 'a')?.content.anchor).toBe('');
    expect(getLesson(made.tree, 'c')?.status).toBe('active');
    expect([...made.tree.outcomes.entries()].map(([key]) => key)).toEqual(['r-new/b']);
    expect(JSON.stringify(made.operations)).not.toContain('gone');
  });

  test('keeps out lessons that the fork made of it since, and strips those that have another source', () => {
    const revision = lessonOf('own2', {}, { revises: 'own', evidence: [] });
    const copy = lessonOf('copy', {}, { evidence: [evidenceOf('gone')] });
    const both = lessonOf('both', {}, { evidence: [evidenceOf('gone'), evidenceOf('else')] });
    const made = plan(
      bankOf(OURS),
      forkWith(
        { type: 'revise-lesson', predecessor: 'own', lesson: revision },
        { type: 'add-lesson', lesson: copy },
        { type: 'add-lesson', lesson: both },
      ),
    );
    expect(getLesson(made.tree, 'own2')).toBeUndefined();
    expect(getLesson(made.tree, 'copy')).toBeUndefined();
    expect(getLesson(made.tree, 'both')?.evidence).toEqual([evidenceOf('else')]);
    expect(JSON.stringify(made.operations)).not.toContain('gone');
  });

  test('gives nothing the second time', () => {
    const fork = forkWith({ type: 'support-lesson', lesson: 'a', evidence: evidenceOf('new') });
    const once = plan(bankOf(OURS), fork);
    const after = withStep(
      OURS,
      once.operations.map(({ operation }) => operation),
      PERSON,
    );
    expect(plan(bankOf(after), fork).operations).toEqual([]);
  });
});

describe('a tombstone', () => {
  test('says nothing of the task: marks are hashes of random ids', () => {
    const last = OURS.at(-1)?.operation;
    if (last?.type !== 'erase') throw new Error('no tombstone');
    expect(last.reworded).toEqual(['a']);
    expect(last.cut).toHaveLength(2);
    for (const mark of last.cut ?? []) expect(mark).toMatch(/^[0-9a-f]{64}$/u);
    expect(JSON.stringify(OURS)).not.toContain('gone');
    expect(logEntrySchema.parse(JSON.parse(JSON.stringify(OURS.at(-1))))).toEqual(OURS.at(-1));
  });

  test('of a lesson has no marks, and is what it was before there were any', () => {
    expect(erased({ lessonIds: ['b'] }).at(-1)?.operation).toEqual({
      type: 'erase',
      lessons: ['b'],
      entries: [2, 4, 5],
      reason: '',
    });
  });
});
