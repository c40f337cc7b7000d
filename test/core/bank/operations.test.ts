import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { applyOperation, parseOperation } from '../../../src/core/bank/apply.ts';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { Actor, Operation, Outcome } from '../../../src/core/bank/operation.ts';
import {
  childrenOf,
  getGroup,
  getLesson,
  outcomesOf,
  resolve,
  unplacedLessons,
} from '../../../src/core/bank/tree.ts';
import {
  adding,
  canonicalTree,
  evidenceOf,
  grow,
  HARNESS,
  lessonOf,
  PERSON,
  placing,
  summaryOf,
  treeOf,
} from './material.ts';

const conflict = { lessons: ['a', 'b'] as [string, string], about: 'x', settled: null };
const OUTCOME: Outcome = {
  retrievalId: 'r1',
  nodeId: 'a',
  taskId: 't9',
  result: 'success',
  strength: 'judged',
};

/** root › g1 (a, b; summarised), g2 (c › g3 with d); e unplaced, f retired; one outcome. */
const TREE = treeOf([
  ...adding('a', 'b', 'c', 'd', 'e', 'f'),
  placing({ g1: ROOT_ID, g2: ROOT_ID, g3: 'g2' }, { a: 'g1', b: 'g1', c: 'g2', d: 'g3', f: 'g2' }),
  { type: 'retire-lesson', lesson: 'f', reason: 'old' },
  { type: 'consolidate', group: 'g1', summary: summaryOf(['a', 'b'], { conflicts: [conflict] }) },
  { type: 'record-outcome', outcome: OUTCOME },
]);
const FROZEN = grow(TREE, [{ type: 'freeze', reason: 'evaluation' }]);
const revision = lessonOf('a2', {}, { revises: 'a' });
const part = (id: string, children: string[]) => ({ id, title: id, scope: '', children });
const split = (over: object = {}): Operation => ({
  type: 'split',
  group: 'g1',
  parts: [part('p1', ['a']), part('p2', ['b'])],
  lift: false,
  forced: false,
  ...over,
});
const merge = (over: object = {}): Operation => ({
  type: 'merge',
  groups: ['g1', 'g2'],
  into: 'm',
  title: 'Both',
  scope: '',
  ...over,
});

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

const restore = (from: boolean, to: boolean): Operation => ({
  type: 'restore',
  of: null,
  records: [{ table: 'state', id: 'frozen', from, to }],
});
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
