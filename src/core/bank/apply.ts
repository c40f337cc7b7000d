import { accept, refuse, unreachable, type Refusal, type Result } from '../result.ts';
import { invertChanges, makeChanges } from './change.ts';
import { operationSchema, type Actor, type Operation } from './operation.ts';
import {
  planConsolidate,
  planFreeze,
  planRecordOutcome,
  planReviseGroup,
  planSettleConflict,
} from './plan/knowledge.ts';
import {
  planAddLesson,
  planErase,
  planRetireLesson,
  planReviseLesson,
  planSetTrust,
  planSupportLesson,
} from './plan/lessons.ts';
import { no, yes, type OperationRefusal, type Plan } from './plan/refusal.ts';
import { planRestore } from './plan/restore.ts';
import { planMerge, planPlace, planSplit } from './plan/structure.ts';
import type { Tree } from './tree.ts';

/** A tree after an operation, and the operation that takes it back. */
export interface Applied {
  readonly tree: Tree;
  /** null where nothing changed (`erased`), and for `erase`, which cannot be taken back. */
  readonly inverse: Operation | null;
}

/**
 * Applies an operation (DESIGN.md §3): what it changes is planned and checked by SPEC.md's rules, then
 * made. The tree that was given is never changed. The inverse is exact: applied next, it gives the tree
 * as it was.
 */
export function applyOperation(
  tree: Tree,
  operation: Operation,
  actor: Actor,
): Result<Applied, OperationRefusal> {
  const planned = mayChange(tree, operation, actor) ?? plan(tree, operation, actor);
  if (!planned.ok) return planned;
  const { changes } = planned.value;
  const after = planned.value.after ?? makeChanges(tree, changes);
  const reversible = operation.type !== 'erase' && changes.length > 0;
  const inverse: Operation | null = reversible
    ? { type: 'restore', of: null, records: invertChanges(changes) }
    : null;
  return accept({ tree: after, inverse });
}

/** Reads an operation out of untrusted JSON; names the path that does not fit. */
export function parseOperation(json: unknown): Result<Operation, Refusal<'bad-shape'>> {
  const parsed = operationSchema.safeParse(json);
  if (parsed.success) return accept(parsed.data);
  const issue = parsed.error.issues[0];
  const path = issue?.path.join('.') ?? '';
  return refuse(
    'bad-shape',
    `${path === '' ? 'the operation' : path}: ${issue?.message ?? ''}`,
    path,
  );
}

/** R1: a frozen bank takes a person's unfreeze, or their taking back of the freeze, and nothing else. */
function mayChange(tree: Tree, operation: Operation, actor: Actor) {
  if (!tree.frozen || operation.type === 'unfreeze' || operation.type === 'erased') return null;
  const takesBackFreeze =
    operation.type === 'restore' &&
    actor.kind === 'person' &&
    operation.records.every(({ table }) => table === 'state');
  return takesBackFreeze ? null : no('frozen', 'the bank is frozen');
}

function plan(tree: Tree, operation: Operation, actor: Actor): Plan {
  switch (operation.type) {
    case 'add-lesson':
      return planAddLesson(tree, operation);
    case 'revise-lesson':
      return planReviseLesson(tree, operation);
    case 'support-lesson':
      return planSupportLesson(tree, operation);
    case 'retire-lesson':
      return planRetireLesson(tree, operation);
    case 'place':
      return planPlace(tree, operation);
    case 'merge':
      return planMerge(tree, operation);
    case 'split':
      return planSplit(tree, operation);
    case 'consolidate':
      return planConsolidate(tree, operation);
    case 'record-outcome':
      return planRecordOutcome(tree, operation);
    case 'settle-conflict':
      return planSettleConflict(tree, operation);
    case 'revise-group':
      return planReviseGroup(tree, operation);
    case 'set-trust':
      return planSetTrust(tree, operation);
    case 'erased':
      return yes([]);
    case 'erase':
      return planErase(tree, operation);
    case 'freeze':
      return planFreeze(tree, true, actor);
    case 'unfreeze':
      return planFreeze(tree, false, actor);
    case 'restore':
      return planRestore(tree, operation);
    default:
      return unreachable(operation);
  }
}
