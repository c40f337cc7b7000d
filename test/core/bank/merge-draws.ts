import fc from 'fast-check';
import { applyOperation } from '../../../src/core/bank/apply.ts';
import { BankHistory } from '../../../src/core/bank/history/bank-history.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { LogEntry, Operation } from '../../../src/core/bank/operation.ts';
import { emptyTree, lessonByContent, type Tree } from '../../../src/core/bank/tree.ts';
import { manifest, operationOf, type Draw } from './draws.ts';
import { logOf, treeOfLog, withStep } from './logs.ts';
import { evidenceOf, lessonOf, PERSON, placing, summaryOf } from './material.ts';

export const mergeDraws = fc.array(
  fc.record({
    kind: fc.nat(19),
    picks: fc.array(fc.nat(999), { minLength: 5, maxLength: 5 }),
  }),
  { maxLength: 30, size: 'max' },
);

/** A bank to begin with: lessons in groups, two of them summarised, one naming a conflict. */
export function begun(name: string): readonly LogEntry[] {
  const id = (each: string) => `${name}-${each}`;
  const conflict = { lessons: [id('a'), id('b')] as [string, string], about: 'x', settled: null };
  return logOf(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((each) => ({
      type: 'add-lesson',
      lesson: lessonOf(id(each)),
    })),
    [
      placing(
        { [id('g')]: ROOT_ID, [id('h')]: ROOT_ID, [id('i')]: id('g') },
        { [id('a')]: id('g'), [id('b')]: id('i'), [id('c')]: id('h'), [id('d')]: id('h') },
      ),
      {
        type: 'consolidate',
        group: id('g'),
        summary: summaryOf([id('a'), id('b')], { conflicts: [conflict] }),
      },
      { type: 'consolidate', group: id('h'), summary: summaryOf([id('c')]) },
    ],
  );
}

/** A log in short, for the report of a counterexample. */
export function brief(log: readonly LogEntry[]): string {
  return log
    .map(({ step, operation }) =>
      JSON.stringify({ step, ...operation }, (key, value: unknown) =>
        ['content', 'contentHash', 'evidence', 'scope', 'procedure', 'conditions'].includes(key) &&
        value !== null
          ? undefined
          : value,
      ),
    )
    .join('\n');
}

/** More of what two banks can do apart: the same lesson found twice, evidence, trust, settling. */
function moreOf(tree: Tree, { kind, picks }: Draw, name: string): Operation | null {
  const [first = 0, second = 0, third = 0] = picks;
  const nodes = [...tree.nodes.entries()].map(([, node]) => node);
  const lessons = nodes.filter((node) => node.kind === 'lesson');
  const groups = nodes.filter((node) => node.kind === 'group');
  const lesson = lessons[first % Math.max(1, lessons.length)];
  const group = groups[first % groups.length];
  switch (kind) {
    case 12:
    case 13: {
      const pooled = lessonOf(name, lessonOf(`pool-${first % 6}`).content);
      const known = lessons.some((each) => each.contentHash === pooled.contentHash);
      const same = lessonByContent(tree, pooled.contentHash);
      if (same !== undefined) {
        return { type: 'support-lesson', lesson: same.id, evidence: evidenceOf(name) };
      }
      return known ? null : { type: 'add-lesson', lesson: pooled };
    }
    case 14:
      return lesson === undefined
        ? null
        : { type: 'support-lesson', lesson: lesson.id, evidence: evidenceOf(`t${third % 4}`) };
    case 15:
      return lesson === undefined
        ? null
        : { type: 'set-trust', lessons: [lesson.id], trust: second % 2 === 0 ? 'held' : 'trusted' };
    case 16:
      return group === undefined
        ? null
        : { type: 'revise-group', group: group.id, title: `Title ${third % 5}`, scope: '' };
    case 17: {
      const conflict = groups.flatMap(
        ({ id, summary }) => summary?.conflicts.map((each) => ({ id, ...each })) ?? [],
      )[first % 3];
      if (conflict === undefined) return null;
      const settled = second % 3 === 0 ? 'both' : (conflict.lessons[second % 2] ?? 'both');
      return { type: 'settle-conflict', group: conflict.id, lessons: conflict.lessons, settled };
    }
    default:
      return null;
  }
}

/** A log carried on by draws, one operation a step; a draw may take back a step made here. */
export function carriedOn(
  log: readonly LogEntry[],
  drawn: readonly Draw[],
  name: string,
): readonly LogEntry[] {
  const shared = log.at(-1)?.step ?? 0;
  let grown = log;
  let tree = log.length === 0 ? emptyTree(manifest) : treeOfLog(log, manifest);
  drawn.forEach((draw, turn) => {
    const last = grown.at(-1)?.step ?? 0;
    if (draw.kind === 18) {
      if (last <= shared) return;
      const step = shared + 1 + ((draw.picks[0] ?? 0) % (last - shared));
      const steps = new BankHistory(manifest, grown).revertStep(step, PERSON);
      if (!steps.ok) return;
      grown = withStep(
        grown,
        steps.value.map(({ operation }) => operation),
        PERSON,
      );
      tree = treeOfLog(grown, manifest);
      return;
    }
    // Neither erased nor frozen: those have tests of their own.
    if (draw.kind === 11) return;
    const operation =
      draw.kind < 11
        ? operationOf(tree, draw, `${name}${turn}`)
        : moreOf(tree, draw, `${name}${turn}`);
    if (operation === null) return;
    const applied = applyOperation(tree, operation, PERSON);
    if (!applied.ok) return;
    tree = applied.value.tree;
    grown = withStep(grown, [operation], PERSON);
  });
  return grown;
}
