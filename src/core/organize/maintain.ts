import { applyOperation, parseOperation } from '../bank/apply.ts';
import type { Step } from '../bank/log.ts';
import { ROOT_ID, type Evidence, type Lesson } from '../bank/node.ts';
import type { Actor, Operation } from '../bank/operation.ts';
import {
  childrenOf,
  depthOf,
  getGroup,
  getLesson,
  groupsFrom,
  lessonByContent,
  lessonsBelow,
  lineageOf,
  pathOf,
  unplacedLessons,
  type Tree,
} from '../bank/tree.ts';
import type { Caller, CallEvent } from '../harness/harness.ts';
import type { Refusal, Result } from '../result.ts';
import { forcedSplit } from './partition.ts';
import type { GroupView, Organizer } from './organizer.ts';
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

/** What a step came to: operations for one write to the log, and the tree after them. */
export interface Maintained {
  readonly steps: readonly Step[];
  readonly tree: Tree;
}

const HARNESS: Actor = { kind: 'harness', name: 'grove' };
/** The organizer sees this many groups at most, whatever the bank's size (cost rule, DESIGN.md §3). */
const GROUPS_SEEN = 24;
const LESSONS_SEEN = 12;

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
      yield work.take(operation, HARNESS, 'accepted');
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
  take(operation: Operation, by: Actor, reason: string): MaintainEvent {
    const taken = this.propose(operation, by, reason);
    if (taken.type === 'proposal-refuse') throw new Error(taken.refusal.message);
    return taken;
  }

  /** Reads, checks and applies a proposal. */
  propose(proposal: unknown, by: Actor, reason: string): Exclude<MaintainEvent, CallEvent> {
    const parsed: Result<Operation> = parseOperation(proposal);
    if (!parsed.ok) return { type: 'proposal-refuse', proposal, refusal: parsed.refusal };
    const applied = applyOperation(this.tree, parsed.value, by);
    if (!applied.ok) return { type: 'proposal-refuse', proposal, refusal: applied.refusal };
    this.tree = applied.value.tree;
    this.steps.push({ operation: parsed.value, by });
    return { type: 'operation-accept', operation: parsed.value, reason };
  }
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
  for (const proposer of organizer.id === rulesOrganizer.id
    ? [organizer]
    : [organizer, rulesOrganizer]) {
    const lessons = unplacedLessons(work.tree).flatMap((id) => getLesson(work.tree, id) ?? []);
    if (lessons.length === 0) return;
    const { maxChildren, maxDepth } = work.tree.manifest;
    const proposal = yield* proposer.place(
      {
        lessons,
        groups: groupViews(work.tree),
        maxChildren,
        maxDepth,
        newIds: lessons.map(() => nextId()),
      },
      caller,
    );
    const by: Actor = { kind: 'organizer', name: proposer.id };
    yield work.propose(proposal.operation, by, proposal.reason);
  }
  // What no proposal placed goes where there is room, one by one: an accepted lesson is never lost.
  for (const id of unplacedLessons(work.tree)) yield* placeByForce(work, id, nextId);
}

/** The root's own group with the most room, else a forced partition that makes some. */
async function* placeByForce(
  work: MaintenanceStep,
  lesson: string,
  nextId: () => string,
): AsyncGenerator<MaintainEvent, void> {
  const { maxChildren, maxDepth } = work.tree.manifest;
  const open = () =>
    [...groupsFrom(work.tree)].find(
      ({ id }) =>
        childrenOf(work.tree, id).length < maxChildren && depthOf(work.tree, id) < maxDepth,
    );
  let target = open();
  if (target === undefined) {
    for (const { id } of groupsFrom(work.tree)) {
      const split = forcedSplit(work.tree, id, [nextId(), nextId()]);
      if (split === null) continue;
      const event = work.propose(split, HARNESS, 'the group is full');
      yield event;
      if (event.type === 'operation-accept') break;
    }
    target = open();
  }
  // Bank full: the lesson stays in the bank, without a place, and is placed when there is room.
  if (target === undefined) return;
  yield work.propose(
    { type: 'place', groups: [], assignments: [{ lesson, under: target.id }] },
    HARNESS,
    'where there is room',
  );
}

async function* consolidate(
  work: MaintenanceStep,
  { organizer, caller }: MaintainInput,
): AsyncGenerator<MaintainEvent, void> {
  for (const groupId of changedGroups(work)) {
    const group = getGroup(work.tree, groupId);
    const lessons = [...lessonsBelow(work.tree, groupId)].filter(
      ({ trust }) => trust === 'trusted',
    );
    if (group === undefined || lessons.length < 2) continue;
    const budgetChars = work.tree.manifest.summaryBudgetChars;
    for (const proposer of organizer.id === rulesOrganizer.id
      ? [organizer]
      : [organizer, rulesOrganizer]) {
      const proposal = yield* proposer.consolidate({ group, lessons, budgetChars }, caller);
      const by: Actor = { kind: 'organizer', name: proposer.id };
      const event = work.propose(proposal.operation, by, proposal.reason);
      yield event;
      if (event.type === 'operation-accept') break;
    }
  }
}

/** Groups above lessons that this step placed or supported, but the root; nearest to the lessons first. */
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
  return [...new Set(groups)];
}

/** The root and the groups nearest to it, each with a few of its lessons; never the whole tree. */
function groupViews(tree: Tree): readonly GroupView[] {
  const views: GroupView[] = [];
  for (const group of groupsFrom(tree)) {
    if (views.length >= GROUPS_SEEN) break;
    const lessons: Lesson[] = [];
    if (group.id !== ROOT_ID) {
      for (const lesson of lessonsBelow(tree, group.id)) {
        if (lessons.length >= LESSONS_SEEN) break;
        lessons.push(lesson);
      }
    }
    views.push({
      group,
      path: pathOf(tree, group.id),
      lessons,
      childCount: childrenOf(tree, group.id).length,
      depth: depthOf(tree, group.id),
    });
  }
  return views;
}
