import { applyOperation } from '../core/bank/apply.ts';
import { redoTarget, undoTarget } from '../core/bank/history/undo.ts';
import { makeEntries, type Step } from '../core/bank/log.ts';
import type { Actor, BankManifest, LogEntry, Operation } from '../core/bank/operation.ts';
import { emptyTree, getNode, type Tree } from '../core/bank/tree.ts';
import { StorageError } from '../core/errors.ts';
import type { BankInfo, BankStore, Clock, IdSource, RunStore } from '../core/ports.ts';
import type { Refusal } from '../core/result.ts';
import type { LessonDraft } from '../core/run.ts';
import type { BankLoader } from './bank-loader.ts';
import {
  replayOn,
  withNode,
  type BankOpening,
  type KeptBank,
  type ReadingProgress,
} from './bank-opening.ts';
import { logPages } from './log-pages.ts';
import { LogReading } from './log-reading.svelte.ts';
import type { OrganizeLine } from './organize-line.ts';

export interface BankPorts {
  readonly banks: BankStore;
  readonly loader: BankLoader;
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

/** Where no more entries than this came, they are waited for. */
const FEW_ENTRIES = 2048;

/** A person at this page. */
export const PERSON: Actor = { kind: 'person', name: 'you' };

/** The Bank page: one bank's tree, as it stands or stood, its log, and its inbox. */
export class BankState {
  /** null until they are read. */
  banks: readonly BankInfo[] | null = $state.raw(null);
  bankId: string | null = $state(null);
  /** The bank as it stands; null until all of it is read. */
  kept: KeptBank | null = $state.raw(null);
  /** What there is to look at until then: the tree of its groups, then the tree without its texts. */
  outline: Tree | null = $state.raw(null);
  /** How much is read, while it is; null otherwise. */
  reading: ReadingProgress | null = $state.raw(null);
  drafts: readonly LessonDraft[] = $state.raw([]);
  /** Shown as it was after this maintenance step; null for as it stands. */
  atStep: number | null = $state(null);
  selectedId: string | null = $state(null);
  flow: readonly OrganizeLine[] = $state.raw([]);
  organizing = $state(false);
  problem: string | null = $state(null);

  readonly info = $derived(this.banks?.find(({ manifest }) => manifest.id === this.bankId) ?? null);
  readonly tree = $derived(this.kept?.tree ?? null);
  readonly steps = $derived(this.kept?.step ?? 0);
  /** Whether what is on screen can be changed: the bank as it stands, all of it read, and live. */
  readonly mayChange = $derived(
    this.atStep === null && this.tree !== null && !this.tree.frozen && !this.organizing,
  );
  /** The tree on screen: as it stands, or as it was, or its outline. */
  readonly shown = $derived.by(() => this.#asShown());

  /** The whole log, which is read behind the tree. */
  readonly log: LogReading;
  /** The step that Undo takes back, and that Redo brings again; null where there is none. */
  readonly undoStep = $derived.by(() => undoTarget(this.log.entries));
  readonly redoStep = $derived.by(() => redoTarget(this.log.entries));

  readonly #ports: BankPorts;
  #stopDrafts: () => void = () => undefined;
  #abort: AbortController | null = null;
  #reading: Promise<void> = Promise.resolve();
  #following: Promise<void> = Promise.resolve();
  #opening: BankOpening | null = null;

  constructor(ports: BankPorts) {
    this.#ports = ports;
    this.log = new LogReading(ports.banks);
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
      this.problem = null;
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
    if (id !== null) void this.#peek(id);
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
    await this.#following;
    const steps = this.log.history?.revertStep(step, PERSON);
    if (steps === undefined) return null;
    if (!steps.ok) {
      this.problem = [steps.refusal.message, ...steps.refusal.blockers].join(' ');
      return null;
    }
    return this.#write(steps.value);
  }

  /** Takes the latest step that stands back; gives that step, or null where nothing was done. */
  async undo(): Promise<number | null> {
    await this.#following;
    const step = this.undoStep;
    return step !== null && (await this.revert(step)) !== null ? step : null;
  }

  /** Brings the step back that was undone last; gives that step, or null where nothing was done. */
  async redo(): Promise<number | null> {
    await this.#following;
    const target = this.redoStep;
    return target !== null && (await this.revert(target.undo)) !== null ? target.step : null;
  }

  /** The log with all its entries, once they are read. */
  async wholeLog(): Promise<readonly LogEntry[]> {
    await this.#following;
    return this.log.entries;
  }

  /** Another bank's tree as it stands; null with a `problem` where it cannot be read. */
  async treeOf(bankId: string): Promise<Tree | null> {
    let tree: Tree | null = null;
    await this.#guard(async () => {
      ({ tree } = await this.#ports.loader.load(bankId));
    });
    return tree;
  }

  /** The tree of any log that is stored, a held bank's too; null with a `problem`. */
  async treeOfLog(logId: string, manifest: BankManifest): Promise<Tree | null> {
    let tree: Tree | null = null;
    await this.#guard(async () => {
      let grown = emptyTree(manifest);
      for await (const page of logPages(this.#ports.banks, logId, 0)) grown = replayOn(grown, page);
      tree = grown;
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
    const { checkChain } = await import('./check-chain.ts');
    return checkChain(info, logPages(this.#ports.banks, info.manifest.id, 0), {
      signal,
      onProgress: (done) => onProgress(done, info.head.seq),
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

  /** Keeps drafts as they are given, in one write: with other words, or refused ones again. */
  async change(...drafts: readonly LessonDraft[]): Promise<void> {
    await this.#guard(() => this.#ports.runs.putDrafts(drafts));
  }

  /** Removes drafts from the inbox, in one write; `change` puts them back. Gives whether it did. */
  async refuse(...drafts: readonly LessonDraft[]): Promise<boolean> {
    await this.#guard(() => this.#ports.runs.deleteDrafts(drafts.map(({ id }) => id)));
    return this.problem === null;
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
      this.#forget();
      if (fullest !== undefined) this.choose(fullest.manifest.id);
    }
  }

  /** Reads what the bank has beyond what is here. One reading at a time, in order. */
  #read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#telling(() => this.#readOn()));
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const { info, bankId } = this;
    if (info === null || bankId === null) return;
    const stop: (() => void)[] = [];
    try {
      const kept = await this.#ports.loader.load(bankId, (opening) => {
        stop.push(this.#look(bankId, opening));
      });
      // Another bank was chosen meanwhile.
      if (bankId !== this.bankId) return;
      this.kept = kept;
      this.outline = null;
      const behind = kept.head.seq - this.log.entries.length;
      this.#following = this.#telling(() => this.log.follow(info.manifest, kept.head));
      if (behind <= FEW_ENTRIES) await this.#following;
    } finally {
      for (const done of stop) done();
    }
  }

  /** Shows what an opening has read while it goes on. Returns how to stop. */
  #look(bankId: string, opening: BankOpening): () => void {
    this.#opening = opening;
    const isShown = () => this.#opening === opening && bankId === this.bankId;
    const show = (outline: Tree | null) => {
      if (!isShown() || outline === null || this.kept !== null) return;
      this.outline = outline;
      if (this.selectedId !== null) void this.#peek(this.selectedId);
    };
    void (async () => {
      show(await opening.groups);
      show(await opening.outline);
    })().catch(() => undefined);
    const unwatch = opening.watch((progress) => {
      if (isShown()) this.reading = progress;
    });
    return () => {
      unwatch();
      if (!isShown()) return;
      this.#opening = null;
      this.reading = null;
    };
  }

  /** Reads one node of an outline ahead of the others: somebody looks at it. */
  async #peek(nodeId: string): Promise<void> {
    if (this.outline === null || getNode(this.outline, nodeId) === undefined) return;
    const opening = this.#opening;
    await this.#guard(async () => {
      const node = await opening?.peek(nodeId);
      if (node === undefined || this.outline === null || opening !== this.#opening) return;
      this.outline = withNode(this.outline, node);
    });
  }

  #forget(): void {
    this.kept = null;
    this.outline = null;
    this.reading = null;
    this.#opening = null;
    this.log.forget();
  }

  async #write(steps: readonly Step[]): Promise<number | null> {
    const { bankId, kept } = this;
    if (bankId === null || kept === null) return null;
    const step = kept.step + 1;
    let written = false;
    await this.#guard(async () => {
      const entries = makeEntries(kept.head, steps, { step, at: this.#ports.clock.now() });
      await this.#ports.banks.append(bankId, kept.head, entries);
      written = true;
    });
    await this.#read();
    return written ? step : null;
  }

  #asShown(): Tree | null {
    const { tree, atStep, outline } = this;
    const { history } = this.log;
    if (atStep === null || history === null) return tree ?? outline;
    const before = history.treeAtStep(atStep);
    return before.ok ? before.value : tree;
  }

  /** What a person asked for: an earlier problem is over, and a new one is told. */
  #guard(work: () => Promise<void>): Promise<void> {
    this.problem = null;
    return this.#telling(work);
  }

  /** What goes on by itself: it may add a problem, and leaves the one that is told. */
  async #telling(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#abort?.signal.aborted === true) return;
      if (!(error instanceof StorageError)) throw error;
      this.problem = error.message;
    }
  }
}
