import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { applyOperation } from '../../../src/core/bank/apply.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { Actor, Operation } from '../../../src/core/bank/operation.ts';
import { getGroup } from '../../../src/core/bank/tree.ts';
import {
  adding,
  evidenceOf,
  HARNESS,
  lessonOf,
  PERSON,
  placing,
  summaryOf,
  treeOf,
} from './material.ts';
import {
  conflict,
  OUTCOME,
  TREE,
  FROZEN,
  revision,
  part,
  split,
  merge,
  restore,
} from './small-tree.ts';

const wide = treeOf(
  [
    ...adding('a', 'b', 'c', 'd'),
    placing({ g1: ROOT_ID, g2: ROOT_ID }, { a: 'g1', b: 'g1', c: 'g2', d: 'g2' }),
  ],
  { maxChildren: 3, maxDepth: 2 },
);

type Refused = readonly [rule: string, operation: Operation, tree?: typeof TREE, by?: Actor];
const REFUSED: readonly Refused[] = [
  ['R1 frozen', { type: 'add-lesson', lesson: lessonOf('new') }, FROZEN],
  ['R1 frozen', restore(true, false), FROZEN, HARNESS],
  ['R2 not-a-person', { type: 'unfreeze', reason: '' }, FROZEN, HARNESS],
  ['R3 unknown-node', { type: 'record-outcome', outcome: { ...OUTCOME, nodeId: 'none' } }],
  ['R3 not-a-lesson', { type: 'retire-lesson', lesson: 'g1', reason: '' }],
  ['R3 not-a-lesson', { type: 'revise-lesson', predecessor: 'none', lesson: revision }],
  ['R3 not-a-lesson', { type: 'support-lesson', lesson: 'g1', evidence: evidenceOf('t7') }],
  ['R3 not-a-lesson', { type: 'set-trust', lessons: ['none'], trust: 'held' }],
  ['R3 not-a-lesson', { type: 'erase', lessons: ['g1'], entries: [], reason: '' }],
  ['R3 not-a-lesson', placing({}, { none: 'g1' })],
  ['R3 not-a-group', placing({}, { e: 'a' })],
  ['R3 not-a-group', placing({ g4: 'none' }, { e: 'g4' })],
  ['R3 not-a-group', merge({ groups: ['g1', 'a'] })],
  ['R3 not-a-group', split({ group: 'a' })],
  ['R3 not-a-group', { type: 'consolidate', group: 'a', summary: summaryOf(['a']) }],
  ['R3 not-a-group', { type: 'revise-group', group: 'a', title: 'x', scope: '' }],
  ['R4 id-taken', { type: 'add-lesson', lesson: lessonOf('a') }],
  ['R4 id-taken', placing({ a: ROOT_ID }, { e: 'a' })],
  ['R4 id-taken', merge({ into: 'c' })],
  ['R4 id-taken', split({ parts: [part('p1', ['a']), part('p1', ['b'])] })],
  ['R5 not-active', { type: 'retire-lesson', lesson: 'f', reason: '' }],
  ['R5 not-active', { type: 'support-lesson', lesson: 'f', evidence: evidenceOf('t7') }],
  ['R5 not-active', placing({}, { f: 'g1' })],
  [
    'R5 not-active',
    { type: 'revise-lesson', predecessor: 'f', lesson: lessonOf('f2', {}, { revises: 'f' }) },
  ],
  ['R5 not-active', { type: 'add-lesson', lesson: lessonOf('n', {}, { status: 'retired' }) }],
  ['R6 already-placed', placing({}, { a: 'g1' })],
  ['R6 already-placed', { type: 'add-lesson', lesson: lessonOf('n', {}, { parent: 'g1' }) }],
  ['R7 wrong-predecessor', { type: 'revise-lesson', predecessor: 'b', lesson: revision }],
  ['R7 wrong-predecessor', { type: 'add-lesson', lesson: revision }],
  ['R8 wrong-hash', { type: 'add-lesson', lesson: lessonOf('n', {}, { contentHash: 'x' }) }],
  ['R9 duplicate-content', { type: 'add-lesson', lesson: lessonOf('n', lessonOf('a').content) }],
  ['R10 already-recorded', { type: 'support-lesson', lesson: 'a', evidence: evidenceOf('task-a') }],
  ['R10 already-recorded', { type: 'record-outcome', outcome: OUTCOME }],
  [
    'R11 assigned-twice',
    {
      type: 'place',
      groups: [],
      assignments: [
        { lesson: 'e', under: 'g1' },
        { lesson: 'e', under: 'g2' },
      ],
    },
  ],
  ['R12 over-capacity', merge(), wide],
  ['R12 over-capacity', placing({ x: ROOT_ID, y: ROOT_ID }, { a: 'x' }), wide],
  ['R13 too-deep', placing({ x: 'g1' }, { c: 'x' }), wide],
  ['R13 too-deep', split({ parts: [part('p1', ['a']), part('p2', ['b'])] }), wide],
  ['R14 not-siblings', merge({ groups: ['g1', 'g3'] })],
  ['R14 not-siblings', merge({ groups: ['g1', 'g1'] })],
  ['R15 not-a-partition', split({ parts: [part('p1', ['a']), part('p2', ['c'])] })],
  ['R15 not-a-partition', split({ parts: [part('p1', ['a']), part('p2', ['a', 'b'])] })],
  ['R15 not-a-partition', split({ parts: [part('p1', ['a']), part('p2', ['a'])] })],
  ['R15 not-a-partition', split({ parts: [part('p1', ['a', 'b']), part('p2', [])] })],
  ['R15 not-a-partition', split({ parts: [part('p1', ['a', 'b'])] })],
  ['R16 at-the-root', merge({ groups: [ROOT_ID, 'g1'] })],
  [
    'R16 at-the-root',
    split({ group: ROOT_ID, lift: true, parts: [part('p1', ['g1']), part('p2', ['g2'])] }),
  ],
  ['R17 unsupported', { type: 'consolidate', group: 'g1', summary: summaryOf(['c']) }],
  ['R17 unsupported', { type: 'consolidate', group: 'g2', summary: summaryOf(['f']) }],
  ['R17 unsupported', { type: 'consolidate', group: 'g1', summary: summaryOf([]) }],
  [
    'R17 unsupported',
    {
      type: 'consolidate',
      group: 'g1',
      summary: summaryOf(['a'], { conflicts: [{ ...conflict, lessons: ['a', 'a'] }] }),
    },
  ],
  [
    'R17 unsupported',
    { type: 'consolidate', group: 'g2', summary: summaryOf(['c'], { conflicts: [conflict] }) },
  ],
  [
    'R18 over-budget',
    {
      type: 'consolidate',
      group: 'g1',
      summary: summaryOf(['a'], { text: 'x'.repeat(1000), procedure: ['y'.repeat(201)] }),
    },
  ],
  [
    'R19 no-such-conflict',
    { type: 'settle-conflict', group: 'g1', lessons: ['a', 'c'], settled: 'a' },
  ],
  [
    'R19 no-such-conflict',
    { type: 'settle-conflict', group: 'g1', lessons: ['a', 'b'], settled: 'c' },
  ],
  [
    'R19 no-such-conflict',
    { type: 'settle-conflict', group: 'g2', lessons: ['a', 'b'], settled: 'a' },
  ],
  ['R20 already-so', { type: 'set-trust', lessons: ['a'], trust: 'trusted' }],
  ['R20 already-so', { type: 'unfreeze', reason: '' }],
  ['R21 record-moved', restore(true, false)],
  [
    'R22 breaks-invariant',
    {
      type: 'restore',
      of: null,
      records: [{ table: 'node', id: 'g1', from: getGroup(TREE, 'g1') ?? null, to: null }],
    },
  ],
];

const refusals = REFUSED.map(([rule, operation, tree = TREE, by = PERSON]) => ({
  rule,
  operation,
  tree,
  by,
}));
test.each(refusals)('$rule: $operation.type', ({ rule, operation, tree, by }) => {
  const applied = applyOperation(tree, operation, by);
  expect(applied.ok ? 'applied' : applied.refusal.reason).toBe(rule.split(' ')[1]);
});

test('every rule and reason of SPEC.md is refused at least once, by an operation it guards', async () => {
  const spec = await readFile('src/core/bank/SPEC.md', 'utf8');
  const rows = spec.split('\n').flatMap((line) => {
    const [, rule = '', reasons = '', guards = ''] = line.split('|').map((cell) => cell.trim());
    return /^R\d+$/u.test(rule) ? [{ rule, reasons, guards: guards.split(', ') }] : [];
  });
  expect(rows.map(({ rule }) => rule)).toEqual(Array.from({ length: 22 }, (_, at) => `R${at + 1}`));
  const written = rows.flatMap(({ rule, reasons }) =>
    [...reasons.matchAll(/`([^`]+)`/gu)].map(([, reason]) => `${rule} ${reason}`),
  );
  expect(new Set(REFUSED.map(([rule]) => rule))).toEqual(new Set(written));
  for (const [rule, { type }] of REFUSED) {
    const guards = rows.find((row) => row.rule === rule.split(' ')[0])?.guards ?? [];
    const isGuarded = guards.includes(type) || guards[0]?.startsWith('every one') === true;
    expect(isGuarded, `${rule}: ${type}`).toBe(true);
  }
});
