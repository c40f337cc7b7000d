import type { Step } from '../bank/log.ts';
import type { Lesson } from '../bank/node.ts';
import type { Tree } from '../bank/tree.ts';
import type { Caller } from '../harness/harness.ts';
import type { MaintainEvent } from './maintain-event.ts';
import type { Organizer } from './organizer.ts';
import { consolidateGroups } from './step/consolidate.ts';
import { enter, type NotTaken } from './step/enter.ts';
import { MaintenanceStep } from './step/maintenance-step.ts';
import { mergeGroups } from './step/merge.ts';
import { placeLessons } from './step/place.ts';
import { splitGroups } from './step/split.ts';

export interface MaintainInput {
  readonly tree: Tree;
  /**
   * Accepted lessons and revisions, with ids of their own and no place. One whose `revises` names a
   * lesson takes that lesson's place.
   */
  readonly lessons: readonly Lesson[];
  readonly organizer: Organizer;
  readonly caller: Caller;
  /** A fresh id for a group. */
  readonly nextId: () => string;
  /** Ends the step by throwing, even where the organizer does not answer. */
  readonly signal?: AbortSignal;
}

/** What a step came to: operations for one write to the log, and the tree after them. */
export interface Maintained {
  readonly steps: readonly Step[];
  readonly tree: Tree;
  /** What the bank did not take, as a frozen one takes nothing: it must stay where it waited. */
  readonly notTaken: readonly NotTaken[];
}

/**
 * A maintenance step (DESIGN.md §3, EpiCon 4.3): accepted lessons and revisions are taken in, or support
 * what says the same; placed by the organizer, a batch at a time; groups are split and merged where that
 * is called for; and what changed is consolidated. Every proposal is checked as any operation is, and
 * kept to what was asked. Where one is missing or refused the rules place and consolidate, and capacity
 * is kept by a partition of the harness's own. Nothing is written here: the caller appends all
 * operations in one write, so a step is done whole or not at all. Throws where it was aborted.
 */
export async function* maintain(input: MaintainInput): AsyncGenerator<MaintainEvent, Maintained> {
  const { tree, lessons, organizer, caller, nextId, signal } = input;
  const work = new MaintenanceStep(tree, organizer, nextId);
  const means = { caller, signal };
  const notTaken = yield* enter(work, lessons);
  if (!tree.frozen) {
    yield* placeLessons(work, means);
    yield* splitGroups(work, means);
    yield* mergeGroups(work, means);
    yield* consolidateGroups(work, means);
  }
  return { steps: work.steps, tree: work.tree, notTaken };
}
