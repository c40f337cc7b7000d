import { ROOT_ID } from '../../bank/node.ts';
import { childrenOf, depthOf, getGroup, groupsFrom, heightOf, type Tree } from '../../bank/tree.ts';
import type { Caller } from '../../harness/harness.ts';
import { hasRoom } from '../group-views.ts';
import type { MaintainEvent } from '../maintain-event.ts';
import { forcedSplit } from '../partition.ts';
import { PLACE_THRESHOLD } from '../rules/centroids.ts';
import type { MaintenanceStep } from './maintenance-step.ts';
import { askToSplit, cohesionOf } from './split.ts';

/** What a step works with besides the tree. */
export interface Means {
  readonly caller: Caller;
  readonly signal: AbortSignal | undefined;
}

/** Below this a partition of the root gains next to nothing. */
const ROOT_CHILDREN_LEAST = 6;

/** A full root is parted, so that what is about something new finds room at the top. */
export async function* openRoot(
  work: MaintenanceStep,
  means: Means,
): AsyncGenerator<MaintainEvent, void> {
  const { length } = childrenOf(work.tree, ROOT_ID);
  if (length < work.tree.manifest.maxChildren || length < ROOT_CHILDREN_LEAST) return;
  if (work.askedToSplit.has(ROOT_ID)) return;
  yield* openGroup(work, means, ROOT_ID);
}

/**
 * Makes room at a full group: a split that the organizer proposes, else the partition that capacity
 * forces. Says whether there is a split.
 */
export async function* openGroup(
  work: MaintenanceStep,
  means: Means,
  id: string,
): AsyncGenerator<MaintainEvent, boolean> {
  if (yield* askToSplit(work, means, id)) return true;
  return yield* forceOpen(work, id);
}

/**
 * The forced partition of a full group. Its parts stand beside it, after room is made there too, so
 * that the tree grows in breadth before it grows in depth; but a subject below the root takes its parts
 * under itself. Says whether there was one; there is none where it would be too deep.
 */
export function* forceOpen(work: MaintenanceStep, id: string): Generator<MaintainEvent, boolean> {
  const parent = getGroup(work.tree, id)?.parent ?? null;
  if (parent !== null && parent !== ROOT_ID && !hasRoom(work.tree, parent)) {
    yield* forceOpen(work, parent);
  }
  // The parent may have been parted itself.
  const above = getGroup(work.tree, id)?.parent ?? null;
  const lift =
    above !== null &&
    hasRoom(work.tree, above) &&
    (above !== ROOT_ID || cohesionOf(work.tree, id) < PLACE_THRESHOLD);
  if (!lift && !isShallow(work.tree, id)) return false;
  return yield* force(work, id, lift);
}

function* force(
  work: MaintenanceStep,
  id: string,
  lift: boolean,
): Generator<MaintainEvent, boolean> {
  const [first = '', second = ''] = work.newIds(2);
  const split = forcedSplit(work.tree, id, { ids: [first, second], lift });
  if (split === null) return false;
  const event = work.attempt(split, 'The group is full.');
  yield event;
  return event.type === 'operation-accept';
}

/** Where no group has room: a forced partition of the first that allows one, from the root down. */
export function* forceAnyOpen(work: MaintenanceStep): Generator<MaintainEvent, void> {
  for (const { id } of groupsFrom(work.tree)) {
    if (!isShallow(work.tree, id)) continue;
    if (yield* force(work, id, false)) return;
  }
}

/** Whether a split of the group leaves every lesson within the depth limit. */
function isShallow(tree: Tree, id: string): boolean {
  const height = Math.max(1, heightOf(tree, id));
  return depthOf(tree, id) + height < tree.manifest.maxDepth;
}
