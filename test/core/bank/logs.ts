import { applyOperation } from '../../../src/core/bank/apply.ts';
import { EMPTY_LOG, headOf, makeEntries, replay, revertStep } from '../../../src/core/bank/log.ts';
import type { Actor, BankManifest, LogEntry, Operation } from '../../../src/core/bank/operation.ts';
import { emptyTree, type Tree } from '../../../src/core/bank/tree.ts';
import { operationOf, type Draw } from './draws.ts';
import { AT, HARNESS, manifestOf, PERSON } from './material.ts';

/** The log with one more maintenance step. */
export function withStep(
  log: readonly LogEntry[],
  operations: readonly Operation[],
  by: Actor = HARNESS,
): readonly LogEntry[] {
  const last = log.at(-1);
  const made = operations.map((operation) => ({ operation, by }));
  const next = { step: (last?.step ?? 0) + 1, at: AT };
  return [...log, ...makeEntries(last === undefined ? EMPTY_LOG : headOf(last), made, next)];
}

/** A log of maintenance steps, one list of operations each. */
export function logOf(...steps: readonly (readonly Operation[])[]): readonly LogEntry[] {
  return steps.reduce<readonly LogEntry[]>((log, operations) => withStep(log, operations), []);
}

/** The tree of a log that must replay. */
export function treeOfLog(log: readonly LogEntry[], manifest: BankManifest = manifestOf()): Tree {
  const replayed = replay(manifest, log);
  if (!replayed.ok) throw new Error(replayed.refusal.message);
  return replayed.value;
}

/** The log with a step reverted, as its newest step; throws where that is blocked. */
export function withRevert(
  log: readonly LogEntry[],
  step: number,
  manifest: BankManifest = manifestOf(),
): readonly LogEntry[] {
  const reverted = revertStep(treeOfLog(log, manifest), log, { step, by: PERSON });
  if (!reverted.ok) throw new Error(`${reverted.refusal.message} ${reverted.refusal.blockers}`);
  return withStep(
    log,
    reverted.value.map(({ operation }) => operation),
    PERSON,
  );
}

/** A log grown by draws, `size` valid operations a step; ids begin with `name`. */
export function drawnLog(
  log: readonly LogEntry[],
  drawn: readonly Draw[],
  { manifest, name, size }: { manifest: BankManifest; name: string; size: number },
): readonly LogEntry[] {
  let tree = log.length === 0 ? emptyTree(manifest) : treeOfLog(log, manifest);
  const operations: Operation[] = [];
  drawn.forEach((draw, turn) => {
    const operation = operationOf(tree, draw, `${name}${turn}`);
    const applied = applyOperation(tree, operation, PERSON);
    if (!applied.ok) return;
    operations.push(operation);
    tree = applied.value.tree;
  });
  let grown = log;
  for (let at = 0; at < operations.length; at += size) {
    grown = withStep(grown, operations.slice(at, at + size), PERSON);
  }
  return grown;
}
