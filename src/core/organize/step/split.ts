import { ROOT_ID } from '../../bank/node.ts';
import { childrenOf, depthOf, getGroup, getLesson, heightOf, type Tree } from '../../bank/tree.ts';
import { groupIndexOf } from '../group-index.ts';
import { childViews } from '../group-views.ts';
import type { MaintainEvent } from '../maintain-event.ts';
import { placementText } from '../placement-text.ts';
import { PLACE_THRESHOLD } from '../rules/centroids.ts';
import { likenessesOf, meanLikeness } from '../rules/cluster.ts';
import { wordVector } from '../similarity.ts';
import { consultAndPropose } from './consult.ts';
import type { Means } from './make-room.ts';
import type { MaintenanceStep } from './maintenance-step.ts';

/** From this share of its capacity on a group is nearly full. */
const NEAR_CAPACITY = 2 / 3;
/** With fewer children a group is no burden, however little they have in common. */
const LOOSE_CHILDREN = 6;
/** A group with more children than this, by a bank's own settings, is shown to no organizer. */
export const CHILDREN_SEEN = 48;

/** From how many children on a group is nearly full. */
export function nearCapacity(tree: Tree): number {
  return Math.ceil(tree.manifest.maxChildren * NEAR_CAPACITY);
}

/**
 * Asks for a split of each group that got another child and is nearly full, or whose children are on
 * average less alike than a lesson must be to its group. It stays whole where none is proposed.
 */
export async function* splitGroups(
  work: MaintenanceStep,
  means: Means,
): AsyncGenerator<MaintainEvent, void> {
  for (const id of work.changedGroups()) {
    if (work.grown.has(id) && isTriggered(work.tree, id)) yield* askToSplit(work, means, id);
  }
}

function isTriggered(tree: Tree, id: string): boolean {
  const { length } = childrenOf(tree, id);
  if (length >= nearCapacity(tree)) return length >= 2;
  return length >= LOOSE_CHILDREN && cohesionOf(tree, id) < PLACE_THRESHOLD;
}

/** How alike a group's children are: the mean over all pairs, 0 to 1. */
export function cohesionOf(tree: Tree, id: string): number {
  const index = groupIndexOf(tree);
  const vectors = childrenOf(tree, id).map((child) => {
    const lesson = getLesson(tree, child);
    return lesson === undefined
      ? index.vectorOf(child)
      : wordVector(placementText(lesson), index.weight);
  });
  return meanLikeness(likenessesOf(vectors));
}

/** Asks the organizer for a split of a group, once a step. Says whether one was accepted. */
export async function* askToSplit(
  work: MaintenanceStep,
  { caller, signal }: Means,
  id: string,
): AsyncGenerator<MaintainEvent, boolean> {
  const group = getGroup(work.tree, id);
  const children = childrenOf(work.tree, id);
  if (group === undefined || children.length < 2 || children.length > CHILDREN_SEEN) return false;
  if (work.askedToSplit.has(id)) return false;
  work.askedToSplit.add(id);
  const liftRoom = liftRoomOf(work.tree, group.parent);
  const underRoom = underRoomOf(work.tree, id);
  if (Math.max(liftRoom, underRoom) < 2) return false;
  const { maxChildren } = work.tree.manifest;
  const input = {
    group,
    children: childViews(work.tree, id),
    liftRoom,
    underRoom,
    maxChildren,
    newIds: work.newIds(Math.floor(children.length / 2)),
  };
  return yield* consultAndPropose(
    work,
    { asked: 'split', signal, ask: (organizer) => organizer.split(input, caller) },
    { type: 'split', group: id },
  );
}

/** How many parts may stand in a group's stead below its parent. */
function liftRoomOf(tree: Tree, parent: string | null): number {
  if (parent === null) return 0;
  const room = tree.manifest.maxChildren - childrenOf(tree, parent).length + 1;
  // The root keeps a place for what is about something new.
  return parent === ROOT_ID ? room - 1 : room;
}

/** How many parts may lie between a group and its children. */
function underRoomOf(tree: Tree, id: string): number {
  const { maxChildren, maxDepth } = tree.manifest;
  return depthOf(tree, id) + heightOf(tree, id) < maxDepth ? maxChildren : 0;
}
