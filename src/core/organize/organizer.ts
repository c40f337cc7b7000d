import type { Caller, CallEvent } from '../harness/harness.ts';
import type { Candidate } from '../run.ts';
import type { Task } from '../task.ts';
import type { Group, Lesson } from '../bank/node.ts';
import type { Operation } from '../bank/operation.ts';

/** A group the organizer may place under, with what it is about; never the whole tree (cost rule, §3). */
export interface GroupView {
  readonly group: Group;
  /** Title path from below the root: "Transit maps › Counting stops". */
  readonly path: string;
  readonly lessons: readonly Lesson[];
  readonly childCount: number;
  readonly depth: number;
}

export interface PlaceInput {
  readonly lessons: readonly Lesson[];
  readonly groups: readonly GroupView[];
  readonly maxChildren: number;
  readonly maxDepth: number;
  /** Ids for groups it may need; take from the front. */
  readonly newIds: readonly string[];
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
}

/** The organizer S. It proposes; the memory harness validates and executes. */
export interface Organizer {
  readonly id: string;
  readonly label: string;
  /** Thresholds that its selections depend on: part of a retrieval's fingerprint (DESIGN.md §4). */
  readonly settings?: Readonly<Record<string, number>>;
  place(input: PlaceInput, caller: Caller): AsyncGenerator<CallEvent, OrganizerProposal>;
  consolidate(
    input: ConsolidateInput,
    caller: Caller,
  ): AsyncGenerator<CallEvent, OrganizerProposal>;
  select(input: SelectInput, caller: Caller): AsyncGenerator<CallEvent, Selection>;
}

export type PlaceOperation = Extract<Operation, { type: 'place' }>;
