import type { BankLog } from '../../../src/core/bank/lineage/fork.ts';
import type { MergePlan } from '../../../src/core/bank/lineage/merge-plan.ts';
import { planMerge, type MergeOptions } from '../../../src/core/bank/lineage/plan-merge.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { BankManifest, LogEntry, Operation } from '../../../src/core/bank/operation.ts';
import { logOf, withStep } from './logs.ts';
import {
  adding,
  evidenceOf,
  lessonOf,
  manifestOf,
  PERSON,
  placing,
  summaryOf,
} from './material.ts';

const conflict = { lessons: ['a', 'b'] as [string, string], about: 'x', settled: null };
/** root › g1 (a, b; summarised, one conflict), g2 (c). */
export const BASE = logOf(adding('a', 'b', 'c'), [
  placing({ g1: ROOT_ID, g2: ROOT_ID }, { a: 'g1', b: 'g1', c: 'g2' }),
  { type: 'consolidate', group: 'g1', summary: summaryOf(['a', 'b'], { conflicts: [conflict] }) },
]);

export function bankOf(log: readonly LogEntry[], over: Partial<BankManifest> = {}): BankLog {
  return { manifest: manifestOf(over), log };
}

export function plan(ours: BankLog, theirs: BankLog, over: Partial<MergeOptions> = {}): MergePlan {
  const by = { kind: 'person', name: 'Ada' } as const;
  const planned = planMerge(ours, theirs, { by, nextId: () => 'fresh', ...over });
  if (!planned.ok) throw new Error(planned.refusal.message);
  return planned.value;
}

/** Theirs merged into ours, both gone on from BASE by the operations given. */
export function merged(
  ours: readonly Operation[],
  theirs: readonly Operation[],
  over: Partial<MergeOptions> = {},
): MergePlan {
  const on = (operations: readonly Operation[]) =>
    bankOf(operations.length === 0 ? BASE : withStep(BASE, operations, PERSON));
  return plan(on(ours), on(theirs), over);
}

export const types = ({ operations }: MergePlan) =>
  operations.map(({ operation: { type } }) => type);
export const reasons = ({ conflicts }: MergePlan) => conflicts.map(({ reason }) => reason);
export const revise = (of: string, id: string): Operation => ({
  type: 'revise-lesson',
  predecessor: of,
  lesson: lessonOf(id, {}, { revises: of }),
});
export const retire = (lesson: string): Operation => ({
  type: 'retire-lesson',
  lesson,
  reason: 'old',
});
export const support = (lesson: string, task: string): Operation => ({
  type: 'support-lesson',
  lesson,
  evidence: evidenceOf(task),
});
