import { describe, expect, test } from 'vitest';
import { planErasure, type PlannedErasure } from '../../../src/core/bank/erasure/plan-erasure.ts';
import type { ErasureTarget } from '../../../src/core/bank/erasure/what-goes.ts';
import { BankHistory } from '../../../src/core/bank/history/bank-history.ts';
import { undoTarget } from '../../../src/core/bank/history/undo.ts';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { revertStep, verifyChain } from '../../../src/core/bank/log.ts';
import type { LogEntry, Operation } from '../../../src/core/bank/operation.ts';
import { getGroup, getLesson } from '../../../src/core/bank/tree.ts';
import { logOf, treeOfLog, withRevert, withStep } from './logs.ts';
import {
  adding,
  AT,
  evidenceOf,
  lessonOf,
  manifestOf,
  PERSON,
  placing,
  summaryOf,
} from './material.ts';

const how = { by: PERSON, at: AT, reason: 'asked' };

function erase(log: readonly LogEntry[], target: ErasureTarget): PlannedErasure {
  const planned = planErasure({ manifest: manifestOf(), log }, target, how);
  if (!planned.ok) throw new Error(planned.refusal.message);
  const after = planned.value.log;
  expect(verifyChain(after)).toBeNull();
  expect(checkInvariants(treeOfLog(after))).toEqual([]);
  expect(planned.value.report.entriesLost).toBe(0);
  return planned.value;
}

/** The types of a log's operations. */
const types = (log: readonly LogEntry[]) => log.map(({ operation }) => operation.type);

const revising = (predecessor: string, id: string, tasks: readonly string[]): Operation => ({
  type: 'revise-lesson',
  predecessor,
  lesson: lessonOf(
    id,
    {},
    { revises: predecessor, evidence: tasks.map((task) => evidenceOf(task)) },
  ),
});

describe('what goes', () => {
  test('a lesson goes with every revision of it, before and after', () => {
    const log = logOf(adding('a', 'b'), [revising('a', 'a2', [])], [revising('a2', 'a3', [])]);
    const { report, tree } = erase(log, { lessonIds: ['a2'] });
    expect(report.lessons).toEqual(['a', 'a2', 'a3']);
    expect(tree.index.activeLessons).toBe(1);
  });

  test('a lesson that was added again with the same content goes, too', () => {
    const again = lessonOf('b', lessonOf('a').content);
    const log = logOf(
      adding('a'),
      [{ type: 'retire-lesson', lesson: 'a', reason: '' }],
      [{ type: 'add-lesson', lesson: again }],
    );
    expect(erase(log, { lessonIds: ['a'] }).report.lessons).toEqual(['a', 'b']);
  });

  test('a lesson with another source stays, without the task’s evidence and outcomes', () => {
    const log = logOf(adding('a', 'b'), [
      { type: 'support-lesson', lesson: 'a', evidence: evidenceOf('other') },
      {
        type: 'record-outcome',
        outcome: {
          retrievalId: 'r',
          nodeId: 'b',
          taskId: 'task-a',
          result: 'success',
          strength: 'judged',
        },
      },
    ]);
    const { report, tree, log: after } = erase(log, { taskIds: ['task-a'] });
    expect(report).toMatchObject({
      lessons: [],
      evidence: 1,
      entriesErased: 1,
      entriesRewritten: 1,
    });
    expect(getLesson(tree, 'a')?.evidence).toEqual([evidenceOf('other')]);
    expect(JSON.stringify(after)).not.toContain('"task-a"');
  });

  test('a revision that rests on another task, too, stands by itself in the place of the lesson that goes', () => {
    const log = logOf(
      adding('a'),
      [placing({ g: 'root' }, { a: 'g' })],
      [revising('a', 'a2', ['task-a', 'other'])],
    );
    const { report, tree } = erase(log, { taskIds: ['task-a'] });
    expect(report.lessons).toEqual(['a']);
    expect(getLesson(tree, 'a2')).toMatchObject({
      parent: 'g',
      revises: null,
      evidence: [{ taskId: 'other' }],
    });
  });

  test('a revision without evidence of its own goes with what it revises', () => {
    const log = logOf(adding('a'), [revising('a', 'a2', [])]);
    expect(erase(log, { taskIds: ['task-a'] }).report.lessons).toEqual(['a', 'a2']);
  });

  test('the question of a task goes from the anchors of lessons it supports, and their hashes follow', () => {
    const anchored = lessonOf('a', { anchor: 'How many  stops?' });
    const same = lessonOf('b', { anchor: 'How many stops?' }, { evidence: [evidenceOf('other')] });
    const log = logOf([
      {
        type: 'add-lesson',
        lesson: { ...anchored, evidence: [evidenceOf('t'), evidenceOf('other')] },
      },
      { type: 'add-lesson', lesson: same },
    ]);
    const { tree } = erase(log, { taskIds: ['t'], questions: ['how many stops?'] });
    expect(getLesson(tree, 'a')?.content.anchor).toBe('');
    expect(getLesson(tree, 'b')?.content.anchor).toBe('How many stops?');
  });

  test('a lesson that says what another says once the question went goes, and the other stays', () => {
    const anchored = lessonOf('a', { title: 'T', guidance: 'G', anchor: 'Q?' });
    const plain = lessonOf('b', { title: 'T', guidance: 'G' });
    const log = logOf([
      {
        type: 'add-lesson',
        lesson: { ...anchored, evidence: [evidenceOf('t'), evidenceOf('other')] },
      },
      { type: 'add-lesson', lesson: plain },
    ]);
    expect(erase(log, { taskIds: ['t'], questions: ['Q?'] }).report.lessons).toEqual(['a']);
  });
});

describe('what is left of an entry', () => {
  const PLACED = logOf(adding('a', 'b', 'c'), [
    placing({ g: 'root', h: 'root' }, { a: 'g', b: 'g', c: 'h' }),
  ]);

  test('a placing keeps its other lessons and groups; a group that held nothing else is gone', () => {
    const { tree, log, report } = erase(PLACED, { lessonIds: ['c'] });
    expect(types(log)).toEqual(['add-lesson', 'add-lesson', 'erased', 'place', 'erase']);
    expect(log[3]?.operation).toEqual(placing({ g: 'root' }, { a: 'g', b: 'g' }));
    expect([getGroup(tree, 'h'), report.groups]).toEqual([undefined, 1]);
  });

  test('a group that another lesson came to later is made where its first lesson was placed', () => {
    const log = withStep(PLACED, [placing({}, { a: 'h' })]);
    const { tree, log: after } = erase(log, { lessonIds: ['c'] });
    expect(after.at(-2)?.operation).toEqual(log.at(-1)?.operation);
    expect(getLesson(tree, 'a')?.parent).toBe('h');
  });

  test('a merge of which one group is left is said as the records it changes', () => {
    const log = withStep(PLACED, [
      { type: 'merge', groups: ['g', 'h'], into: 'm', title: 'Both', scope: '' },
    ]);
    const { tree, log: after } = erase(log, { lessonIds: ['c'] });
    expect(after.at(-2)?.operation).toMatchObject({ type: 'restore', of: null });
    expect([getLesson(tree, 'a')?.parent, getGroup(tree, 'm')?.title]).toEqual(['m', 'Both']);
    expect([tree.aliases.get('g'), tree.aliases.get('h')]).toEqual([['m'], undefined]);
  });

  test('a split of which one part is left, lifted, leaves that part', () => {
    const text = { title: 'Part', scope: '' };
    const log = withStep(PLACED, [
      {
        type: 'split',
        group: 'g',
        parts: [
          { id: 'p', ...text, children: ['a'] },
          { id: 'q', ...text, children: ['b'] },
        ],
        lift: true,
        forced: false,
      },
    ]);
    const { tree } = erase(log, { lessonIds: ['b'] });
    expect([tree.aliases.get('g'), getGroup(tree, 'q')]).toEqual([['p'], undefined]);
  });

  test('summaries that rest on a lesson that goes, or quote it, are void; others stand', () => {
    const log = withStep(PLACED, [
      { type: 'consolidate', group: 'g', summary: summaryOf(['a', 'b']) },
      {
        type: 'consolidate',
        group: 'h',
        summary: summaryOf(['c'], { text: 'See “Title a”: do A.' }),
      },
      { type: 'consolidate', group: 'root', summary: summaryOf(['b', 'c']) },
    ]);
    const { tree, report } = erase(log, { lessonIds: ['a'] });
    const voids = ['g', 'h', 'root'].map((id) => getGroup(tree, id)?.summary === null);
    expect([voids, report.summaries]).toEqual([[true, false, false], 1]);
  });

  test('titles, scopes and reasons that quote what goes do not, whatever their case', () => {
    const secret = lessonOf('s', {
      guidance: 'Ask at the Northgate desk first.',
      topic: 'Northgate desk',
    });
    const log = logOf(
      [...adding('a'), { type: 'add-lesson', lesson: secret }],
      [placing({ g: 'root' }, { a: 'g', s: 'g' })],
      [{ type: 'revise-group', group: 'g', title: 'The NORTHGATE  desk', scope: 'northgate desk' }],
      [{ type: 'retire-lesson', lesson: 'a', reason: 'ask at the Northgate desk first.' }],
    );
    const { log: after, tree } = erase(log, { lessonIds: ['s'] });
    expect(JSON.stringify(after).toLowerCase()).not.toContain('northgate');
    expect(getGroup(tree, 'g')?.title).toBe('Untitled group');
  });

  test('a step that was undone stays undone, and the undo says nothing of the lesson', () => {
    const log = withRevert(withStep(PLACED, adding('d', 'e')), 3);
    const { log: after, tree } = erase(log, { lessonIds: ['d'] });
    expect(JSON.stringify(after)).not.toContain('Title d');
    expect(getLesson(tree, 'e')).toBeUndefined();
    expect(types(after).slice(4)).toEqual(['erased', 'add-lesson', 'restore', 'erased', 'erase']);
    expect(undoTarget(after)).toBe(2);
    const reverted = revertStep(tree, after, { step: 4, by: PERSON });
    expect(reverted.ok && reverted.value.length).toBe(1);
  });

  test('crops and sources that nothing else names are told', () => {
    const crop = {
      hash: 'c'.repeat(64),
      mediaType: 'image/png',
      width: 30,
      height: 30,
      sourceHash: 'f'.repeat(64),
      sourceWidth: 300,
      sourceHeight: 300,
      box: [0, 0, 0.1, 0.1] as [number, number, number, number],
    };
    const other = { ...crop, hash: 'd'.repeat(64) };
    const log = logOf([
      { type: 'add-lesson', lesson: lessonOf('a', { crop }) },
      { type: 'add-lesson', lesson: lessonOf('b', { crop: other }) },
    ]);
    expect(erase(log, { lessonIds: ['a'] }).report.images).toEqual([crop.hash]);
  });
});

describe('the bank after an erasure', () => {
  test('can be looked at as it was at any step', () => {
    const log = erase(logOf(adding('a', 'b'), [placing({ g: 'root' }, { a: 'g', b: 'g' })]), {
      lessonIds: ['a'],
    }).log;
    expect(getLesson(treeOfLog(log.slice(0, 2)), 'a')).toBeUndefined();
    expect(new BankHistory(manifestOf(), log)).toBeDefined();
  });

  test('a frozen bank erases nothing until a person unfreezes it; one without the lesson is as it was', () => {
    const log = logOf(adding('a'), [{ type: 'freeze', reason: '' }]);
    const planned = planErasure({ manifest: manifestOf(), log }, { lessonIds: ['a'] }, how);
    expect(planned).toMatchObject({ ok: false, refusal: { reason: 'frozen' } });
    expect(erase(log, { lessonIds: ['none'], taskIds: ['none'] }).log).toBe(log);
  });

  test('a bank that was frozen for a while is frozen for the same while', () => {
    const log = [
      [{ type: 'freeze', reason: 'While Title alpha is measured' }] as const,
      [{ type: 'unfreeze', reason: '' }] as const,
    ].reduce((grown, step) => withStep(grown, step, PERSON), logOf(adding('alpha', 'b')));
    const { log: after } = erase(log, { lessonIds: ['alpha'] });
    expect(after.slice(2, 4).map(({ operation }) => operation)).toEqual([
      { type: 'freeze', reason: '' },
      { type: 'unfreeze', reason: '' },
    ]);
  });

  test('a broken chain is not sealed over', () => {
    const [first, ...rest] = logOf(adding('a', 'b'));
    if (first === undefined) throw new Error('a log has entries');
    const log = [{ ...first, at: 'changed' }, ...rest];
    const planned = planErasure({ manifest: manifestOf(), log }, { lessonIds: ['a'] }, how);
    expect(planned).toMatchObject({ ok: false, refusal: { reason: 'broken-chain' } });
  });
});
