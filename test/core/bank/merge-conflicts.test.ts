import { describe, expect, test } from 'vitest';
import type { MergePlan } from '../../../src/core/bank/lineage/merge-plan.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { Operation } from '../../../src/core/bank/operation.ts';
import { getGroup, getLesson, resolve, unplacedLessons } from '../../../src/core/bank/tree.ts';
import { logOf, withStep } from './logs.ts';
import { adding, lessonOf, placing, summaryOf } from './material.ts';
import { BASE, bankOf, merged, plan, reasons, retire, revise, support } from './merge-cases.ts';
import { OUTCOME } from './small-tree.ts';

describe('a conflict is listed, stands for ours, and can be settled for theirs', () => {
  /** Active ids by either choice. */
  function settled(ours: readonly Operation[], theirs: readonly Operation[]) {
    const here = merged(ours, theirs);
    const [first] = here.conflicts;
    const choices = new Map(here.conflicts.map(({ id }) => [id, 'theirs'] as const));
    const there = merged(ours, theirs, { choices });
    expect(first?.choices).toEqual(['ours', 'theirs']);
    expect([first?.choice, there.conflicts[0]?.choice]).toEqual(['ours', 'theirs']);
    expect(first?.message).toMatch(/\.$/u);
    const active = ({ tree }: MergePlan) =>
      [...tree.index.contents.entries()].map(([, id]) => id).toSorted();
    return { reasons: reasons(here), here, there, active: [active(here), active(there)] };
  }

  test('both revised the same lesson', () => {
    const done = settled([revise('a', 'o')], [revise('a', 't'), revise('t', 't2')]);
    expect(done.reasons).toEqual(['revised-differently']);
    expect(done.active).toEqual([
      ['b', 'c', 'o'],
      ['b', 'c', 't2'],
    ]);
    // What was not gone by is kept, retired.
    expect(getLesson(done.here.tree, 't2')?.status).toBe('retired');
    expect(resolve(done.there.tree, 'o')).toEqual(['t2']);
  });

  test('ours retired what theirs supported, or revised', () => {
    const supported = settled([retire('a')], [support('a', 't9')]);
    expect(supported.reasons).toEqual(['retired-here']);
    expect(supported.active).toEqual([
      ['b', 'c'],
      ['a', 'b', 'c'],
    ]);
    expect(getLesson(supported.there.tree, 'a')?.evidence).toHaveLength(2);
    const revised = settled([retire('a')], [revise('a', 't')]);
    expect(revised.reasons).toEqual(['retired-here']);
    expect(revised.active).toEqual([
      ['b', 'c'],
      ['b', 'c', 't'],
    ]);
  });

  test('theirs retired what ours supported, or revised', () => {
    const supported = settled([support('a', 't9')], [retire('a')]);
    expect(supported.reasons).toEqual(['retired-there']);
    expect(supported.active).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
    const revised = settled([revise('a', 'o')], [retire('a')]);
    expect(revised.reasons).toEqual(['retired-there']);
    expect(revised.active).toEqual([
      ['b', 'c', 'o'],
      ['b', 'c'],
    ]);
  });

  test('theirs supported what ours revised: the evidence can count for the revision', () => {
    const done = settled([revise('a', 'o')], [support('a', 't9')]);
    expect(done.reasons).toEqual(['revised-here']);
    expect(getLesson(done.there.tree, 'o')?.evidence.map(({ taskId }) => taskId)).toContain('t9');
  });

  test('a group renamed, a lesson moved, a group summarised, a conflict settled, each otherwise', () => {
    const rename = (title: string): Operation => ({
      type: 'revise-group',
      group: 'g2',
      title,
      scope: '',
    });
    const renamed = settled([rename('Ours')], [rename('Theirs')]);
    expect(renamed.reasons).toEqual(['renamed-differently']);
    expect(getGroup(renamed.there.tree, 'g2')?.title).toBe('Theirs');
    const moved = settled(
      [placing({ o: ROOT_ID }, { c: 'o' })],
      [placing({ t: ROOT_ID }, { c: 't' })],
    );
    expect(moved.reasons).toEqual(['moved-differently']);
    expect(getLesson(moved.there.tree, 'c')?.parent).toBe('t');
    const write = (text: string): Operation => ({
      type: 'consolidate',
      group: 'g1',
      summary: summaryOf(['a'], { text }),
    });
    const written = settled([write('Ours.')], [write('Theirs.')]);
    expect(written.reasons).toEqual(['summarised-differently']);
    expect(getGroup(written.there.tree, 'g1')?.summary?.text).toBe('Theirs.');
    const settle = (by: string): Operation => ({
      type: 'settle-conflict',
      group: 'g1',
      lessons: ['a', 'b'],
      settled: by,
    });
    const judged = settled([settle('a')], [settle('both')]);
    expect(judged.reasons).toEqual(['settled-differently']);
    expect(getGroup(judged.there.tree, 'g1')?.summary?.conflicts[0]?.settled).toBe('both');
  });

  test('one retrieval that came to two things', () => {
    const outcome = (result: 'success' | 'failure'): Operation => ({
      type: 'record-outcome',
      outcome: { ...OUTCOME, result },
    });
    const done = settled([outcome('success')], [outcome('failure')]);
    expect(done.reasons).toEqual(['recorded-differently']);
    expect([...done.there.tree.outcomes.entries()][0]?.[1].result).toBe('failure');
  });

  test('trust given there to a lesson that is held for review', () => {
    const base = withStep(BASE, [{ type: 'set-trust', lessons: ['a'], trust: 'held' }]);
    const trusting = withStep(base, [{ type: 'set-trust', lessons: ['a'], trust: 'trusted' }]);
    const done = plan(bankOf(base), bankOf(trusting), { hold: true });
    expect(reasons(done)).toEqual(['trust-differs']);
    expect(getLesson(done.tree, 'a')?.trust).toBe('held');
  });
});

describe('what cannot be taken is listed', () => {
  test('everything, where our bank is frozen or theirs may not leave the machine', () => {
    const frozen = withStep(BASE, [{ type: 'freeze', reason: 'evaluation' }]);
    const done = plan(bankOf(frozen), bankOf(withStep(BASE, adding('x'))));
    expect([done.operations, reasons(done)]).toEqual([[], ['frozen']]);
    const local = plan(bankOf(BASE), bankOf(withStep(BASE, adding('x')), { localOnly: true }));
    expect([local.operations, reasons(local)]).toEqual([[], ['local-only']]);
  });

  test('an id that has another content here: theirs comes under an id of its own, once', () => {
    const theirs = bankOf(
      logOf([{ type: 'add-lesson', lesson: lessonOf('a', { title: 'Other' }) }]),
    );
    const done = plan(bankOf(BASE), theirs);
    expect(reasons(done)).toEqual(['id-collision']);
    expect(getLesson(done.tree, 'fresh')?.content.title).toBe('Other');
    const log = withStep(
      BASE,
      done.operations.map(({ operation }) => operation),
    );
    expect(plan(bankOf(log), theirs)).toMatchObject({ operations: [], conflicts: [] });
  });

  test('a lesson that was erased here is not brought back; one erased there can go here too', () => {
    const erase: Operation = { type: 'erase', lessons: ['a'], entries: [], reason: 'asked' };
    const here = merged([erase], [support('a', 't9')]);
    expect([here.operations, reasons(here)]).toEqual([[], ['erased-here']]);
    const there = merged([], [erase]);
    expect([there.operations, reasons(there)]).toEqual([[], ['erased-there']]);
  });

  test('lessons that find no place wait, and where there is no room at all that is said', () => {
    const full = { maxChildren: 2, maxDepth: 2 };
    const ours = logOf([
      ...adding('a', 'b', 'c', 'd'),
      placing({ g1: ROOT_ID, g2: ROOT_ID }, { a: 'g1', b: 'g1', c: 'g2', d: 'g2' }),
    ]);
    const theirs = logOf([...adding('x'), placing({ n: ROOT_ID }, { x: 'n' })]);
    const done = plan(bankOf(ours, full), bankOf(theirs));
    expect(unplacedLessons(done.tree)).toEqual(['x']);
    expect(done).toMatchObject({ unplaced: ['x'], counts: { unplaced: 1 } });
    expect(reasons(done)).toEqual(['bank-full']);
  });

  test('a summary that rests on what is not here: the group is to be consolidated anew', () => {
    const done = merged(
      [retire('a')],
      [{ type: 'consolidate', group: 'g1', summary: summaryOf(['a', 'b'], { text: 'New.' }) }],
    );
    expect(reasons(done)).toEqual(['summary-unsupported']);
    expect(done.reconsolidate).toEqual(['g1']);
  });

  test('a merge of groups that no longer stand side by side', () => {
    const ours: Operation = {
      type: 'split',
      group: ROOT_ID,
      parts: [
        { id: 'p1', title: 'P1', scope: '', children: ['g1'] },
        { id: 'p2', title: 'P2', scope: '', children: ['g2'] },
      ],
      lift: false,
      forced: true,
    };
    const theirs: Operation = {
      type: 'merge',
      groups: ['g1', 'g2'],
      into: 'm',
      title: 'M',
      scope: '',
    };
    const done = merged([ours], [theirs]);
    expect(reasons(done)).toEqual(['not-valid-here']);
    expect(getLesson(done.tree, 'a')?.parent).toBe('g1');
  });
});
