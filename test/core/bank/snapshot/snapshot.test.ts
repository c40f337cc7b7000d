import { expect, test } from 'vitest';
import { EMPTY_LOG, headOf, makeEntries, replay } from '../../../../src/core/bank/log.ts';
import { ROOT_ID } from '../../../../src/core/bank/node.ts';
import type { Operation } from '../../../../src/core/bank/operation.ts';
import { openGroups } from '../../../../src/core/bank/snapshot/group-piece.ts';
import { fromSnapshot, openStructure } from '../../../../src/core/bank/snapshot/read-snapshot.ts';
import { toSnapshot } from '../../../../src/core/bank/snapshot/write-snapshot.ts';
import { treeFromRecords } from '../../../../src/core/bank/tree-from-records.ts';
import { rankOf, standingOf } from '../../../../src/core/bank/rank.ts';
import { treeFacts } from '../../../../src/core/bank/tree-facts.ts';
import { childrenOf, getGroup, groupsFrom } from '../../../../src/core/bank/tree.ts';
import type { Crop } from '../../../../src/core/memory.ts';
import { atOnce } from '../../../../src/core/turns.ts';
import {
  adding,
  AT,
  canonicalTree,
  lessonOf,
  manifestOf,
  PERSON,
  placing,
  summaryOf,
} from '../material.ts';

const manifest = manifestOf();
const conflict = { lessons: ['a', 'b'] as [string, string], about: 'a against b', settled: 'a' };
const crop: Crop = {
  hash: 'crop-hash',
  mediaType: 'image/png',
  width: 240,
  height: 160,
  sourceHash: 'source-hash',
  sourceWidth: 720,
  sourceHeight: 480,
  box: [0.125, 0.25, 0.5, 0.75],
};
const operations: readonly Operation[] = [
  ...adding('a', 'b', 'c', 'd', 'waiting'),
  { type: 'add-lesson', lesson: lessonOf('pictured', { crop }) },
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

test('a snapshot gives the tree that a replay of the log gives, its index too', () => {
  const read = fromSnapshot(manifest, SNAPSHOT);
  expect(read.ok && canonicalTree(read.value)).toBe(canonicalTree(TREE));
});

test('a tree built at once from its records is the tree that grew record by record', () => {
  const built = treeFromRecords(manifest, {
    nodes: [...TREE.nodes.entries()].map(([, node]) => node).reverse(),
    aliases: [...TREE.aliases.entries()],
    outcomes: [...TREE.outcomes.entries()],
    frozen: TREE.frozen,
  });
  expect(canonicalTree(built)).toBe(canonicalTree(TREE));
});

test('structure holds titles, evidence and crops; every other word lies in the texts', () => {
  const structure = JSON.stringify(SNAPSHOT.structure);
  const texts = JSON.stringify(SNAPSHOT.texts);
  for (const word of ['Do a.', 'Count the stops', 'a against b']) {
    expect(structure).not.toContain(word);
    expect(texts).toContain(word);
  }
  for (const word of ['Title a', 'Both', 'run-task-a', 'crop-hash']) {
    expect(structure).toContain(word);
    expect(texts).not.toContain(word);
  }
});

test('an outline has the shape, evidence and ranks of the tree, and no texts', () => {
  const opened = atOnce(openStructure(manifest, SNAPSHOT.structure));
  if (!opened.ok) throw new Error(opened.refusal.message);
  const outline = opened.value;
  for (const [id, node] of TREE.nodes.entries()) {
    expect(rankOf(outline, id)).toBe(rankOf(TREE, id));
    expect(standingOf(outline, id)).toEqual(standingOf(TREE, id));
    expect(childrenOf(outline, id)).toEqual(childrenOf(TREE, id));
    const drawn = outline.nodes.get(id);
    if (drawn?.kind !== 'lesson' || node.kind !== 'lesson') continue;
    const { title, crop } = node.content;
    expect(drawn.content).toMatchObject({ title, crop, guidance: '' });
  }
});

test('the groups alone say of themselves what the whole tree says of them', () => {
  const opened = openGroups(manifest, SNAPSHOT.groups);
  if (!opened.ok) throw new Error(opened.refusal.message);
  const alone = opened.value;
  const ids = [...groupsFrom(TREE)].map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(2);
  expect([...groupsFrom(alone)].map(({ id }) => id)).toEqual(ids);
  expect(alone.nodes.size).toBe(ids.length);
  const [told, known] = [treeFacts(alone), treeFacts(TREE)];
  for (const id of ids) {
    expect(getGroup(alone, id)).toMatchObject({
      title: getGroup(TREE, id)?.title,
      parent: getGroup(TREE, id)?.parent,
    });
    expect(told.lessons.get(id)).toBe(known.lessons.get(id));
    expect(told.levelsFrom(id)).toBe(known.levelsFrom(id));
    expect(told.rankOf(id)).toBe(rankOf(TREE, id));
  }
});

test('groups that do not parse are refused', () => {
  const columns = JSON.parse(SNAPSHOT.groups);
  for (const broken of [
    '',
    '[]',
    JSON.stringify({ ...columns, titles: [] }),
    JSON.stringify({ ...columns, ranks: columns.ranks.map(() => 'king') }),
    JSON.stringify({ ...columns, lessons: columns.lessons.map(() => -1) }),
  ]) {
    const opened = openGroups(manifest, broken);
    expect(opened.ok ? broken : opened.refusal.reason).toBe('bad-shape');
  }
});

test('anything that does not parse, and pieces that do not fit one another, are refused', () => {
  const { structure, texts } = SNAPSHOT;
  const [piece = ''] = structure.pieces;
  const rows = JSON.parse(piece).rows as number[];
  const broken: readonly Partial<typeof SNAPSHOT>[] = [
    { structure: { ...structure, pieces: ['nothing'] } },
    { structure: { ...structure, pieces: ['{"words":[],"rows":["a"]}'] } },
    { structure: { ...structure, pieces: [piece.replace(/"rows":\[\d+/u, '"rows":[0')] } },
    { structure: { ...structure, pieces: [piece.replace('"rows":[', '"rows":[0,9999,')] } },
    {
      structure: {
        ...structure,
        pieces: [JSON.stringify({ ...JSON.parse(piece), rows: rows.slice(0, -1) })],
      },
    },
    { structure: { ...structure, nodes: structure.nodes + 1 } },
    { structure: { ...structure, state: '{}' } },
    { texts: [] },
    { texts: ['[]'] },
    { texts: [(texts[0] ?? '').replace('"guidance"', '"words"')] },
  ];
  for (const part of broken) {
    const read = fromSnapshot(manifest, { ...SNAPSHOT, ...part });
    const reason = read.ok ? canonicalTree(read.value) : read.refusal.reason;
    expect(['bad-shape', 'dangling'], JSON.stringify(part).slice(0, 80)).toContain(reason);
  }
});

test('a node that hangs from nothing, or a missing root, is refused', () => {
  const without = (gone: string) => {
    const tree = { ...TREE, nodes: TREE.nodes.delete(gone) };
    const read = fromSnapshot(manifest, toSnapshot(tree, SNAPSHOT.head));
    return read.ok ? 'read' : read.refusal.reason;
  };
  expect([without('m'), without(ROOT_ID)]).toEqual(['dangling', 'dangling']);
});

test('a tree of several pieces comes back whole', () => {
  const lessons = Array.from({ length: 2500 }, (_, at) => lessonOf(`many-${at}`));
  const nodes = [...[...TREE.nodes.entries()].map(([, node]) => node), ...lessons];
  const tree = treeFromRecords(manifest, { nodes, aliases: [], outcomes: [], frozen: false });
  const snapshot = toSnapshot(tree, SNAPSHOT.head);
  expect(snapshot.structure.pieces).toHaveLength(3);
  expect(snapshot.texts).toHaveLength(3);
  const read = fromSnapshot(manifest, snapshot);
  expect(read.ok && canonicalTree(read.value)).toBe(canonicalTree(tree));
});
