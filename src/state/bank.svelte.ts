import { applyOperation } from '../core/bank/apply.ts';
import { BankHistory } from '../core/bank/history/bank-history.ts';
import { redoTarget, undoTarget } from '../core/bank/history/undo.ts';
import { EMPTY_LOG, headOf, lastStep, makeEntries, replay, type Step } from '../core/bank/log.ts';
import type { Actor, BankManifest, LogEntry, Operation } from '../core/bank/operation.ts';
import { emptyTree, type Tree } from '../core/bank/tree.ts';
import { StorageError } from '../core/errors.ts';
import type { BankInfo, BankStore, Clock, IdSource, RunStore } from '../core/ports.ts';
import type { Refusal } from '../core/result.ts';
import type { LessonDraft } from '../core/run.ts';

/** One line of what the organizer does: proposed, then done or refused with why. */
export interface OrganizeLine {
  readonly id: string;
  /** The kind of operation: `place`. */
  readonly operation: string;
  readonly text: string;
  readonly state: 'proposed' | 'done' | 'refused';
  readonly why: string;
}

export interface BankPorts {
  readonly banks: BankStore;
  readonly runs: RunStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Told at once and on each change, whichever tab made it. Return how to stop. */
  watchBanks(tell: (banks: readonly BankInfo[]) => void): () => void;
  watchDrafts(bankId: string, tell: (drafts: readonly LessonDraft[]) => void): () => void;
  /**
   * Takes drafts into the bank and places them, telling each proposal and what became of it; a later
   * line of the same id replaces it. Accepted drafts leave the inbox.
   */
  accept(
    bankId: string,
    drafts: readonly LessonDraft[],
    signal: AbortSignal,
  ): AsyncIterable<OrganizeLine>;
}

/** Entries replayed before others are let work: some milliseconds. */
const PIECE = 256;

/** A person at this page. */
export const PERSON: Actor = { kind: 'person', name: 'you' };

/** The Bank page: one bank's log replayed to its tree, as it stands or stood, and its inbox. */
export class BankState {
  /** null until they are read. */
  banks: readonly BankInfo[] | null = $state.raw(null);
  bankId: string | null = $state(null);
  entries: readonly LogEntry[] = $state.raw([]);
  tree: Tree | null = $state.raw(null);
  /** The bank at any of its steps; null until it is read. */
  history: BankHistory | null = $state.raw(null);
  drafts: readonly LessonDraft[] = $state.raw([]);
  /** Shown as it was after this maintenance step; null for as it stands. */
  atStep: number | null = $state(null);
  selectedId: string | null = $state(null);
  flow: readonly OrganizeLine[] = $state.raw([]);
  organizing = $state(false);
  problem: string | null = $state(null);

  readonly info = $derived(this.banks?.find(({ manifest }) => manifest.id === this.bankId) ?? null);
  readonly steps = $derived(lastStep(this.entries));
  /** The step that Undo takes back, and that Redo brings again; null where there is none. */
  readonly undoStep = $derived(undoTarget(this.entries));
  readonly redoStep = $derived(redoTarget(this.entries));
  /** The tree on screen: as it stands, or as it was. */
  readonly shown = $derived.by(() => this.#asShown());

  readonly #ports: BankPorts;
  #stopDrafts: () => void = () => undefined;
  #abort: AbortController | null = null;
  #reading: Promise<void> = Promise.resolve();

  constructor(ports: BankPorts) {
    this.#ports = ports;
  }

  /** Follows the banks over all tabs. Returns how to stop. */
  open(): () => void {
    const stopBanks = this.#ports.watchBanks((banks) => this.#follow(banks));
    return () => {
      stopBanks();
      this.#stopDrafts();
      this.#stopDrafts = () => undefined;
      this.#watched = null;
    };
  }

  /** Shows a bank; nothing where there is none of that id. */
  choose(bankId: string): void {
    if (this.banks?.some(({ manifest }) => manifest.id === bankId) !== true) return;
    if (bankId !== this.bankId) {
      this.bankId = bankId;
      this.#forget();
      this.atStep = null;
      this.selectedId = null;
      this.flow = [];
    }
    this.#watchDrafts(bankId);
    void this.#read();
  }

  select(id: string | null): void {
    this.selectedId = id;
  }

  /** Shows the bank as it was after a maintenance step; the last step is as it stands. */
  showStep(step: number): void {
    this.atStep = step >= this.steps ? null : step;
  }

  /** A fresh id, for a node that a person makes. */
  nextId(): string {
    return this.#ports.ids.next();
  }

  /** Does operations as one step; gives the step, or null with a `problem` and nothing done. */
  async append(...operations: readonly Operation[]): Promise<number | null> {
    let { tree } = this;
    for (const operation of operations) {
      if (tree === null) return null;
      const applied = applyOperation(tree, operation, PERSON);
      if (!applied.ok) {
        this.problem = `Not done: ${applied.refusal.message}.`;
        return null;
      }
      ({ tree } = applied.value);
    }
    return this.appendSteps(operations.map((operation) => ({ operation, by: PERSON })));
  }

  /** Writes operations that are known to be valid as one step; gives it, or null with a `problem`. */
  async appendSteps(steps: readonly Step[]): Promise<number | null> {
    return this.#write(steps);
  }

  /** Takes a step back by its inverses; gives the step that did so, which may be taken back in turn. */
  async revert(step: number): Promise<number | null> {
    const steps = this.history?.revertStep(step, PERSON);
    if (steps === undefined) return null;
    if (!steps.ok) {
      this.problem = [steps.refusal.message, ...steps.refusal.blockers].join(' ');
      return null;
    }
    return this.#write(steps.value);
  }

  /** Takes the latest step that stands back; gives that step, or null where nothing was done. */
  async undo(): Promise<number | null> {
    const step = this.undoStep;
    return step !== null && (await this.revert(step)) !== null ? step : null;
  }

  /** Brings the step back that was undone last; gives that step, or null where nothing was done. */
  async redo(): Promise<number | null> {
    const target = this.redoStep;
    return target !== null && (await this.revert(target.undo)) !== null ? target.step : null;
  }

  /** Another bank's tree as it stands; null with a `problem` where it cannot be read. */
  async treeOf(bankId: string): Promise<Tree | null> {
    const other = this.banks?.find(({ manifest }) => manifest.id === bankId);
    return other === undefined ? null : this.treeOfLog(bankId, other.manifest);
  }

  /** The tree of any log that is stored, a held bank's too; null with a `problem`. */
  async treeOfLog(logId: string, manifest: BankManifest): Promise<Tree | null> {
    let tree: Tree | null = null;
    await this.#guard(async () => {
      const replayed = replay(manifest, await this.#ports.banks.readLog(logId, 0));
      if (replayed.ok) tree = replayed.value;
      else this.problem = `That bank's log does not replay: ${replayed.refusal.message}.`;
    });
    return tree;
  }

  /**
   * Checks the log as it is stored: its chain, and that it replays to its head. Gives null where all is
   * well, else what is broken and at which entry. Throws where the signal fires.
   */
  async checkChain(
    signal: AbortSignal,
    onProgress: (done: number, of: number) => void,
  ): Promise<Refusal | null> {
    const { info } = this;
    if (info === null) return null;
    const [{ checkChain }, entries] = await Promise.all([
      import('./check-chain.ts'),
      this.#ports.banks.readLog(info.manifest.id, 0),
    ]);
    return checkChain(info, entries, {
      signal,
      onProgress: (done) => onProgress(done, entries.length),
    });
  }

  /** Takes drafts into the bank; the flow shows what the organizer proposes. */
  async accept(drafts: readonly LessonDraft[]): Promise<void> {
    const bankId = this.bankId;
    if (bankId === null || this.organizing || drafts.length === 0) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.organizing = true;
    this.flow = [];
    await this.#guard(async () => {
      for await (const line of this.#ports.accept(bankId, drafts, abort.signal)) {
        const known = this.flow.some(({ id }) => id === line.id);
        this.flow = known
          ? this.flow.map((shown) => (shown.id === line.id ? line : shown))
          : [...this.flow, line];
      }
      await this.#read();
    });
    this.organizing = false;
  }

  stop(): void {
    this.#abort?.abort();
  }

  /** Keeps a draft with other words. */
  async change(draft: LessonDraft): Promise<void> {
    await this.#guard(() => this.#ports.runs.putDraft(draft));
  }

  /** Removes a draft from the inbox; `change` puts it back. */
  async refuse(draft: LessonDraft): Promise<void> {
    await this.#guard(() => this.#ports.runs.deleteDraft(draft.id));
  }

  /** The question of a task, for "where it came from". */
  async questionOf(taskId: string): Promise<string | null> {
    return (await this.#ports.runs.getTask(taskId))?.question ?? null;
  }

  #watched: string | null = null;

  #watchDrafts(bankId: string): void {
    if (this.#watched === bankId) return;
    this.#stopDrafts();
    this.#watched = bankId;
    this.drafts = [];
    this.#stopDrafts = this.#ports.watchDrafts(bankId, (drafts) => (this.drafts = drafts));
  }

  #follow(banks: readonly BankInfo[]): void {
    this.banks = banks;
    const present = banks.some(({ manifest }) => manifest.id === this.bankId);
    if (present && this.bankId !== null) this.choose(this.bankId);
    else {
      // The fullest first: the bank one most likely came to see.
      const [fullest] = banks.toSorted((one, other) => other.head.seq - one.head.seq);
      this.bankId = null;
      this.tree = null;
      this.history = null;
      if (fullest !== undefined) this.choose(fullest.manifest.id);
    }
  }

  /** Reads what the log has beyond what is here. One reading at a time, in order. */
  #read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#guard(() => this.#readOn()));
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const { info, bankId } = this;
    if (info === null || bankId === null) return;
    const last = this.entries.at(-1);
    const [first, ...rest] = await this.#ports.banks.readLog(bankId, (last?.seq ?? 1) - 1);
    // Another bank was chosen meanwhile.
    if (bankId !== this.bankId) return;
    if (last !== undefined && first?.hash !== last.hash) {
      // An erasure, or a bundle, rewrote what was read before.
      this.#forget();
      return this.#readOn();
    }
    const more = last === undefined && first !== undefined ? [first, ...rest] : rest;
    if (more.length === 0 && this.tree !== null) return;
    const replayed = await this.#replay(info.manifest, more);
    if (replayed === null || bankId !== this.bankId) return;
    this.entries = [...this.entries, ...more];
    this.tree = replayed;
    this.history =
      this.history?.extended(this.entries) ?? new BankHistory(info.manifest, this.entries);
  }

  #forget(): void {
    this.entries = [];
    this.tree = null;
    this.history = null;
  }

  /** In pieces, so that the page stays live; null with a `problem` where the log does not replay. */
  async #replay(manifest: BankManifest, entries: readonly LogEntry[]): Promise<Tree | null> {
    let tree = this.tree ?? emptyTree(manifest);
    for (let start = 0; start < entries.length; start += PIECE) {
      const replayed = replay(manifest, entries.slice(start, start + PIECE), tree);
      if (!replayed.ok) {
        this.problem = `The bank's log does not replay: ${replayed.refusal.message}.`;
        return null;
      }
      tree = replayed.value;
      if (start + PIECE < entries.length) await new Promise((resolve) => setTimeout(resolve));
    }
    return tree;
  }

  async #write(steps: readonly Step[]): Promise<number | null> {
    const bankId = this.bankId;
    if (bankId === null) return null;
    const step = this.steps + 1;
    let written = false;
    await this.#guard(async () => {
      const last = this.entries.at(-1);
      const head = last === undefined ? EMPTY_LOG : headOf(last);
      const entries = makeEntries(head, steps, { step, at: this.#ports.clock.now() });
      await this.#ports.banks.append(bankId, head, entries);
      written = true;
    });
    await this.#read();
    return written ? step : null;
  }

  #asShown(): Tree | null {
    const { tree, atStep, history } = this;
    if (atStep === null || history === null) return tree;
    const before = history.treeAtStep(atStep);
    return before.ok ? before.value : tree;
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    this.problem = null;
    try {
      await work();
    } catch (error) {
      if (this.#abort?.signal.aborted === true) return;
      if (!(error instanceof StorageError)) throw error;
      this.problem = error.message;
    }
  }
}
