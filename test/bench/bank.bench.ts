/** A bank at size: what one step costs on 1,000 and on 100,000 nodes, and what opening costs. */
import { applyOperation } from '../../src/core/bank/apply.ts';
import { EMPTY_LOG } from '../../src/core/bank/log.ts';
import { lessonContentHash, ROOT_ID, type Lesson, type Node } from '../../src/core/bank/node.ts';
import { defaultManifest, type Operation } from '../../src/core/bank/operation.ts';
import { makeChanges, type Change } from '../../src/core/bank/change.ts';
import { fromSnapshot, openStructure } from '../../src/core/bank/snapshot/read-snapshot.ts';
import { toSnapshot } from '../../src/core/bank/snapshot/write-snapshot.ts';
import { childrenOf, emptyTree, type Tree } from '../../src/core/bank/tree.ts';
import { atOnce } from '../../src/core/turns.ts';
import type { Measure } from './storage.bench.ts';

const ROUNDS = 1000;
const PASSES = 8;
const LESSONS_OF_A_GROUP = 6;
const BY = { kind: 'harness', name: 'bench' } as const;

/**
 * Measures place and consolidate on a small and a large tree, and their ratio: with structural sharing
 * it stays within 4. `full` takes a million nodes for the large one.
 */
export async function run(full: boolean): Promise<readonly Measure[]> {
  const [small, large] = [treeOf(1000), treeOf(full ? 1_000_000 : 100_000)];
  const [smallJobs, largeJobs] = [jobsOn(small), jobsOn(large)];
  // Alternating, so that what else the machine does falls on both alike; the first pass warms up.
  const passes = Array.from({ length: PASSES }, () => [timeOf(smallJobs), timeOf(largeJobs)]);
  const [onSmall = 0, onLarge = 0] = [0, 1].map((at) =>
    median(passes.slice(1).map((pass) => pass[at] ?? 0)),
  );
  const of = `${large.nodes.size.toLocaleString('en')} nodes`;
  let began = performance.now();
  const snapshot = toSnapshot(large, EMPTY_LOG);
  const left = performance.now() - began;
  began = performance.now();
  const outline = atOnce(openStructure(large.manifest, snapshot.structure));
  const opened = performance.now() - began;
  if (!outline.ok) throw new Error(outline.refusal.message);
  began = performance.now();
  const read = fromSnapshot(large.manifest, snapshot);
  const whole = performance.now() - began;
  if (!read.ok) throw new Error(read.refusal.message);
  return [
    { name: 'place and consolidate on 1,000 nodes (median)', value: onSmall, unit: 'ms' },
    { name: `place and consolidate on ${of} (median)`, value: onLarge, unit: 'ms' },
    {
      name: 'the second as a multiple of the first (at most 4)',
      value: onLarge / onSmall,
      unit: '×',
    },
    { name: `make a snapshot of ${of}`, value: left, unit: 'ms' },
    { name: `open its structure`, value: opened, unit: 'ms' },
    { name: `read all of it`, value: whole, unit: 'ms' },
  ];
}

/** A tree with a lesson that waits, and what places it and then summarises the group it comes under. */
interface Job {
  readonly waiting: Tree;
  readonly steps: readonly Operation[];
}

function jobsOn(tree: Tree): readonly Job[] {
  const groups = leafGroups(tree);
  return Array.from({ length: ROUNDS }, (_, round) => {
    const under = groups[(round * 7919) % groups.length] ?? ROOT_ID;
    const lesson = lessonOf(`new-${round}`);
    const supportedBy = [...childrenOf(tree, under), lesson.id];
    const words = { text: 'Look here.', procedure: [], conditions: '', conflicts: [] };
    return {
      waiting: apply(tree, { type: 'add-lesson', lesson }),
      steps: [
        { type: 'place', groups: [], assignments: [{ lesson: lesson.id, under }] },
        { type: 'consolidate', group: under, summary: { ...words, supportedBy } },
      ],
    };
  });
}

/** Milliseconds for one of the jobs, over all of them: a single one is below the clock's grain. */
function timeOf(jobs: readonly Job[]): number {
  const began = performance.now();
  for (const { waiting, steps } of jobs) steps.reduce(apply, waiting);
  return (performance.now() - began) / jobs.length;
}

function apply(tree: Tree, operation: Operation): Tree {
  const applied = applyOperation(tree, operation, BY);
  if (!applied.ok) throw new Error(applied.refusal.message);
  return applied.value.tree;
}

function leafGroups(tree: Tree): readonly string[] {
  return [...tree.nodes.entries()].flatMap(([id, node]) =>
    node.kind === 'group' && tree.nodes.get(childrenOf(tree, id)[0] ?? '')?.kind === 'lesson'
      ? [id]
      : [],
  );
}

/** A tree of about `size` nodes: groups of ten down to groups of six lessons. */
function treeOf(size: number): Tree {
  const created = '2026-01-01T00:00:00.000Z';
  const manifest = defaultManifest({ id: 'bench', name: 'Bench', createdAt: created });
  const nodes: Node[] = [];
  const leaves = Math.ceil(size / (LESSONS_OF_A_GROUP + 1.1));
  const groupsUnder = (parent: string, count: number) => {
    if (count <= 1) {
      for (let at = 0; at < LESSONS_OF_A_GROUP; at += 1) {
        nodes.push(lessonOf(`${parent}-l${at}`, parent));
      }
      return;
    }
    const parts = Math.min(10, count);
    for (let at = 0; at < parts; at += 1) {
      const id = `${parent === ROOT_ID ? 'g' : parent}-${at}`;
      nodes.push({ kind: 'group', id, parent, title: id, scope: '', summary: null });
      groupsUnder(id, Math.floor((count + parts - 1 - at) / parts));
    }
  };
  groupsUnder(ROOT_ID, leaves);
  const changes = nodes.map((to): Change => ({ table: 'node', id: to.id, from: null, to }));
  return makeChanges(emptyTree(manifest), changes);
}

function lessonOf(id: string, parent: string | null = null): Lesson {
  const content = {
    title: `Lesson ${id}`,
    guidance: `Look at the mark ${id} first.`,
    appliesWhen: '',
    cautions: [],
    topic: '',
    scope: '',
    anchor: '',
    crop: null,
  };
  const contentHash = lessonContentHash(content);
  return {
    kind: 'lesson',
    id,
    parent,
    content,
    contentHash,
    evidence: [],
    status: 'active',
    trust: 'trusted',
    revises: null,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[values.length >> 1] ?? 0;
}
