import { expect, test } from 'vitest';
import { EMPTY_LOG, headOf, makeEntries, replay } from '../../../src/core/bank/log.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { Operation } from '../../../src/core/bank/operation.ts';
import { fromSnapshot, toSnapshot } from '../../../src/core/bank/snapshot.ts';
import type { BankSnapshot } from '../../../src/core/ports.ts';
import {
  adding,
  AT,
  canonicalTree,
  lessonOf,
  manifestOf,
  PERSON,
  placing,
  summaryOf,
} from './material.ts';

const manifest = manifestOf();
const conflict = { lessons: ['a', 'b'] as [string, string], about: 'a against b', settled: 'a' };
const operations: readonly Operation[] = [
  ...adding('a', 'b', 'c', 'd', 'waiting'),
  placing({ g1: ROOT_ID, g2: ROOT_ID, g3: 'g2' }, { a: 'g1', b: 'g1', c: 'g2', d: 'g3' }),
  { type: 'consolidate', group: 'g1', summary: summaryOf(['a', 'b'], { conflicts: [conflict] }) },
  { type: 'revise-lesson', predecessor: 'c', lesson: lessonOf('c2', {}, { revises: 'c' }) },
  { type: 'merge', groups: ['g1', 'g2'], into: 'm', title: 'Both', scope: '' },
  { type: 'consolidate', group: 'm', summary: summaryOf(['a', 'b'], { conflicts: [conflict] }) },
  { type: 'set-trust', lessons: ['d'], trust: 'held' },
  {
    type: 'record-outcome',
    outcome: { retrievalId: 'r', nodeId: 'a', taskId: 't', result: 'failure', strength: 'judged' },
  },
  { type: 'freeze', reason: '' },
];
const entries = makeEntries(
  EMPTY_LOG,
  operations.map((operation) => ({ operation, by: PERSON })),
  { step: 1, at: AT },
);
const replayed = replay(manifest, entries);
if (!replayed.ok) throw new Error(replayed.refusal.message);
const TREE = replayed.value;
const SNAPSHOT = toSnapshot(TREE, headOf(entries.at(-1)!));

/** As a structured clone and a back-up through JSON give it. */
function throughJson({ head, structure, text }: BankSnapshot): BankSnapshot {
  const read = JSON.parse(JSON.stringify({ structure, text: [...text] }));
  return { head, structure: read.structure, text: new Map(read.text) };
}

test('a snapshot gives the tree that a replay of the log gives, its index too', () => {
  const read = fromSnapshot(manifest, throughJson(SNAPSHOT));
  expect(read.ok && canonicalTree(read.value)).toBe(canonicalTree(TREE));
});

test('structure holds no words of lessons or groups; those lie by node id', () => {
  const structure = JSON.stringify(SNAPSHOT.structure);
  for (const word of ['Do a.', 'Both', 'Count the stops', 'a against b']) {
    expect(structure).not.toContain(word);
    expect(JSON.stringify([...SNAPSHOT.text])).toContain(word);
  }
  expect([...SNAPSHOT.text.keys()].sort()).toEqual(
    [...TREE.nodes.entries()].map(([id]) => id).sort(),
  );
});

test('what does not parse is refused with its path, and a missing text too', () => {
  const older = fromSnapshot(manifest, { ...SNAPSHOT, structure: { parents: [0, 0] } });
  expect(older.ok ? '' : older.refusal.reason).toBe('bad-shape');
  const text = new Map(SNAPSHOT.text);
  text.delete('a');
  const holed = fromSnapshot(manifest, { ...SNAPSHOT, text });
  expect(holed.ok ? '' : holed.refusal.path).toMatch(/^text\.a/u);
});

test('a node that hangs from nothing, or a missing root, is refused', () => {
  const without = (gone: string) => {
    const copy = throughJson(SNAPSHOT);
    const structure = copy.structure as { nodes: { id: string }[] };
    structure.nodes = structure.nodes.filter(({ id }) => id !== gone);
    const read = fromSnapshot(manifest, copy);
    return read.ok ? 'read' : read.refusal.reason;
  };
  expect([without('m'), without(ROOT_ID)]).toEqual(['dangling', 'dangling']);
});
