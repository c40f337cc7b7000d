import { ROOT_ID, type Lesson } from '../../bank/node.ts';
import {
  childrenOf,
  depthOf,
  getGroup,
  getLesson,
  groupsFrom,
  lineageOf,
  unplacedLessons,
  type Tree,
} from '../../bank/tree.ts';
import { tokenize } from '../../recall/tokenize.ts';
import { groupIndexOf } from '../group-index.ts';
import { GROUPS_SEEN, groupViews, hasRoom } from '../group-views.ts';
import type { MaintainEvent } from '../maintain-event.ts';
import { placementText } from '../placement-text.ts';
import { rulesOrganizer } from '../rules-organizer.ts';
import { placeByLikeness } from '../rules/place-by-likeness.ts';
import { consult, type Consulted } from './consult.ts';
import { forceAnyOpen, openGroup, openRoot, type Means } from './make-room.ts';
import { refusalOf, type MaintenanceStep } from './maintenance-step.ts';

/** An organizer is asked to place this many lessons at a time (cost rule, DESIGN.md §3). */
export const LESSONS_AT_A_TIME = 12;
/** How often room is made and the rules are asked again, before lessons go wherever there is room. */
const ROUNDS = 8;
/** Among a lesson's best groups, a full one of lessons is where room is made for it. */
const BEST = 3;

/**
 * Places every lesson that has no place: by the organizer, a batch at a time; what its proposal leaves
 * out or is refused for by the rules, making room where a group is full; and what is left wherever there
 * is room. Where there is none the lesson stays in the bank without a place.
 */
export async function* placeLessons(
  work: MaintenanceStep,
  means: Means,
): AsyncGenerator<MaintainEvent, void> {
  const waiting = unplacedLessons(work.tree);
  for (let from = 0; from < waiting.length; from += LESSONS_AT_A_TIME) {
    yield* placeBatch(work, means, waiting.slice(from, from + LESSONS_AT_A_TIME));
  }
  yield* placeAnywhere(work);
}

async function* placeBatch(
  work: MaintenanceStep,
  means: Means,
  ids: readonly string[],
): AsyncGenerator<MaintainEvent, void> {
  const unplaced = () => lessonsOf(work.tree, ids).filter(({ parent }) => parent === null);
  yield* openRoot(work, means);
  if (work.organizer !== rulesOrganizer) yield* propose(work, means, unplaced());
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = unplaced();
    if (left.length === 0) return;
    yield* proposeByRules(work, left);
    const still = unplaced();
    if (still.length === 0) return;
    const opened = yield* openFor(work, means, still);
    if (!opened && still.length === left.length) return;
  }
}

function lessonsOf(tree: Tree, ids: readonly string[]): readonly Lesson[] {
  return ids.flatMap((id) => getLesson(tree, id) ?? []);
}

async function* propose(
  work: MaintenanceStep,
  { caller, signal }: Means,
  lessons: readonly Lesson[],
): AsyncGenerator<MaintainEvent, void> {
  const input = placeInput(work, lessons);
  const consulted = yield* consult(work, {
    asked: 'place',
    signal,
    ask: (organizer) => organizer.place(input, caller),
  });
  if (consulted !== null) yield proposed(work, consulted, lessons);
}

async function* proposeByRules(
  work: MaintenanceStep,
  lessons: readonly Lesson[],
): AsyncGenerator<MaintainEvent, void> {
  const operation = placeByLikeness(placeInput(work, lessons));
  if (operation === null) return;
  const reason = 'Each lesson goes to the group most like it.';
  yield proposed(work, { by: rulesOrganizer, proposal: { operation, reason } }, lessons);
}

function placeInput(work: MaintenanceStep, lessons: readonly Lesson[]) {
  const { maxChildren, maxDepth } = work.tree.manifest;
  const groups = groupViews(work.tree, lessons);
  return { lessons, groups, maxChildren, maxDepth, newIds: work.newIds(lessons.length) };
}

function proposed(
  work: MaintenanceStep,
  { by, proposal }: Consulted,
  lessons: readonly Lesson[],
): MaintainEvent {
  return work.propose(by, proposal, {
    type: 'place',
    lessons: new Set(lessons.map(({ id }) => id)),
  });
}

/** Makes room in the full groups that the lessons belong to. Says whether there is any more. */
async function* openFor(
  work: MaintenanceStep,
  means: Means,
  lessons: readonly Lesson[],
): AsyncGenerator<MaintainEvent, boolean> {
  const full = new Set(lessons.flatMap((lesson) => fullGroupFor(work.tree, lesson) ?? []));
  let opened = false;
  for (const id of full) {
    // One that was opened may have taken another along.
    if (getGroup(work.tree, id) === undefined || hasRoom(work.tree, id)) continue;
    if (yield* openGroup(work, means, id)) opened = true;
  }
  return opened;
}

/** The full group of lessons that a lesson belongs to, else the full group that one stands under. */
function fullGroupFor(tree: Tree, lesson: Lesson): string | undefined {
  const words = tokenize(placementText(lesson));
  const best = groupIndexOf(tree).search(words, BEST, (id) => hasRoom(tree, id));
  const isFull = (id: string) => id !== ROOT_ID && !hasRoom(tree, id);
  return (
    best.find((id) => isFull(id) && holdsLessons(tree, id)) ??
    best.flatMap((id) => lineageOf(tree, id).toReversed()).find(({ id }) => isFull(id))?.id
  );
}

function holdsLessons(tree: Tree, id: string): boolean {
  return childrenOf(tree, id).every((child) => getLesson(tree, child) !== undefined);
}

/** Each lesson that is left goes to the group most like it that has room, else to any that has. */
function* placeAnywhere(work: MaintenanceStep): Generator<MaintainEvent, void> {
  for (const id of unplacedLessons(work.tree)) {
    const [lesson] = lessonsOf(work.tree, [id]);
    const under = lesson && (likeWithRoom(work.tree, lesson) ?? (yield* anyWithRoom(work)));
    if (under === undefined) {
      const lessons = unplacedLessons(work.tree);
      const message = 'The tree can take no more: what is left waits for a place.';
      yield refusalOf({ lessons }, { reason: 'bank-full', message });
      return;
    }
    yield work.take(
      { type: 'place', groups: [], assignments: [{ lesson: id, under }] },
      'where there is room',
    );
  }
}

function likeWithRoom(tree: Tree, lesson: Lesson): string | undefined {
  const words = tokenize(placementText(lesson));
  return groupIndexOf(tree)
    .search(words, GROUPS_SEEN, (id) => hasRoom(tree, id))
    .find((id) => hasRoom(tree, id));
}

/** The first group with room from the root down, after making some where there is none. */
function* anyWithRoom(work: MaintenanceStep): Generator<MaintainEvent, string | undefined> {
  const first = firstWithRoom(work.tree);
  if (first !== undefined) return first;
  yield* forceAnyOpen(work);
  return firstWithRoom(work.tree);
}

function firstWithRoom(tree: Tree): string | undefined {
  for (const { id } of groupsFrom(tree)) {
    if (hasRoom(tree, id) && depthOf(tree, id) < tree.manifest.maxDepth) return id;
  }
  return undefined;
}
