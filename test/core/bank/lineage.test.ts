import { describe, expect, test } from 'vitest';
import { commonAncestor } from '../../../src/core/bank/lineage/common-ancestor.ts';
import { forkBank } from '../../../src/core/bank/lineage/fork.ts';
import { EMPTY_LOG, headOf } from '../../../src/core/bank/log.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import { bankManifestSchema, type Operation } from '../../../src/core/bank/operation.ts';
import { getGroup, getLesson, resolve } from '../../../src/core/bank/tree.ts';
import { hashJson } from '../../../src/core/canonical.ts';
import { logOf, withStep } from './logs.ts';
import { adding, evidenceOf, lessonOf, manifestOf, placing, summaryOf } from './material.ts';
import { BASE, bankOf, merged, plan, retire, revise, types } from './merge-cases.ts';
import { OUTCOME } from './small-tree.ts';

describe('a fork', () => {
  const source = bankOf(BASE, { localOnly: true });
  const fork = forkBank(source, {
    id: 'fork',
    name: 'Fork',
    createdAt: '2026-05-01T00:00:00.000Z',
  });

  test('begins with the whole log of the other, keeps its settings and says where it is from', () => {
    expect(fork.log).toEqual(BASE);
    expect(fork.manifest).toMatchObject({
      id: 'fork',
      name: 'Fork',
      localOnly: true,
      forkedFrom: { bankId: 'bank', head: headOf(BASE.at(-1)!) },
    });
    expect(bankManifestSchema.parse(JSON.parse(JSON.stringify(fork.manifest)))).toEqual(
      fork.manifest,
    );
  });

  test('can begin at an earlier entry, or at none', () => {
    const early = forkBank(source, { id: 'f', name: 'F', createdAt: '', atSeq: 2 });
    expect(early.log).toHaveLength(2);
    expect(early.manifest.forkedFrom?.head).toEqual(headOf(BASE[1]!));
    const empty = forkBank(source, { id: 'f', name: 'F', createdAt: '', atSeq: 0 });
    expect(empty.manifest.forkedFrom?.head).toEqual(EMPTY_LOG);
  });

  test('does not change the fingerprint of a bank that is none', () => {
    const parsed = bankManifestSchema.parse(manifestOf());
    expect('forkedFrom' in parsed).toBe(false);
    expect(hashJson(parsed)).toBe(hashJson(manifestOf()));
  });
});

test('two logs’ common ancestor is the last entry they share, by hash', () => {
  const [ours, theirs] = [withStep(BASE, adding('x')), withStep(BASE, adding('y'))];
  expect(commonAncestor(ours, theirs)).toEqual(headOf(BASE.at(-1)!));
  expect(commonAncestor(ours, BASE)).toEqual(headOf(BASE.at(-1)!));
  expect(commonAncestor(ours, ours)).toEqual(headOf(ours.at(-1)!));
  expect(commonAncestor(logOf(adding('x')), BASE)).toEqual(EMPTY_LOG);
  expect(commonAncestor([], BASE)).toEqual(EMPTY_LOG);
});

describe('what is taken', () => {
  test('new lessons come with their groups, places and summaries', () => {
    const theirs = [
      ...adding('x', 'y'),
      placing({ n1: 'g2', n2: 'n1' }, { x: 'n2', y: 'g1' }),
      { type: 'consolidate', group: 'n1', summary: summaryOf(['x']) } as const,
    ];
    const { tree, conflicts, reconsolidate } = merged([], theirs);
    expect(conflicts).toEqual([]);
    expect(getLesson(tree, 'x')?.parent).toBe('n2');
    expect(getGroup(tree, 'n2')?.parent).toBe('n1');
    expect(getGroup(tree, 'n1')).toMatchObject({ parent: 'g2', summary: { supportedBy: ['x'] } });
    expect(getLesson(tree, 'y')?.parent).toBe('g1');
    expect(reconsolidate).toEqual([]);
  });

  test('the same content from two banks is one lesson with the evidence of both', () => {
    const same = lessonOf('x', lessonOf('a').content, { evidence: [evidenceOf('t9')] });
    const done = plan(bankOf(BASE), bankOf(logOf([{ type: 'add-lesson', lesson: same }])));
    expect(types(done)).toEqual(['support-lesson']);
    expect(getLesson(done.tree, 'a')?.evidence.map(({ taskId }) => taskId)).toEqual([
      'task-a',
      't9',
    ]);
  });

  test('without an ancestor, groups of the same title and scope are one, and others are made', () => {
    const groups = (other: string, id: string) => ({
      ...placing({ [id]: ROOT_ID, [`${id}-new`]: id }, { x: id, y: `${id}-new` }),
      groups: [
        { id, parent: ROOT_ID, title: other, scope: '' },
        { id: `${id}-new`, parent: id, title: 'New', scope: '' },
      ],
    });
    const theirs = logOf([...adding('x', 'y'), groups('Group g1', 'their-group') as Operation]);
    const done = plan(bankOf(BASE), bankOf(theirs));
    expect(done.ancestor).toEqual(EMPTY_LOG);
    expect(getLesson(done.tree, 'x')?.parent).toBe('g1');
    expect(getGroup(done.tree, 'their-group-new')?.parent).toBe('g1');
  });

  test('revisions, retirements, outcomes, trust, titles, moves and what was settled', () => {
    const done = merged(
      [],
      [
        { type: 'settle-conflict', group: 'g1', lessons: ['a', 'b'], settled: 'a' },
        revise('c', 'c2'),
        { type: 'record-outcome', outcome: OUTCOME },
        { type: 'set-trust', lessons: ['b'], trust: 'held' },
        { type: 'revise-group', group: 'g2', title: 'Better', scope: 'maps' },
      ],
    );
    expect(done.conflicts).toEqual([]);
    expect(getGroup(done.tree, 'g1')?.summary?.conflicts[0]?.settled).toBe('a');
    expect(resolve(done.tree, 'c')).toEqual(['c2']);
    expect(done.tree.outcomes.size).toBe(1);
    expect(getLesson(done.tree, 'b')?.trust).toBe('held');
    expect(getGroup(done.tree, 'g2')).toMatchObject({ title: 'Better', scope: 'maps' });
    const moved = merged([], [placing({}, { b: 'g2' }), retire('c')]);
    expect(moved.conflicts).toEqual([]);
    expect(getLesson(moved.tree, 'b')?.parent).toBe('g2');
    expect(getLesson(moved.tree, 'c')?.status).toBe('retired');
    expect(moved.reconsolidate).toEqual(['g1']);
  });

  test('merges and splits of groups that fit', () => {
    const split: Operation = {
      type: 'split',
      group: 'g1',
      parts: [
        { id: 'p1', title: 'P1', scope: '', children: ['a'] },
        { id: 'p2', title: 'P2', scope: '', children: ['b'] },
      ],
      lift: true,
      forced: false,
    };
    const ours = [...adding('o'), placing({}, { o: 'g1' })];
    const parted = merged(ours, [split]);
    expect(parted.conflicts).toEqual([]);
    expect(['a', 'b', 'o'].map((id) => getLesson(parted.tree, id)?.parent)).toEqual([
      'p1',
      'p2',
      'p1',
    ]);
    const merge: Operation = {
      type: 'merge',
      groups: ['g1', 'g2'],
      into: 'm',
      title: 'M',
      scope: '',
    };
    const joined = merged(ours, [merge]);
    expect(resolve(joined.tree, 'g1')).toEqual(['m']);
    expect(getLesson(joined.tree, 'o')?.parent).toBe('m');
  });

  test('nothing where theirs is behind, and everything once where ours is', () => {
    expect(merged(adding('x'), []).operations).toEqual([]);
    expect(types(merged([], adding('x')))).toEqual(['add-lesson']);
    expect(types(merged(adding('x'), adding('x')))).toEqual([]);
  });

  test('lessons of a bank that is not trusted come in held', () => {
    const done = merged([], adding('x'), { hold: true });
    expect(getLesson(done.tree, 'x')?.trust).toBe('held');
  });

  test('none of ours that we trust goes on the word of a bank on trial', () => {
    const done = merged([], [revise('a', 'a2'), retire('b')], { hold: true });
    expect(['a', 'a2', 'b'].map((id) => getLesson(done.tree, id))).toMatchObject([
      { status: 'active', trust: 'trusted' },
      { status: 'active', trust: 'held' },
      { status: 'active', trust: 'trusted' },
    ]);
    expect(done.conflicts).toMatchObject([{ reason: 'retired-there', ours: 'b' }]);
    const log = withStep(
      BASE,
      done.operations.map(({ operation }) => operation),
    );
    const theirs = withStep(BASE, [revise('a', 'a2'), retire('b')]);
    expect(plan(bankOf(log), bankOf(theirs), { hold: true }).operations).toEqual([]);
  });
});
