import { forkBank, type BankLog } from '../core/bank/lineage/fork.ts';
import type { MergeChoice, MergePlan } from '../core/bank/lineage/merge-plan.ts';
import { planMerge } from '../core/bank/lineage/plan-merge.ts';
import type { BankManifest, BankSettings, LogEntry } from '../core/bank/operation.ts';
import type { Tree } from '../core/bank/tree.ts';
import { StorageError } from '../core/errors.ts';
import type { BankStore, Clock } from '../core/ports.ts';
import { PERSON, type BankState } from './bank.svelte.ts';

export interface LineagePorts {
  readonly banks: BankStore;
  readonly clock: Clock;
  nextId(): string;
  /** Adds a bank with its whole log, in one write that publishes it. Throws `StorageError`. */
  addBank(bank: BankLog): Promise<void>;
}

/** What is done to banks as a whole: forks, merges, their settings, and putting one away. */
export class LineageState {
  busy = $state(false);
  problem: string | null = $state(null);

  readonly #ports: LineagePorts;

  constructor(ports: LineagePorts) {
    this.#ports = ports;
  }

  /** A bank of its own that begins as `source` is; gives its id, or null with a `problem`. */
  async fork(source: BankManifest, name: string): Promise<string | null> {
    const id = this.#ports.nextId();
    const done = await this.#run(async () => {
      const log = await this.#ports.banks.readLog(source.id, 0);
      const createdAt = this.#ports.clock.now();
      await this.#ports.addBank(forkBank({ manifest: source, log }, { id, name, createdAt }));
    });
    return done ? id : null;
  }

  /** What merging another bank into the one shown would do; null with a `problem`. */
  async plan(
    ours: BankState,
    theirsId: string,
    choices: ReadonlyMap<string, MergeChoice>,
  ): Promise<MergePlan | null> {
    const { info, tree, banks } = ours;
    const theirs = banks?.find(({ manifest }) => manifest.id === theirsId);
    if (info === null || tree === null || theirs === undefined) return null;
    let plan: MergePlan | null = null;
    await this.#run(async () => {
      const entries = await ours.wholeLog();
      const log = await this.#readLog(theirsId);
      const made = planMerge(
        { manifest: info.manifest, log: entries },
        { manifest: theirs.manifest, log },
        {
          by: { ...PERSON, kind: 'person' },
          nextId: () => this.#ports.nextId(),
          choices,
          trees:
            this.#kept?.ours === tree && this.#kept.id === theirsId
              ? this.#kept.trees
              : { ours: tree },
        },
      );
      if (made.ok) {
        plan = made.value;
        this.#kept = { id: theirsId, ours: tree, trees: made.value.trees };
      } else this.problem = `It cannot be merged: ${made.refusal.message}.`;
    });
    return plan;
  }

  /** Gives a bank another name, or keeps it on this device; gives whether it did, else a `problem`. */
  async changeSettings(bankId: string, settings: BankSettings): Promise<boolean> {
    return this.#run(() => this.#ports.banks.changeSettings(bankId, settings));
  }

  /** Puts a bank away; gives how to bring it back, drafts of its inbox aside, or null with a `problem`. */
  async remove(manifest: BankManifest): Promise<(() => Promise<void>) | null> {
    let log: readonly LogEntry[] = [];
    const done = await this.#run(async () => {
      log = await this.#ports.banks.readLog(manifest.id, 0);
      await this.#ports.banks.deleteBank(manifest.id);
    });
    if (!done) return null;
    return async () => void (await this.#run(() => this.#ports.addBank({ manifest, log })));
  }

  /** Logs are kept while one merges: each choice plans anew. */
  #read: { readonly id: string; readonly log: readonly LogEntry[] } | null = null;

  async #readLog(id: string): Promise<readonly LogEntry[]> {
    if (this.#read?.id !== id) this.#read = { id, log: await this.#ports.banks.readLog(id, 0) };
    return this.#read.log;
  }

  /** The trees of the last plan, so that a choice is planned again at once. */
  #kept: {
    readonly id: string;
    readonly ours: Tree;
    readonly trees: MergePlan['trees'];
  } | null = null;

  /** Forgets what was read for a merge. */
  forget(): void {
    this.#read = null;
    this.#kept = null;
    this.problem = null;
  }

  async #run(work: () => Promise<void>): Promise<boolean> {
    this.busy = true;
    this.problem = null;
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.problem = error.message;
      return false;
    } finally {
      this.busy = false;
    }
  }
}
