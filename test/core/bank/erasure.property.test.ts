import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planErasure } from '../../../src/core/bank/erasure/plan-erasure.ts';
import type { ErasureTarget } from '../../../src/core/bank/erasure/what-goes.ts';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { verifyChain } from '../../../src/core/bank/log.ts';
import type { LogEntry } from '../../../src/core/bank/operation.ts';
import type { Tree } from '../../../src/core/bank/tree.ts';
import { longDraws, manifest, person, type Draw } from './draws.ts';
import { drawnHistory, markerOf, TASKS } from './erasure-draws.ts';
import { treeOfLog } from './logs.ts';
import { AT, canonicalTree } from './material.ts';

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

/** Lessons and groups that neither go nor lose anything are as they were, and where they were. */
function expectUntouched(
  before: Tree,
  after: Tree,
  gone: ReadonlySet<string>,
  tasks: ReadonlySet<string>,
) {
  for (const [id, node] of before.nodes.entries()) {
    const left = after.nodes.get(id);
    if (node.kind === 'lesson') {
      const { evidence, revises, ...rest } = node;
      if (gone.has(id)) expect(left).toBeUndefined();
      else {
        expect(left).toMatchObject(rest);
        expect(left?.kind === 'lesson' && left.evidence).toEqual(
          evidence.filter(({ taskId }) => !tasks.has(taskId)),
        );
        expect(left?.kind === 'lesson' && left.revises).toBe(
          revises !== null && gone.has(revises) ? null : revises,
        );
      }
    } else if (left !== undefined) {
      expect(left.parent).toBe(node.parent);
    } else {
      expect(
        [...before.nodes.entries()].some(
          ([, each]) => each.parent === id && after.nodes.has(each.id),
        ),
      ).toBe(false);
    }
  }
  for (const [id] of after.nodes.entries()) expect(before.nodes.has(id)).toBe(true);
}

test('E1 to E6: after any erasure the log replays, holds, verifies, and says nothing of what went', () => {
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
      expectUntouched(treeOfLog(log, manifest), replayed, gone, new Set(target.taskIds));
      log.forEach(({ seq, step, at, by }, index) => {
        expect(after[index]).toMatchObject({ seq, step, at, by });
      });
      const again = planErasure({ manifest, log: after }, target, how);
      expect(again.ok && again.value.log).toBe(after);
      if (report.firstSeq === null) expect(after).toBe(log);
      else expect(after.slice(0, report.firstSeq - 1)).toEqual(log.slice(0, report.firstSeq - 1));
    }),
    { seed: 20261202, numRuns: 40 },
  );
  expect(Math.min(erased, rewritten)).toBeGreaterThan(30);
});
