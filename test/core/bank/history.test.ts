import { describe, expect, test } from 'vitest';
import { contributions } from '../../../src/core/bank/history/contributions.ts';
import { stepSummaries } from '../../../src/core/bank/history/step-summaries.ts';
import { redoTarget, undoTarget } from '../../../src/core/bank/history/undo.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import { adding, evidenceOf, HARNESS, lessonOf, PERSON, placing, summaryOf } from './material.ts';
import { logOf, withRevert, withStep } from './logs.ts';

const LOG = logOf(
  [
    ...adding('a', 'b', 'c'),
    placing({ g1: ROOT_ID }, { a: 'g1', b: 'g1' }),
    { type: 'consolidate', group: 'g1', summary: summaryOf(['a', 'b']) },
  ],
  [placing({}, { c: 'g1' })],
  [{ type: 'set-trust', lessons: ['a', 'b'], trust: 'held' }],
);

describe('the summary of a step', () => {
  test('says when, by whom and what, in one line', () => {
    expect(stepSummaries(LOG)[0]).toMatchObject({
      step: 1,
      firstSeq: 1,
      lastSeq: 5,
      actors: [HARNESS],
      counts: { 'add-lesson': 3, place: 1, consolidate: 1 },
      sentence: '3 lessons added, 2 placed, 1 summary written',
      reverts: null,
      revertedBy: null,
    });
    expect(stepSummaries(LOG).map(({ sentence }) => sentence)).toEqual([
      '3 lessons added, 2 placed, 1 summary written',
      '1 lesson placed',
      '2 lessons held',
    ]);
  });

  test('says which step it takes back, and that step says by which it was taken back', () => {
    const undone = withRevert(LOG, 3);
    const [, , third, undo] = stepSummaries(undone);
    expect(third).toMatchObject({ reverts: null, revertedBy: 4 });
    expect(undo).toMatchObject({
      reverts: 3,
      revertedBy: null,
      sentence: 'step 3 taken back (2 lessons held)',
      actors: [PERSON],
    });
  });

  test('says of a step that was done again that it stands, and of its undo that it does not', () => {
    const again = withRevert(withRevert(LOG, 3), 4);
    const [, , third, undo, redo] = stepSummaries(again);
    expect(third?.revertedBy).toBeNull();
    expect(undo?.revertedBy).toBe(5);
    expect(redo).toMatchObject({ reverts: 4, sentence: 'step 3 done again (2 lessons held)' });
    const third_ = stepSummaries(withRevert(again, 5));
    expect(third_.at(-1)?.sentence).toBe('step 3 taken back (2 lessons held)');
    expect(third_[2]?.revertedBy).toBe(4);
  });
});

describe('undo and redo', () => {
  test('go back step by step and forth again', () => {
    expect([undoTarget(LOG), redoTarget(LOG)]).toEqual([3, null]);
    const one = withRevert(LOG, 3);
    expect([undoTarget(one), redoTarget(one)]).toEqual([2, { undo: 4, step: 3 }]);
    const two = withRevert(one, 2);
    expect([undoTarget(two), redoTarget(two)]).toEqual([1, { undo: 5, step: 2 }]);
    const forth = withRevert(two, 5);
    expect([undoTarget(forth), redoTarget(forth)]).toEqual([2, { undo: 4, step: 3 }]);
    const whole = withRevert(forth, 4);
    expect([undoTarget(whole), redoTarget(whole)]).toEqual([3, null]);
    const backAgain = withRevert(whole, 3);
    expect([undoTarget(backAgain), redoTarget(backAgain)]).toEqual([2, { undo: 8, step: 3 }]);
  });

  test('a new step ends what could be done again', () => {
    const undone = withRevert(LOG, 3);
    const newer = withStep(undone, adding('d'));
    expect([undoTarget(newer), redoTarget(newer)]).toEqual([5, null]);
    const back = withRevert(newer, 5);
    expect(undoTarget(back)).toBe(2);
  });

  test('the revert of an older step is a step of its own', () => {
    const log = withRevert(LOG, 2);
    expect([undoTarget(log), redoTarget(log)]).toEqual([4, null]);
    const undone = withRevert(log, 4);
    expect([undoTarget(undone), redoTarget(undone)]).toEqual([3, { undo: 5, step: 4 }]);
  });

  test('an erasure is passed over and ends what could be done again', () => {
    const erased = withStep(withRevert(LOG, 3), [
      { type: 'erase', lessons: ['a'], entries: [], reason: 'asked' },
    ]);
    expect([undoTarget(erased), redoTarget(erased)]).toEqual([2, null]);
  });

  test('an empty log has neither', () => {
    expect([undoTarget([]), redoTarget([])]).toEqual([null, null]);
  });
});

describe('contributions', () => {
  const other = evidenceOf('t7', { harness: 'react', at: '2026-02-01T00:00:00.000Z' });
  const against = evidenceOf('t8', { harness: 'react', supports: false });
  const own = lessonOf('a').evidence;
  const revised = lessonOf('a2', {}, { revises: 'a', evidence: [...own, other] });
  const log = logOf(
    adding('a', 'b'),
    [
      { type: 'support-lesson', lesson: 'b', evidence: other },
      { type: 'support-lesson', lesson: 'b', evidence: against },
    ],
    [{ type: 'revise-lesson', predecessor: 'a', lesson: revised }],
  );

  test('count by way of working what its evidence began, supported, revised and contradicted', () => {
    const { sources } = contributions(log);
    expect(sources).toMatchObject([
      { harness: 'team', lessons: 2, supports: 0, revisions: 0, contradictions: 0, tasks: 2 },
      { harness: 'react', lessons: 0, supports: 1, revisions: 1, contradictions: 1, tasks: 2 },
    ]);
    expect(sources[1]?.firstAt).toBe('2026-01-01T00:00:00.000Z');
    expect(sources[1]?.lastAt).toBe('2026-02-01T00:00:00.000Z');
  });

  test('count by actor what they wrote, and not what was taken back', () => {
    const undone = withRevert(log, 3);
    expect(contributions(undone)).toMatchObject({
      actors: [
        { actor: HARNESS, steps: 2, lessons: 2, supports: 2, revisions: 0 },
        { actor: PERSON, steps: 1, others: 1 },
      ],
      sources: [{ harness: 'team' }, { harness: 'react', revisions: 0 }],
    });
  });
});
