import { changeNode } from '../change.ts';
import type { Actor, Operation } from '../operation.ts';
import { getGroup, getLesson, isBelow, outcomeKey, type Tree } from '../tree.ts';
import { no, yes, type Plan } from './refusal.ts';

type Of<T extends Operation['type']> = Extract<Operation, { type: T }>;

/** R3, R17, R18: a group's summary, with the lessons below it that it rests on. */
export function planConsolidate(tree: Tree, { group: id, summary }: Of<'consolidate'>): Plan {
  const group = getGroup(tree, id);
  if (group === undefined) return no('not-a-group', `there is no group ${id}`, 'group');
  const below = (lesson: string) =>
    getLesson(tree, lesson)?.status === 'active' && isBelow(tree, lesson, id);
  if (summary.supportedBy.length === 0 || !summary.supportedBy.every(below)) {
    return no(
      'unsupported',
      'a summary rests on active lessons below its group',
      'summary.supportedBy',
    );
  }
  for (const { lessons } of summary.conflicts) {
    if (lessons[0] === lessons[1] || !lessons.every(below)) {
      return no('unsupported', 'a conflict names two lessons below the group', 'summary.conflicts');
    }
  }
  const words = [summary.text, ...summary.procedure, summary.conditions].join('');
  const budget = tree.manifest.summaryBudgetChars;
  if ([...words].length > budget) {
    return no('over-budget', `a summary has at most ${budget} characters`, 'summary.text');
  }
  return yes([changeNode(tree, id, { ...group, summary })]);
}

/** R3, R10: what a later task that a node was given to came to. */
export function planRecordOutcome(tree: Tree, { outcome }: Of<'record-outcome'>): Plan {
  if (!tree.nodes.has(outcome.nodeId)) {
    return no('unknown-node', `there is no node ${outcome.nodeId}`, 'outcome.nodeId');
  }
  const id = outcomeKey(outcome);
  return tree.outcomes.has(id)
    ? no('already-recorded', 'this retrieval has said its outcome for the node', 'outcome')
    : yes([{ table: 'outcome', id, from: null, to: outcome }]);
}

/** R19: a conflict that a summary names, settled for one lesson or for both. */
export function planSettleConflict(tree: Tree, operation: Of<'settle-conflict'>): Plan {
  const { group: id, lessons, settled } = operation;
  const group = getGroup(tree, id);
  const summary = group?.summary ?? null;
  if (group === undefined || summary === null) {
    return no('no-such-conflict', 'the group has no summary that names a conflict', 'group');
  }
  const at = summary.conflicts.findIndex((conflict) =>
    lessons.every((lesson) => conflict.lessons.includes(lesson)),
  );
  const conflict = summary.conflicts[at];
  if (conflict === undefined || (settled !== 'both' && !conflict.lessons.includes(settled))) {
    return no('no-such-conflict', 'the summary names no such conflict', 'lessons');
  }
  const conflicts = summary.conflicts.with(at, { ...conflict, settled });
  return yes([changeNode(tree, id, { ...group, summary: { ...summary, conflicts } })]);
}

/** R3: another title and scope. */
export function planReviseGroup(tree: Tree, { group: id, title, scope }: Of<'revise-group'>): Plan {
  const group = getGroup(tree, id);
  if (group === undefined) return no('not-a-group', `there is no group ${id}`, 'group');
  return yes([changeNode(tree, id, { ...group, title, scope })]);
}

/** R2, R20. */
export function planFreeze(tree: Tree, to: boolean, actor: Actor): Plan {
  if (tree.frozen === to) return no('already-so', `the bank is ${to ? 'frozen' : 'live'} already`);
  if (!to && actor.kind !== 'person') return no('not-a-person', 'only a person unfreezes a bank');
  return yes([{ table: 'state', id: 'frozen', from: tree.frozen, to }]);
}
