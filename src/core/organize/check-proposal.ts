import type { Conflict } from '../bank/node.ts';
import type { Operation } from '../bank/operation.ts';
import { getGroup, type Tree } from '../bank/tree.ts';
import { accept, refuse, type Result } from '../result.ts';
import type { MergeOperation, PlaceOperation, SplitOperation } from './organizer.ts';

/** What an organizer was asked for; anything else it proposes is refused, valid or not. */
export type Asked =
  | { readonly type: 'place'; readonly lessons: ReadonlySet<string> }
  | { readonly type: 'merge'; readonly groups: ReadonlySet<string>; readonly mostChildren: number }
  | { readonly type: 'split'; readonly group: string }
  | {
      readonly type: 'consolidate';
      readonly group: string;
      /** What it was shown; a summary rests on nothing else, so not on what is held. */
      readonly lessons: ReadonlySet<string>;
    };

/** Titles and scopes stand in what an organizer is shown, so they are short (cost rule, DESIGN.md §3). */
const TITLE_CHARS = 160;
const SCOPE_CHARS = 1200;

type ConsolidateOperation = Extract<Operation, { type: 'consolidate' }>;

/**
 * Holds a proposal to what was asked: a place of these lessons, a merge among these siblings, a split
 * or a summary of this group. An organizer may be a model that read somebody's text, so it can retire,
 * move, trust or settle nothing, and force nothing: conflicts keep what was settled before, and new
 * ones are open.
 */
export function checkProposal(tree: Tree, operation: Operation, asked: Asked): Result<Operation> {
  switch (operation.type) {
    case 'place':
      return asked.type === 'place' ? checkPlace(operation, asked) : notAskedFor(operation, asked);
    case 'merge':
      return asked.type === 'merge'
        ? checkMerge(tree, operation, asked)
        : notAskedFor(operation, asked);
    case 'split':
      return asked.type === 'split' ? checkSplit(operation, asked) : notAskedFor(operation, asked);
    case 'consolidate':
      return asked.type === 'consolidate'
        ? checkConsolidate(tree, operation, asked)
        : notAskedFor(operation, asked);
    default:
      return notAskedFor(operation, asked);
  }
}

function notAskedFor({ type }: Operation, asked: Asked): Result<Operation> {
  return refuse('not-asked-for', `a ${asked.type} was asked for, not a ${type}`, 'type');
}

type Of<T extends Asked['type']> = Extract<Asked, { type: T }>;

function checkPlace(operation: PlaceOperation, { lessons }: Of<'place'>): Result<Operation> {
  const other = operation.assignments.find(({ lesson }) => !lessons.has(lesson));
  if (other !== undefined) {
    return refuse('not-asked-for', `${other.lesson} was not to be placed`, 'assignments');
  }
  // From the last on, so that a group is used where one below it is.
  const used = new Set(operation.assignments.map(({ under }) => under));
  for (const { id, parent } of operation.groups.toReversed()) {
    if (!used.has(id)) return refuse('empty-group', `no lesson goes under ${id}`, 'groups');
    used.add(parent);
  }
  return checkWords(operation, operation.groups, 'groups');
}

function checkMerge(
  tree: Tree,
  operation: MergeOperation,
  { groups, mostChildren }: Of<'merge'>,
): Result<Operation> {
  const other = operation.groups.find((id) => !groups.has(id));
  if (other !== undefined) {
    return refuse('not-asked-for', `${other} was not among the groups to merge`, 'groups');
  }
  const children = [...new Set(operation.groups)].reduce(
    (sum, id) => sum + (tree.index.children.get(id)?.length ?? 0),
    0,
  );
  return children > mostChildren
    ? refuse('too-large', `it would have ${children} children, and have to be split`, 'groups')
    : checkWords(operation, [operation], 'title');
}

function checkSplit(operation: SplitOperation, { group }: Of<'split'>): Result<Operation> {
  if (operation.group !== group) {
    return refuse('not-asked-for', 'the split of another group was asked for', 'group');
  }
  return operation.forced
    ? refuse('not-asked-for', 'only the memory harness forces a split', 'forced')
    : checkWords(operation, operation.parts, 'parts');
}

function checkConsolidate(
  tree: Tree,
  operation: ConsolidateOperation,
  { group, lessons }: Of<'consolidate'>,
): Result<Operation> {
  const { summary } = operation;
  if (operation.group !== group) {
    return refuse('not-asked-for', `the summary of another group was asked for`, 'group');
  }
  const named = [...summary.supportedBy, ...summary.conflicts.flatMap((one) => one.lessons)];
  const other = named.find((id) => !lessons.has(id));
  if (other !== undefined) {
    return refuse('not-asked-for', `${other} was not shown for the summary`, 'summary');
  }
  const before = getGroup(tree, group)?.summary?.conflicts ?? [];
  const conflicts = summary.conflicts.map((conflict) => ({
    ...conflict,
    settled: settledBefore(before, conflict),
  }));
  return accept({ ...operation, summary: { ...summary, conflicts } });
}

function checkWords(
  operation: Operation,
  named: readonly { readonly title: string; readonly scope: string }[],
  path: string,
): Result<Operation> {
  const isLong = named.some(
    ({ title, scope }) => [...title].length > TITLE_CHARS || [...scope].length > SCOPE_CHARS,
  );
  return isLong
    ? refuse('over-budget', `a title has at most ${TITLE_CHARS} characters`, path)
    : accept(operation);
}

function settledBefore(before: readonly Conflict[], { lessons }: Conflict): Conflict['settled'] {
  const same = before.find((known) => lessons.every((lesson) => known.lessons.includes(lesson)));
  return same?.settled ?? null;
}
