import { applyOperation, parseOperation } from '../bank/apply.ts';
import type { Step } from '../bank/log.ts';
import type { Evidence, Group, Lesson } from '../bank/node.ts';
import type { Actor, Operation } from '../bank/operation.ts';
import {
  childrenOf,
  depthOf,
  getGroup,
  getLesson,
  groupsFrom,
  heightOf,
  lessonByContent,
  lessonsBelow,
  lineageOf,
  unplacedLessons,
  type Tree,
} from '../bank/tree.ts';
import type { Caller, CallEvent } from '../harness/harness.ts';
import type { Refusal, Result } from '../result.ts';
import { checkProposal, type Asked } from './check-proposal.ts';
import { groupViews } from './group-views.ts';
import { forcedSplit } from './partition.ts';
import type { Organizer, OrganizerProposal } from './organizer.ts';
import { rulesOrganizer } from './rules-organizer.ts';

/** What a maintenance step tells: proposals flowing, proposed → accepted or refused (why). */
export type MaintainEvent =
  | CallEvent
  | { readonly type: 'operation-accept'; readonly operation: Operation; readonly reason: string }
  | {
      readonly type: 'proposal-refuse';
      readonly proposal: unknown;
      readonly refusal: Refusal;
    };

export interface MaintainInput {
  readonly tree: Tree;
  /** Accepted lessons, with ids of their own and no place. */
  readonly lessons: readonly Lesson[];
  readonly organizer: Organizer;
  readonly caller: Caller;
  /** A fresh id for a group. */
  readonly nextId: () => string;
}

/** What became of one proposal. */
type OperationEvent = Exclude<MaintainEvent, CallEvent>;

/** What a step came to: operations for one write to the log, and the tree after them. */
export interface Maintained {
  readonly steps: readonly Step[];
  readonly tree: Tree;
}

const HARNESS: Actor = { kind: 'harness', name: 'grove' };
/** A summary is written from this many lessons at most, whatever lies below (cost rule, DESIGN.md §3). */
const LESSONS_CONSOLIDATED = 48;

/**
 * A maintenance step (DESIGN.md §3): accepted lessons are added or support what says the same, placed
 * as a batch by the organizer, and the groups that changed are consolidated. Every proposal is checked
 * as any operation is; where one is refused the rules stand in. Nothing is written here: the caller
 * appends all operations in one write, so a step is done whole or not at all.
 */
export async function* maintain(input: MaintainInput): AsyncGenerator<MaintainEvent, Maintained> {
  const work = new MaintenanceStep(input.tree);
  for (const lesson of input.lessons) {
    for (const operation of entering(work.tree, lesson)) {
      yield work.take(operation, 'accepted');
    }
  }
  yield* place(work, input);
  yield* consolidate(work, input);
  return { steps: work.steps, tree: work.tree };
}

/** The operations taken so far and the tree they give. */
class MaintenanceStep {
  readonly steps: Step[] = [];
  tree: Tree;

  constructor(tree: Tree) {
    this.tree = tree;
  }

  /** Applies what must be valid. Throws where it is not: that is a bug of the harness. */
  take(operation: Operation, reason: string): MaintainEvent {
    const taken = this.#apply(operation, HARNESS, reason);
    if (taken.type === 'proposal-refuse') throw new Error(taken.refusal.message);
    return taken;
  }

  /** Reads an organizer's proposal, holds it to what was asked, and applies it. */
  propose(organizer: Organizer, { operation, reason }: OrganizerProposal, asked: Asked) {
    const parsed: Result<Operation> = parseOperation(operation);
    const checked = parsed.ok ? checkProposal(this.tree, parsed.value, asked) : parsed;
    return checked.ok
      ? this.#apply(checked.value, { kind: 'organizer', name: organizer.id }, reason)
      : refusalOf(operation, checked.refusal);
  }

  #apply(operation: Operation, by: Actor, reason: string): OperationEvent {
    const applied = applyOperation(this.tree, operation, by);
    if (!applied.ok) return refusalOf(operation, applied.refusal);
    this.tree = applied.value.tree;
    this.steps.push({ operation, by });
    return { type: 'operation-accept', operation, reason };
  }
}

function refusalOf(proposal: unknown, refusal: Refusal): OperationEvent {
  return { type: 'proposal-refuse', proposal, refusal };
}

/** A new lesson, or evidence for the one that says the same; nothing where it is known already. */
function entering(tree: Tree, lesson: Lesson): readonly Operation[] {
  const same = lessonByContent(tree, lesson.contentHash);
  if (same === undefined) return [{ type: 'add-lesson', lesson }];
  return lesson.evidence
    .filter((evidence) => !same.evidence.some((known) => isSameSource(known, evidence)))
    .map((evidence) => ({ type: 'support-lesson', lesson: same.id, evidence }));
}

function isSameSource(first: Evidence, second: Evidence): boolean {
  return first.runId === second.runId && first.attempt === second.attempt;
}

async function* place(
  work: MaintenanceStep,
  { organizer, caller, nextId }: MaintainInput,
): AsyncGenerator<MaintainEvent, void> {
  for (const proposer of proposersOf(organizer)) {
    const lessons = unplacedLessons(work.tree).flatMap((id) => getLesson(work.tree, id) ?? []);
    if (lessons.length === 0) return;
    yield* makeRoom(work, nextId);
    const { maxChildren, maxDepth } = work.tree.manifest;
    const proposal = yield* proposer.place(
      {
        lessons,
        groups: groupViews(work.tree, lessons),
        maxChildren,
        maxDepth,
        newIds: lessons.map(() => nextId()),
      },
      caller,
    );
    const ids = new Set(lessons.map(({ id }) => id));
    yield work.propose(proposer, proposal, { type: 'place', lessons: ids });
  }
  // What no proposal placed goes where there is room, one by one: an accepted lesson is never lost.
  for (const id of unplacedLessons(work.tree)) yield* placeByForce(work, id, nextId);
}

/** The organizer, and the rules where what it proposes is refused. */
function proposersOf(organizer: Organizer): readonly Organizer[] {
  return organizer.id === rulesOrganizer.id ? [organizer] : [organizer, rulesOrganizer];
}

/** Where no group has room, a forced partition of the first that allows one, from the root down. */
function* makeRoom(work: MaintenanceStep, nextId: () => string): Generator<MaintainEvent, void> {
  for (const { id } of groupsFrom(work.tree)) {
    if (groupWithRoom(work.tree) !== undefined) return;
    const split = forcedSplit(work.tree, id, [nextId(), nextId()]);
    if (split !== null && isShallow(work.tree, id)) yield work.take(split, 'the group is full');
  }
}

/** The first group with room takes the lesson, from the root down. */
function* placeByForce(
  work: MaintenanceStep,
  lesson: string,
  nextId: () => string,
): Generator<MaintainEvent, void> {
  yield* makeRoom(work, nextId);
  const target = groupWithRoom(work.tree);
  if (target === undefined) {
    // The lesson stays in the bank without a place, and is placed when there is room.
    yield refusalOf(
      { lesson },
      { reason: 'bank-full', message: 'The tree can take no more: the lesson waits for a place.' },
    );
    return;
  }
  yield work.take(
    { type: 'place', groups: [], assignments: [{ lesson, under: target.id }] },
    'where there is room',
  );
}

function groupWithRoom(tree: Tree): Group | undefined {
  const { maxChildren, maxDepth } = tree.manifest;
  return [...groupsFrom(tree)].find(
    ({ id }) => childrenOf(tree, id).length < maxChildren && depthOf(tree, id) < maxDepth,
  );
}

/** Whether a split of the group leaves every lesson within the depth limit. */
function isShallow(tree: Tree, id: string): boolean {
  return depthOf(tree, id) + heightOf(tree, id) < tree.manifest.maxDepth;
}

async function* consolidate(
  work: MaintenanceStep,
  { organizer, caller }: MaintainInput,
): AsyncGenerator<MaintainEvent, void> {
  for (const groupId of changedGroups(work)) {
    const group = getGroup(work.tree, groupId);
    const lessons = bestSupported(work.tree, groupId);
    if (group === undefined || lessons.length < 2) continue;
    const budgetChars = work.tree.manifest.summaryBudgetChars;
    for (const proposer of proposersOf(organizer)) {
      const proposal = yield* proposer.consolidate({ group, lessons, budgetChars }, caller);
      const event = work.propose(proposer, proposal, { type: 'consolidate', group: groupId });
      yield event;
      if (event.type === 'operation-accept') break;
    }
  }
}

/** The trusted lessons below a group, those with the most evidence first, as many as a summary rests on. */
function bestSupported(tree: Tree, groupId: string): readonly Lesson[] {
  return [...lessonsBelow(tree, groupId)]
    .filter(({ trust }) => trust === 'trusted')
    .toSorted((first, second) => second.evidence.length - first.evidence.length)
    .slice(0, LESSONS_CONSOLIDATED);
}

/** Groups above lessons that this step placed or supported, but the root; the deepest first. */
function changedGroups(work: MaintenanceStep): readonly string[] {
  const lessons = work.steps.flatMap(({ operation }) => {
    if (operation.type === 'place') return operation.assignments.map(({ lesson }) => lesson);
    return operation.type === 'support-lesson' ? [operation.lesson] : [];
  });
  const groups = lessons.flatMap((lesson) =>
    lineageOf(work.tree, lesson)
      .toReversed()
      .flatMap((node) => (node.kind === 'group' ? [node.id] : [])),
  );
  return [...new Set(groups)].toSorted(
    (first, second) => depthOf(work.tree, second) - depthOf(work.tree, first),
  );
}
