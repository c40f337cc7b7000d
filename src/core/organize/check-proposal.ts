import type { Conflict } from '../bank/node.ts';
import type { Operation } from '../bank/operation.ts';
import { getGroup, type Tree } from '../bank/tree.ts';
import { accept, refuse, type Result } from '../result.ts';

/** What an organizer was asked for; anything else it proposes is refused, valid or not. */
export type Asked =
  | { readonly type: 'place'; readonly lessons: ReadonlySet<string> }
  | { readonly type: 'consolidate'; readonly group: string };

/**
 * Holds a proposal to what was asked: a place of these lessons, or a summary of this group. An
 * organizer may be a model that read somebody's text, so it can retire, move, trust or settle nothing:
 * conflicts keep what was settled before, and new ones are open.
 */
export function checkProposal(tree: Tree, operation: Operation, asked: Asked): Result<Operation> {
  if (operation.type === 'place' && asked.type === 'place') {
    const other = operation.assignments.find(({ lesson }) => !asked.lessons.has(lesson));
    if (other === undefined) return accept(operation);
    return refuse('not-asked-for', `${other.lesson} was not to be placed`, 'assignments');
  }
  if (operation.type === 'consolidate' && asked.type === 'consolidate') {
    if (operation.group !== asked.group) {
      return refuse('not-asked-for', `the summary of another group was asked for`, 'group');
    }
    const before = getGroup(tree, operation.group)?.summary?.conflicts ?? [];
    const conflicts = operation.summary.conflicts.map((conflict) => ({
      ...conflict,
      settled: settledBefore(before, conflict),
    }));
    return accept({ ...operation, summary: { ...operation.summary, conflicts } });
  }
  return refuse('not-asked-for', `a ${asked.type} was asked for, not a ${operation.type}`, 'type');
}

function settledBefore(before: readonly Conflict[], { lessons }: Conflict): Conflict['settled'] {
  const same = before.find((known) => lessons.every((lesson) => known.lessons.includes(lesson)));
  return same?.settled ?? null;
}
