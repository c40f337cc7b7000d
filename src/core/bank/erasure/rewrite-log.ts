import { applyOperation } from '../apply.ts';
import type { Change } from '../change.ts';
import type { Actor, BankManifest, LogEntry, Operation } from '../operation.ts';
import { isSameJson } from '../same-json.ts';
import { emptyTree, type Tree } from '../tree.ts';
import { rewriteOperation, type Erasing } from './rewrite-operation.ts';

/** A log's operations after an erasure, in order, and the tree they give. */
export interface RewrittenLog {
  readonly operations: readonly Operation[];
  readonly tree: Tree;
  /** Numbers of entries that say something else now. */
  readonly changed: readonly number[];
  /** Entries of `changed` that could not be said any more without what went, though they did more. */
  readonly lost: number;
}

/**
 * Rewrites a log that replays, so that after each entry the tree is what the projection leaves of the
 * tree there was. An operation is kept where it still does that; or said with less; or, where none of
 * its own kind does it, said as the records it changes (a `restore` that takes back no entry). What
 * changes nothing any more is `erased`.
 */
export function rewriteLog(
  manifest: BankManifest,
  log: readonly LogEntry[],
  erasing: Erasing,
): RewrittenLog {
  let was = emptyTree(manifest);
  let left = was;
  const operations: Operation[] = [];
  const changed: number[] = [];
  let lost = 0;
  for (const { seq, operation, by } of log) {
    const before = was;
    const applied = applyOperation(before, operation, by);
    if (!applied.ok) throw new Error(`entry ${seq} does not replay: ${applied.refusal.message}`);
    was = applied.value.tree;
    const natural = rewriteOperation(erasing, operation);
    if (left === before && natural === operation && changed.length === 0) {
      left = was;
      operations.push(operation);
      continue;
    }
    const rewritten = rewriteEntry(erasing, { before, was, left }, { operation, natural, by });
    left = rewritten.tree;
    operations.push(rewritten.operation);
    if (rewritten.operation !== operation) changed.push(seq);
    if (rewritten.isLost) lost += 1;
  }
  return { operations, tree: left, changed, lost };
}

interface Trees {
  /** Before the entry, as it was. */
  readonly before: Tree;
  /** After the entry, as it was. */
  readonly was: Tree;
  /** Before the entry, as it is left. */
  readonly left: Tree;
}

function rewriteEntry(
  { projection }: Erasing,
  { before, was, left }: Trees,
  {
    operation,
    natural,
    by,
  }: { readonly operation: Operation; readonly natural: Operation | null; readonly by: Actor },
): { readonly operation: Operation; readonly tree: Tree; readonly isLost: boolean } {
  const due = dueChanges({ before, was, left }, (change) => projection.record(change).to);
  if (natural !== null) {
    const applied = applyOperation(left, natural, by);
    if (applied.ok && doesExactly(left, applied.value.tree, due)) {
      return { operation: natural, tree: applied.value.tree, isLost: false };
    }
  }
  if (due.length > 0) {
    const of = operation.type === 'restore' ? operation.of : null;
    const instead: Operation = { type: 'restore', of, records: [...due] };
    const applied = applyOperation(left, instead, by);
    if (applied.ok) return { operation: instead, tree: applied.value.tree, isLost: false };
  }
  const nothing: Operation =
    operation.type === 'erased' ? operation : { type: 'erased', was: operation.type };
  return { operation: nothing, tree: left, isLost: due.length > 0 };
}

/** What must change for the tree that is left to follow what an entry did. */
function dueChanges(
  { before, was, left }: Trees,
  leftOf: (change: Change) => Change['to'],
): readonly Change[] {
  return changesBetween(before, was).flatMap((change) => {
    const due = { ...change, from: recordOf(left, change), to: leftOf(change) } as Change;
    return isSameJson(due.from, due.to) ? [] : [due];
  });
}

/** Whether going from one tree to another makes these changes and no other. */
function doesExactly(from: Tree, to: Tree, due: readonly Change[]): boolean {
  const made = changesBetween(from, to).filter((change) => !isSameJson(change.from, change.to));
  return (
    made.length === due.length && due.every((change) => isSameJson(recordOf(to, change), change.to))
  );
}

/** Every record that two trees hold different values for. */
function changesBetween(from: Tree, to: Tree): readonly Change[] {
  const nodes = to.nodes
    .differencesFrom(from.nodes)
    .map(({ key, before = null, after = null }): Change => ({
      table: 'node',
      id: key,
      from: before,
      to: after,
    }));
  const aliases = to.aliases
    .differencesFrom(from.aliases)
    .map(({ key, before, after }): Change => ({
      table: 'alias',
      id: key,
      from: before === undefined ? null : [...before],
      to: after === undefined ? null : [...after],
    }));
  const outcomes = to.outcomes
    .differencesFrom(from.outcomes)
    .map(({ key, before = null, after = null }): Change => ({
      table: 'outcome',
      id: key,
      from: before,
      to: after,
    }));
  const state: readonly Change[] =
    from.frozen === to.frozen
      ? []
      : [{ table: 'state', id: 'frozen', from: from.frozen, to: to.frozen }];
  return [...nodes, ...aliases, ...outcomes, ...state];
}

function recordOf(tree: Tree, { table, id }: Change): Change['from'] {
  if (table === 'node') return tree.nodes.get(id) ?? null;
  if (table === 'outcome') return tree.outcomes.get(id) ?? null;
  if (table === 'state') return tree.frozen;
  const targets = tree.aliases.get(id);
  return targets === undefined ? null : [...targets];
}
