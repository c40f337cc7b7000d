import { childrenOf, getGroup, type Tree } from '../../bank/tree.ts';
import { groupIndexOf } from '../group-index.ts';
import { viewOf } from '../group-views.ts';
import type { MaintainEvent } from '../maintain-event.ts';
import { cosine } from '../similarity.ts';
import { consultAndPropose } from './consult.ts';
import type { Means } from './make-room.ts';
import type { MaintenanceStep } from './maintenance-step.ts';
import { nearCapacity } from './split.ts';

/** Siblings this much alike may be one, by the words of all that lies below them: worth a look. */
const NEARLY_IDENTICAL = 0.8;
/** An organizer is shown this many siblings at most (cost rule, DESIGN.md §3). */
export const SIBLINGS_SEEN = 6;
/** Groups with more siblings than this, by a bank's own settings, are compared with these many only. */
const SIBLINGS_COMPARED = 48;

/**
 * Asks for a merge where a group that changed is nearly identical to a sibling, or where it or a sibling
 * holds at most one child. Once for each parent.
 */
export async function* mergeGroups(
  work: MaintenanceStep,
  { caller, signal }: Means,
): AsyncGenerator<MaintainEvent, void> {
  const parents = new Set(
    work.changedGroups().flatMap((id) => getGroup(work.tree, id)?.parent ?? []),
  );
  // So large that a split would be asked for is too large to merge.
  const mostChildren = nearCapacity(work.tree) - 1;
  for (const id of parents) {
    const parent = getGroup(work.tree, id);
    const siblings = parent === undefined ? [] : candidates(work, id, mostChildren);
    if (parent === undefined || siblings.length < 2) continue;
    const groups = siblings.flatMap((sibling) => viewOf(work.tree, sibling) ?? []);
    yield* consultAndPropose(
      work,
      {
        asked: 'merge',
        signal,
        ask: (organizer) => organizer.merge({ parent, groups, mostChildren }, caller),
      },
      { type: 'merge', groups: new Set(siblings), mostChildren },
    );
  }
}

/** The siblings worth a look: a pair that triggers, and those most like the first of it. */
function candidates(
  work: MaintenanceStep,
  parent: string,
  mostChildren: number,
): readonly string[] {
  const { tree, fresh } = work;
  const groups = childrenOf(tree, parent)
    .filter((id) => getGroup(tree, id) !== undefined)
    .slice(0, SIBLINGS_COMPARED);
  const index = groupIndexOf(tree);
  const vectors = new Map(groups.map((id) => [id, index.vectorOf(id)]));
  const likeness = (first: string, second: string) =>
    cosine(vectors.get(first) ?? new Map(), vectors.get(second) ?? new Map());
  // What this step began is left to grow.
  const grown = groups.filter((id) => sizeOf(tree, id) > 1 || !fresh.has(id));
  for (const id of grown) {
    const partners = grown
      .filter((other) => other !== id && sizeOf(tree, id) + sizeOf(tree, other) <= mostChildren)
      .toSorted((first, second) => likeness(id, second) - likeness(id, first));
    const [nearest] = partners;
    if (nearest === undefined) continue;
    const isSmall = sizeOf(tree, id) <= 1;
    const isSame = likeness(id, nearest) >= NEARLY_IDENTICAL && work.touched.has(id);
    if (isSmall || isSame) return [id, ...partners.slice(0, SIBLINGS_SEEN - 1)];
  }
  return [];
}

function sizeOf(tree: Tree, id: string): number {
  return childrenOf(tree, id).length;
}
