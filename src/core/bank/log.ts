import { hashJson } from '../canonical.ts';
import type { LogHead } from '../ports.ts';
import { accept, refuse, type Refusal, type Result } from '../result.ts';
import { applyOperation } from './apply.ts';
import {
  GENESIS_HASH,
  type Actor,
  type BankManifest,
  type LogEntry,
  type Operation,
} from './operation.ts';
import type { OperationRefusal } from './plan/refusal.ts';
import { emptyTree, type Tree } from './tree.ts';

/** The head of an empty log. */
export const EMPTY_LOG: LogHead = { seq: 0, hash: GENESIS_HASH };

/** An operation and who did it, before it has its place in a log. */
export interface Step {
  readonly operation: Operation;
  readonly by: Actor;
}

/** The head of a log that ends with `entry`. */
export function headOf({ seq, hash }: LogEntry): LogHead {
  return { seq, hash };
}

/** The next entries of a log, each carrying the hash of the one before. */
export function makeEntries(
  head: LogHead,
  steps: readonly Step[],
  { step, at }: { readonly step: number; readonly at: string },
): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  let { seq, hash: prev } = head;
  for (const { operation, by } of steps) {
    seq += 1;
    const entry = { seq, prev, step, at, by, operation };
    const hash = hashJson(entry);
    entries.push({ ...entry, hash });
    prev = hash;
  }
  return entries;
}

/** Where a chain breaks, or null: the first entry whose number, `prev` or hash is not what it must be. */
export function verifyChain(
  entries: readonly LogEntry[],
  from: LogHead = EMPTY_LOG,
): { readonly seq: number; readonly message: string } | null {
  let { seq, hash: prev } = from;
  for (const { hash, ...entry } of entries) {
    seq += 1;
    if (entry.seq !== seq) return { seq, message: `entry ${seq} is missing` };
    if (entry.prev !== prev) return { seq, message: `entry ${seq} does not follow the one before` };
    if (hashJson(entry) !== hash) return { seq, message: `entry ${seq} was changed` };
    prev = hash;
  }
  return null;
}

/** The tree that a log gives. Refuses with the operation's own reason, naming the entry. */
export function replay(
  manifest: BankManifest,
  entries: readonly LogEntry[],
  from: Tree = emptyTree(manifest),
): Result<Tree, OperationRefusal> {
  let tree = from;
  for (const { seq, operation, by } of entries) {
    const applied = applyOperation(tree, operation, by);
    if (!applied.ok) {
      const { reason, message } = applied.refusal;
      return refuse(reason, `entry ${seq}: ${message}`, `${seq}`);
    }
    tree = applied.value.tree;
  }
  return accept(tree);
}

/** The highest maintenance step of a log; 0 for an empty one. */
export function lastStep(entries: readonly LogEntry[]): number {
  return entries.at(-1)?.step ?? 0;
}

/** The inverses of a maintenance step's entries, newest first, each naming the entry it takes back. */
export function inversesOf(
  manifest: BankManifest,
  entries: readonly LogEntry[],
  step: number,
): Result<readonly Operation[], OperationRefusal> {
  const start = entries.findIndex((entry) => entry.step === step);
  if (start < 0) return accept([]);
  const before = replay(manifest, entries.slice(0, start));
  return before.ok ? inversesAt(before.value, entries.slice(start), step) : before;
}

/** `inversesOf` where the tree before the step is known; `entries` begin with the step's first. */
function inversesAt(
  before: Tree,
  entries: readonly LogEntry[],
  step: number,
): Result<readonly Operation[], OperationRefusal> {
  let tree = before;
  const inverses: Operation[] = [];
  for (const { seq, step: of, operation, by } of entries) {
    if (of > step) break;
    const applied = applyOperation(tree, operation, by);
    if (!applied.ok) return applied;
    tree = applied.value.tree;
    const { inverse } = applied.value;
    if (inverse?.type === 'restore') inverses.push({ ...inverse, of: seq });
  }
  return accept(inverses.reverse());
}

/** Why a step could not be reverted: the inverses that are no longer valid, each with its reason. */
export type RevertRefusal = Refusal<'blocked' | 'nothing-to-revert'> & {
  readonly blockers: readonly string[];
};

/**
 * What reverts a maintenance step: its inverses, where all of them are still valid on the tree as it
 * stands, else what blocks it. Reverting the latest step is undo; reverting an undo is redo.
 */
export function revertStep(
  tree: Tree,
  entries: readonly LogEntry[],
  { step, by }: { readonly step: number; readonly by: Actor },
): Result<readonly Step[], RevertRefusal> {
  return checkInverses(tree, inversesOf(tree.manifest, entries, step), { step, by });
}

/** `revertStep` where the tree before the step is known; `entries` begin with the step's first. */
export function revertStepAt(
  tree: Tree,
  { before, entries }: { readonly before: Tree; readonly entries: readonly LogEntry[] },
  { step, by }: { readonly step: number; readonly by: Actor },
): Result<readonly Step[], RevertRefusal> {
  return checkInverses(tree, inversesAt(before, entries, step), { step, by });
}

function checkInverses(
  tree: Tree,
  inverses: Result<readonly Operation[], OperationRefusal>,
  { step, by }: { readonly step: number; readonly by: Actor },
): Result<readonly Step[], RevertRefusal> {
  if (!inverses.ok || inverses.value.length === 0) {
    const message = inverses.ok ? `step ${step} changed nothing` : inverses.refusal.message;
    return { ok: false, refusal: { reason: 'nothing-to-revert', message, blockers: [] } };
  }
  let after = tree;
  const blockers: string[] = [];
  for (const operation of inverses.value) {
    const applied = applyOperation(after, operation, by);
    if (applied.ok) after = applied.value.tree;
    else blockers.push(applied.refusal.message);
  }
  return blockers.length === 0
    ? accept(inverses.value.map((operation) => ({ operation, by })))
    : {
        ok: false,
        refusal: { reason: 'blocked', message: `Step ${step} cannot be reverted.`, blockers },
      };
}

/**
 * Checks a whole log as it is read: that every hash is the one of its entry, that it replays, and that
 * it ends at the head it names.
 */
export async function verifyLog(
  { manifest, head }: { readonly manifest: BankManifest; readonly head: LogHead },
  entries: AsyncIterable<readonly LogEntry[]>,
): Promise<Result<Tree, Refusal>> {
  let tree = emptyTree(manifest);
  let at = EMPTY_LOG;
  for await (const piece of entries) {
    const broken = verifyChain(piece, at);
    if (broken !== null) return refuse('broken-chain', broken.message, `${broken.seq}`);
    const replayed = replay(manifest, piece, tree);
    if (!replayed.ok) return replayed;
    tree = replayed.value;
    const last = piece.at(-1);
    if (last !== undefined) at = headOf(last);
  }
  return at.hash === head.hash
    ? accept(tree)
    : refuse('broken-chain', `the log ends at entry ${at.seq}, not at ${head.seq}`);
}
