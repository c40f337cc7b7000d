import type { Caller, CallEvent } from '../harness/harness.ts';
import type { Candidate } from '../run.ts';
import type { Refusal } from '../result.ts';
import type { Task } from '../task.ts';
import type { Group, Lesson, Node } from '../bank/node.ts';
import type { Operation } from '../bank/operation.ts';

/** A group the organizer may place under, with what it is about; never the whole tree (cost rule, §3). */
export interface GroupView {
  readonly group: Group;
  /** Title path from below the root: "Transit maps › Counting stops". */
  readonly path: string;
  /** A few of the lessons below it. */
  readonly lessons: readonly Lesson[];
  readonly childCount: number;
  /** How many of its children are groups. */
  readonly groupCount: number;
  readonly depth: number;
}

/** Lessons without a place, and where they may go. A lesson that is left out is asked for again. */
export interface PlaceInput {
  readonly lessons: readonly Lesson[];
  readonly groups: readonly GroupView[];
  readonly maxChildren: number;
  readonly maxDepth: number;
  /** Ids for groups it may need; take from the front. */
  readonly newIds: readonly string[];
}

/** A child of a group that may be split: the lesson itself, or a group with a few of its lessons. */
export interface ChildView {
  readonly node: Node;
  readonly lessons: readonly Lesson[];
}

/** A group that is near its capacity, or whose children have little in common. */
export interface SplitInput {
  readonly group: Group;
  /** All its children, for the parts must hold each of them once. */
  readonly children: readonly ChildView[];
  /** Whether up to this many parts can stand beside the group in its stead; 0 where none can. */
  readonly liftRoom: number;
  /** Whether up to this many parts can lie under the group; 0 where nothing may lie deeper. */
  readonly underRoom: number;
  readonly maxChildren: number;
  /** Ids for the parts; take from the front. */
  readonly newIds: readonly string[];
}

/** Siblings of which some are nearly identical, or hold next to nothing. */
export interface MergeInput {
  readonly parent: Group;
  readonly groups: readonly GroupView[];
  /** A merged group has no more children than this. */
  readonly mostChildren: number;
}

export interface ConsolidateInput {
  readonly group: Group;
  readonly lessons: readonly Lesson[];
  readonly budgetChars: number;
}

/** A candidate with the text a selection is made on. */
export interface CandidateView extends Candidate {
  readonly text: string;
  readonly appliesWhen: string;
  readonly hasCrop: boolean;
  readonly support: number;
  readonly failures: number;
}

export interface SelectInput {
  readonly task: Task;
  readonly candidates: readonly CandidateView[];
}

/** Rules, or one concrete experience, or nothing (DESIGN.md §4). "Nothing applies" is a good answer. */
export interface Selection {
  readonly nodeIds: readonly string[];
  readonly reason: string;
}

/** What an organizer puts forward: an operation for validation (untrusted JSON from a model), and why. */
export interface OrganizerProposal {
  readonly operation: unknown;
  readonly reason: string;
  /** Why there is no operation after all: a model's reply could not be used. */
  readonly refusal?: Refusal;
}

/**
 * The organizer S (EpiCon 4.3, appendix A.3). It proposes; the memory harness validates and executes.
 * null proposes nothing: a group stays as it is, and what must be done is done by rules.
 */
export interface Organizer {
  readonly id: string;
  readonly label: string;
  /** Whether it is shown images when it selects; without, a selection is by text alone. */
  readonly seesImages?: boolean;
  /** Thresholds that its selections depend on: part of a retrieval's fingerprint (DESIGN.md §4). */
  readonly settings?: Readonly<Record<string, number>>;
  place(input: PlaceInput, caller: Caller): Proposing;
  merge(input: MergeInput, caller: Caller): Proposing;
  split(input: SplitInput, caller: Caller): Proposing;
  consolidate(input: ConsolidateInput, caller: Caller): Proposing;
  select(input: SelectInput, caller: Caller): AsyncGenerator<CallEvent, Selection>;
}

/** Model calls as they run, then what is proposed. */
export type Proposing = AsyncGenerator<CallEvent, OrganizerProposal | null>;

export type PlaceOperation = Extract<Operation, { type: 'place' }>;
export type MergeOperation = Extract<Operation, { type: 'merge' }>;
export type SplitOperation = Extract<Operation, { type: 'split' }>;
