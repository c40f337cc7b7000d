import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planErasure } from '../../../src/core/bank/erasure/plan-erasure.ts';
import type { ErasureTarget } from '../../../src/core/bank/erasure/what-goes.ts';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { verifyChain } from '../../../src/core/bank/log.ts';
import type { LogEntry } from '../../../src/core/bank/operation.ts';
import type { Node } from '../../../src/core/bank/node.ts';
import { isSameJson } from '../../../src/core/bank/same-json.ts';
import { childrenOf, type Tree } from '../../../src/core/bank/tree.ts';
import { isFull, LIMIT_MS, noteCounts } from '../full-counts.ts';
import { longDraws, manifest, person, type Draw } from './draws.ts';
import { drawnHistory, markerOf, TASKS } from './erasure-draws.ts';
import { treeOfLog } from './logs.ts';
import { AT, canonicalTree } from './material.ts';

const numRuns = isFull ? 2000 : 30;
const how = { by: person, at: AT, reason: 'asked' };
const drawn = fc.record({
  draws: longDraws,
  tasks: fc.boolean(),
  picks: fc.array(fc.nat(99), { minLength: 1, maxLength: 3 }),
});

function targetOf(
  log: readonly LogEntry[],
  { tasks, picks }: { tasks: boolean; picks: number[] },
): ErasureTarget {
  if (tasks) return { taskIds: picks.map((pick) => TASKS[pick % TASKS.length] ?? '') };
  const added = log.flatMap(({ operation }) =>
    operation.type === 'add-lesson' || operation.type === 'revise-lesson'
      ? [operation.lesson.id]
      : [],
  );
  return { lessonIds: picks.flatMap((pick) => added[pick % Math.max(1, added.length)] ?? []) };
}

const logOfDraws = (draws: readonly Draw[]): readonly LogEntry[] => {
  const log = drawnHistory(draws);
  // A frozen bank erases nothing: that has a test of its own.
  const last = log.at(-1);
  return last !== undefined && treeOfLog(log, manifest).frozen
    ? log.slice(
        0,
        log.findLastIndex(({ operation }) => operation.type === 'freeze'),
      )
    : log;
};

/** Nodes that neither go nor lose anything, and are not as they were, and where they were. */
function touched(
  before: Tree,
  after: Tree,
  { gone, tasks }: { readonly gone: ReadonlySet<string>; readonly tasks: ReadonlySet<string> },
): readonly string[] {
  const due = (node: Node | undefined, left: Node | undefined): boolean => {
    if (node === undefined || left === undefined) return node === left;
    if (node.kind === 'group') return left.kind === 'group' && left.parent === node.parent;
    const evidence = node.evidence.filter(({ taskId }) => !tasks.has(taskId));
    const revises = node.revises !== null && gone.has(node.revises) ? null : node.revises;
    return isSameJson(left, { ...node, evidence, revises });
  };
  const ids = [...before.nodes.entries(), ...after.nodes.entries()].map(([id]) => id);
  return ids.filter((id) => {
    const [node, left] = [before.nodes.get(id), after.nodes.get(id)];
    if (node?.kind === 'lesson' && gone.has(id)) return left !== undefined;
    // A group that held nothing else goes.
    const isEmptied = node?.kind === 'group' && childrenOf(after, id).length === 0;
    return !due(node, left) && !(isEmptied && left === undefined);
  });
}

test(
  'E1 to E6: after any erasure the log replays, holds, verifies, and says nothing of what went',
  (context) => {
    let [erased, rewritten] = [0, 0];
    fc.assert(
      fc.property(drawn, ({ draws, ...picked }) => {
        const log = logOfDraws(draws);
        const target = targetOf(log, picked);
        const planned = planErasure({ manifest, log }, target, how);
        if (!planned.ok) throw new Error(planned.refusal.message);
        const { log: after, tree, report } = planned.value;
        erased += report.entriesErased;
        rewritten += report.entriesRewritten;
        expect(report.entriesLost).toBe(0);
        expect(verifyChain(after)).toBeNull();
        const replayed = treeOfLog(after, manifest);
        expect(canonicalTree(replayed)).toBe(canonicalTree(tree));
        expect(checkInvariants(replayed)).toEqual([]);
        const json = JSON.stringify(after).toLowerCase();
        for (const id of report.lessons) expect(json).not.toContain(markerOf(id).toLowerCase());
        for (const task of target.taskIds ?? []) expect(json).not.toContain(`"${task}"`);
        const gone = new Set(report.lessons);
        for (const end of [log.length, log.length >> 1]) {
          const was = treeOfLog(log.slice(0, end), manifest);
          const left = treeOfLog(after.slice(0, end), manifest);
          expect(touched(was, left, { gone, tasks: new Set(target.taskIds) })).toEqual([]);
        }
        const kept = ({ seq, step, at, by }: LogEntry) => ({ seq, step, at, by });
        expect(after.slice(0, log.length).map(kept)).toEqual(log.map(kept));
        const again = planErasure({ manifest, log: after }, target, how);
        expect(again.ok && again.value.log).toBe(after);
        if (report.firstSeq === null) expect(after).toBe(log);
        else expect(after.slice(0, report.firstSeq - 1)).toEqual(log.slice(0, report.firstSeq - 1));
      }),
      { seed: 20261202, numRuns },
    );
    expect(Math.min(erased, rewritten)).toBeGreaterThan(20);
    noteCounts(context, { erasures: numRuns, erased, rewritten });
  },
  LIMIT_MS,
);
