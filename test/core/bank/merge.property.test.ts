import fc from 'fast-check';
import { expect, test, type TestContext } from 'vitest';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import type { BankLog } from '../../../src/core/bank/lineage/fork.ts';
import { planMerge } from '../../../src/core/bank/lineage/plan-merge.ts';
import type { MergePlan, MergeTrees } from '../../../src/core/bank/lineage/merge-plan.ts';
import type { LogEntry } from '../../../src/core/bank/operation.ts';
import type { Tree } from '../../../src/core/bank/tree.ts';
import { isFull, LIMIT_MS, noteCounts } from '../full-counts.ts';
import { manifest, person } from './draws.ts';
import { treeOfLog, withStep } from './logs.ts';
import { canonicalTree } from './material.ts';
import { begun, brief, carriedOn, mergeDraws } from './merge-draws.ts';

const numRuns = isFull ? 3000 : 30;
const LIMIT = { timeout: LIMIT_MS };

function merge(
  ours: readonly LogEntry[],
  theirs: readonly LogEntry[],
  otherwise: 'ours' | 'theirs',
  trees: Partial<MergeTrees> = {},
): MergePlan {
  let next = 0;
  const bank = (log: readonly LogEntry[]): BankLog => ({ manifest, log });
  const options = { by: person, nextId: () => `fresh-${(next += 1)}`, otherwise, trees };
  const planned = planMerge(bank(ours), bank(theirs), options);
  if (!planned.ok) throw new Error(planned.refusal.message);
  return planned.value;
}

function contents(tree: Tree, status?: 'active'): readonly string[] {
  const found = new Set<string>();
  for (const [, node] of tree.nodes.entries()) {
    if (node.kind === 'lesson' && (status === undefined || node.status === status)) {
      found.add(node.content.title);
    }
  }
  return [...found].toSorted();
}

function appended(log: readonly LogEntry[], { operations }: MergePlan): readonly LogEntry[] {
  return withStep(
    log,
    operations.map(({ operation }) => operation),
    person,
  );
}

interface Banks {
  readonly ours: readonly LogEntry[];
  readonly theirs: readonly LogEntry[];
}

/** Two logs that share what came first, or nothing, checked; a failure tells them in short. */
function checkBanks(context: TestContext, seed: number, check: (banks: Banks) => void): void {
  fc.assert(
    fc.property(mergeDraws, mergeDraws, mergeDraws, fc.nat(2), (shared, first, second, kind) => {
      const base = kind < 2 ? carriedOn(kind === 0 ? begun('b') : [], shared, 'b') : [];
      const ours = carriedOn(kind < 2 ? base : begun('o'), first, 'o');
      const theirs = carriedOn(kind < 2 ? base : begun('t'), second, 't');
      try {
        check({ ours, theirs });
      } catch (cause) {
        const message = cause instanceof Error ? cause.message : '';
        const logs = [base, ours.slice(base.length), theirs.slice(base.length)].map(brief);
        throw new Error([message, ...logs].join('\n--- '), { cause });
      }
    }),
    { seed, numRuns },
  );
  noteCounts(context, { merges: numRuns });
}

test.for(['ours', 'theirs'] as const)(
  'M1 to M3: a merge settled for %s keeps every invariant, and merging again gives nothing',
  LIMIT,
  (otherwise, context) => {
    checkBanks(context, 10, ({ ours, theirs }) => {
      const plan = merge(ours, theirs, otherwise);
      expect(plan).toEqual(merge(ours, theirs, otherwise));
      expect(checkInvariants(plan.tree)).toEqual([]);
      const merged = appended(ours, plan);
      expect(canonicalTree(treeOfLog(merged, manifest))).toBe(canonicalTree(plan.tree));
      const again = merge(merged, theirs, otherwise);
      expect(again.operations.map(({ operation }) => operation)).toEqual([]);
    });
  },
);

test('M4: a merge loses no content of either side', LIMIT, (context) => {
  checkBanks(context, 11, ({ ours, theirs }) => {
    const both = [treeOfLog(ours, manifest), treeOfLog(theirs, manifest)];
    const all = new Set(both.flatMap((tree) => contents(tree)));
    for (const otherwise of ['ours', 'theirs'] as const) {
      expect(contents(merge(ours, theirs, otherwise).tree)).toEqual([...all].toSorted());
      expect(contents(merge(theirs, ours, otherwise).tree)).toEqual([...all].toSorted());
    }
  });
});

test(
  'M5: either way round, settled for the same bank, the same contents are active',
  LIMIT,
  (context) => {
    checkBanks(context, 12, ({ ours, theirs }) => {
      const there = merge(ours, theirs, 'ours');
      const back = merge(theirs, ours, 'theirs');
      expect(contents(there.tree, 'active')).toEqual(contents(back.tree, 'active'));
      const other = merge(ours, theirs, 'theirs');
      const otherBack = merge(theirs, ours, 'ours');
      expect(contents(other.tree, 'active')).toEqual(contents(otherBack.tree, 'active'));
    });
  },
);

test('no rule refuses what a merge takes, but where groups were reorganised', LIMIT, (context) => {
  checkBanks(context, 13, ({ ours, theirs }) => {
    for (const otherwise of ['ours', 'theirs'] as const) {
      const refused = merge(ours, theirs, otherwise).conflicts.flatMap(({ reason, message }) =>
        reason === 'not-valid-here' ? [message.split(' ')[0]] : [],
      );
      expect(refused.filter((type) => type !== 'merge' && type !== 'split')).toEqual([]);
    }
  });
});

test('M6: evidence and outcomes of theirs are there after it, or listed', LIMIT, (context) => {
  checkBanks(context, 14, ({ ours, theirs }) => {
    for (const otherwise of ['ours', 'theirs'] as const) {
      const { tree, conflicts } = merge(ours, theirs, otherwise);
      const listed = new Set(conflicts.map((conflict) => conflict.theirs.split('/')[0]));
      const known = new Set<string>();
      for (const [, node] of tree.nodes.entries()) {
        if (node.kind !== 'lesson') continue;
        for (const { runId } of node.evidence) known.add(runId);
      }
      const theirTree = treeOfLog(theirs, manifest);
      for (const [id, node] of theirTree.nodes.entries()) {
        if (node.kind !== 'lesson') continue;
        for (const { runId } of node.evidence) {
          expect(known.has(runId) || listed.has(id), `evidence ${runId} of ${id}`).toBe(true);
        }
      }
      const retrievals = new Set([...tree.outcomes.entries()].map(([, each]) => each.retrievalId));
      for (const [key, { retrievalId }] of theirTree.outcomes.entries()) {
        const isListed = conflicts.some((conflict) => conflict.theirs === key);
        expect(retrievals.has(retrievalId) || isListed, `outcome ${key}`).toBe(true);
      }
    }
  });
});
