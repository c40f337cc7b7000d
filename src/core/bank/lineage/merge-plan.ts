import type { LogHead } from '../../ports.ts';
import type { Step } from '../log.ts';
import type { OperationType } from '../operation.ts';
import type { Tree } from '../tree.ts';

/** Whose side a conflict is settled for. */
export type MergeChoice = 'ours' | 'theirs';

/** Why something of theirs could not simply be taken. */
export type MergeReason =
  /** Our bank is frozen: nothing is taken. */
  | 'frozen'
  /** Their bank may not leave this machine, and ours may. */
  | 'local-only'
  /** Both revised the same lesson, each otherwise. */
  | 'revised-differently'
  /** Ours revised what theirs brings evidence for. */
  | 'revised-here'
  /** Ours retired what theirs revised, supported, or has as a lesson. */
  | 'retired-here'
  /** Theirs retired what ours revised, supported, or has as a lesson. */
  | 'retired-there'
  /** Ours took back what theirs changed. */
  | 'removed-here'
  /** Theirs took back what ours changed. */
  | 'removed-there'
  /** Ours erased it: a merge does not bring it back. */
  | 'erased-here'
  /** Theirs erased it. */
  | 'erased-there'
  /** Theirs took back something that both had, other than a lesson. */
  | 'undone-there'
  /** One id, two contents: theirs comes under an id of its own. */
  | 'id-collision'
  /** One attempt or retrieval, recorded in two ways. */
  | 'recorded-differently'
  | 'trust-differs'
  | 'moved-differently'
  /** A move of theirs has no room here, or no group to go to. */
  | 'no-room'
  /** Their merge, split or move of groups does not fit our tree. */
  | 'reorganised-there'
  | 'renamed-differently'
  | 'summarised-differently'
  /** Their summary rests on lessons that are not below its group here: it is written anew. */
  | 'summary-unsupported'
  | 'settled-differently'
  /** It speaks of a group, lesson or conflict that is not here. */
  | 'names-nothing-here'
  /** Our tree can take no more: lessons wait for a place. */
  | 'bank-full'
  /** A rule of the tree refuses it; the message is the rule's. */
  | 'not-valid-here';

/** Something of theirs that ours stands against, or that cannot be taken. */
export interface MergeConflict {
  /** The same whenever the same two banks are merged: what a choice is passed in by. */
  readonly id: string;
  readonly reason: MergeReason;
  /** A plain sentence. */
  readonly message: string;
  /** What it is about, as theirs calls it and as ours does, where there is one. */
  readonly theirs: string;
  readonly ours: string | null;
  /** What can be chosen; empty where there is no choice. */
  readonly choices: readonly MergeChoice[];
  /** What this plan went by; `ours` unless chosen otherwise. */
  readonly choice: MergeChoice;
}

/** The trees a merge goes by. */
export interface MergeTrees {
  /** At the common ancestor. */
  readonly base: Tree;
  readonly ours: Tree;
  readonly theirs: Tree;
}

/** What merging their bank into ours would do. */
export interface MergePlan {
  /** The last entry both logs share. */
  readonly ancestor: LogHead;
  /** To be handed to the next plan of the same two banks, which then replays nothing. */
  readonly trees: MergeTrees;
  /** To be appended to our log as one maintenance step. */
  readonly operations: readonly Step[];
  /** Our tree after them. */
  readonly tree: Tree;
  readonly conflicts: readonly MergeConflict[];
  /** Our lessons that wait for a place: the next maintenance step gives them one. */
  readonly unplaced: readonly string[];
  /** Our groups whose summary is void or could not be taken: to be consolidated anew. */
  readonly reconsolidate: readonly string[];
  readonly counts: {
    /** Operations by type. */
    readonly operations: Readonly<Partial<Record<OperationType, number>>>;
    /** Things of theirs that ours has already. */
    readonly alreadyThere: number;
    readonly conflicts: number;
    readonly unplaced: number;
    readonly reconsolidate: number;
  };
}
