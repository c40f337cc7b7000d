import { accept, type Result } from '../../result.ts';
import { replay, revertStepAt, type RevertRefusal, type Step } from '../log.ts';
import type { Actor, BankManifest, LogEntry } from '../operation.ts';
import type { OperationRefusal } from '../plan/refusal.ts';
import { emptyTree, type Tree } from '../tree.ts';

/** How many trees are kept over the whole log, and again within the piece that was looked at last. */
const KEPT = 32;
/** No closer than this many entries: replaying them is quicker than one can see. */
const CLOSEST = 16;

/**
 * A bank as it was at any entry or step of its whole log. Keeps trees along the way, which share what
 * they have in common, so that stepping to and fro through thousands of steps is quick: after the first
 * pass any tree is at most a 32nd of the log away, and a neighbour of the last one a few entries. The
 * log that it was made of never changes; a longer one makes a new history (`extended`).
 */
export class BankHistory {
  readonly log: readonly LogEntry[];
  readonly #manifest: BankManifest;
  /** Entries between kept trees, and between those of the piece that was looked at last. */
  readonly #spacing: number;
  readonly #fineSpacing: number;
  /** By the number of the entry after which they stood. */
  readonly #kept: Map<number, Tree>;
  #piece = new Map<number, Tree>();
  #last: { readonly seq: number; readonly tree: Tree };

  constructor(manifest: BankManifest, log: readonly LogEntry[]) {
    this.#manifest = manifest;
    this.log = log;
    this.#spacing = Math.max(CLOSEST, Math.ceil(log.length / KEPT));
    this.#fineSpacing = Math.max(CLOSEST, Math.ceil(this.#spacing / KEPT));
    const root = emptyTree(manifest);
    this.#kept = new Map([[0, root]]);
    this.#last = { seq: 0, tree: root };
  }

  /** The history of a log that carries on this one, with the trees that are known already. */
  extended(log: readonly LogEntry[]): BankHistory {
    const history = new BankHistory(this.#manifest, log);
    for (const [seq, tree] of this.#kept) history.#kept.set(seq, tree);
    history.#last = this.#last;
    return history;
  }

  /** The tree after entry `seq`; 0 is before the first. Refused where the log does not replay. */
  treeAtSeq(seq: number): Result<Tree, OperationRefusal> {
    const end = Math.max(0, Math.min(seq, this.log.length));
    const start = end - (end % this.#spacing);
    const known = this.#nearest(end);
    if (known.seq < start) {
      const reached = this.#walk(known, start, { spacing: this.#spacing, keep: this.#kept });
      if (!reached.ok) return reached;
      this.#piece = new Map();
    } else if (!this.#piece.has(start)) {
      this.#piece = new Map();
    }
    const fine = { spacing: this.#fineSpacing, keep: this.#piece };
    const from = this.#nearest(end);
    this.#piece.set(start, this.#kept.get(start) ?? from.tree);
    const reached = this.#walk(from, end, fine);
    if (reached.ok) this.#last = { seq: end, tree: reached.value };
    return reached;
  }

  /** The tree after the last entry of a step, or of the last step before it. */
  treeAtStep(step: number): Result<Tree, OperationRefusal> {
    return this.treeAtSeq(lastSeqOf(this.log, step));
  }

  /** What reverts a step on the tree at the log's end, as `revertStep` of log.ts, without its replay. */
  revertStep(step: number, by: Actor): Result<readonly Step[], RevertRefusal> {
    const [from, to] = [lastSeqOf(this.log, step - 1), lastSeqOf(this.log, step)];
    const trees = [this.treeAtSeq(from), this.treeAtSeq(this.log.length)];
    const [before, now] = trees;
    if (before?.ok !== true || now?.ok !== true) {
      const message = 'the log does not replay';
      return { ok: false, refusal: { reason: 'nothing-to-revert', message, blockers: [] } };
    }
    const entries = this.log.slice(from, to);
    return revertStepAt(now.value, { before: before.value, entries }, { step, by });
  }

  /**
   * Visits the whole log once, so that every tree is near; yields the number of entries done, for a
   * caller that lets others work in between.
   */
  *fill(): Generator<number, void> {
    for (let seq = this.#spacing; seq <= this.log.length; seq += this.#spacing) {
      if (!this.treeAtSeq(seq).ok) return;
      yield seq;
    }
  }

  /** The latest tree that is known and not past `end`. */
  #nearest(end: number): { readonly seq: number; readonly tree: Tree } {
    let best = { seq: 0, tree: emptyTree(this.#manifest) };
    const last = [[this.#last.seq, this.#last.tree]] as const;
    for (const known of [this.#kept, this.#piece, last]) {
      for (const [seq, tree] of known) if (seq <= end && seq >= best.seq) best = { seq, tree };
    }
    return best;
  }

  /** Replays on to entry `end`, keeping the trees at multiples of the spacing. */
  #walk(
    from: { readonly seq: number; readonly tree: Tree },
    end: number,
    { spacing, keep }: { readonly spacing: number; readonly keep: Map<number, Tree> },
  ): Result<Tree, OperationRefusal> {
    let { seq, tree } = from;
    while (seq < end) {
      const next = Math.min(end, seq - (seq % spacing) + spacing);
      const replayed = replay(this.#manifest, this.log.slice(seq, next), tree);
      if (!replayed.ok) return replayed;
      [seq, tree] = [next, replayed.value];
      if (seq % spacing === 0) keep.set(seq, tree);
    }
    return accept(tree);
  }
}

/** The number of the last entry of a step, or of the steps before it; steps never go down. */
function lastSeqOf(log: readonly LogEntry[], step: number): number {
  let [low, high] = [0, log.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((log[middle]?.step ?? 0) <= step) low = middle + 1;
    else high = middle;
  }
  return low;
}
