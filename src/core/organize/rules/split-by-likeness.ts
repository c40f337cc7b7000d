import type { ChildView, SplitInput, SplitOperation } from '../organizer.ts';
import { centroidsOf } from './centroids.ts';
import { bestParts, type Separation } from './best-parts.ts';
import { likenessesOf, meanOf, type Likenesses } from './cluster.ts';
import { groupTitle } from './group-title.ts';
import { distinctTitles } from './distinct-titles.ts';

/** Parts less clear than this are no structure (Kaufman and Rousseeuw 1990). */
const SILHOUETTE_LEAST = 0.25;
/** Parts this much alike say the same, however clearly they are told apart. */
const ALIKE = 0.85;
/** As many lessons as a rule needs sources (DESIGN.md §3), so that each part can become one. */
const LESSONS_LEAST = 3;
/** A group with one group in it is a detour. */
const GROUPS_LEAST = 2;

/**
 * A broad group in parts (EpiCon 4.3, split + lift): average-linkage clusters of its children, where
 * they are clear by silhouette and unlike each other. The parts stand beside the group if there is
 * room, else under it. null where the children belong together.
 */
export function splitByLikeness(input: SplitInput): SplitOperation | null {
  const { group, children, liftRoom, underRoom, maxChildren, newIds } = input;
  const likenesses = likenessesOf(centroidsOf(children.map(({ lessons }) => ({ lessons }))));
  const holdsGroups = children.some(({ node }) => node.kind === 'group');
  const least = holdsGroups
    ? GROUPS_LEAST
    : Math.min(LESSONS_LEAST, Math.max(1, Math.floor(maxChildren / 3)));
  const found = bestParts(likenesses, least);
  if (found === null || !isClear(found) || found.parts.length > newIds.length) return null;
  const lift = found.parts.length <= liftRoom;
  if (found.parts.length > (lift ? liftRoom : underRoom)) return null;
  const titles = distinctTitles(
    found.parts.map((part) => titleOfPart(likenesses, children, part)),
    [],
  );
  return {
    type: 'split',
    group: group.id,
    lift,
    forced: false,
    parts: found.parts.map((part, at) => ({
      id: newIds[at] ?? '',
      title: titles[at] ?? group.title,
      scope: middleOf(likenesses, children, part)?.scope ?? '',
      children: part.flatMap((child) => children[child]?.node.id ?? []),
    })),
  };
}

function isClear({ silhouette, between }: Separation): boolean {
  return silhouette >= SILHOUETTE_LEAST && between < ALIKE;
}

/** Title and scope of the child most like the rest of its part. */
function middleOf(
  likenesses: Likenesses,
  children: readonly ChildView[],
  part: readonly number[],
): { readonly title: string; readonly scope: string } | undefined {
  const [middle] = part.toSorted(
    (first, second) => meanOf(likenesses, second, part) - meanOf(likenesses, first, part),
  );
  const node = children[middle ?? -1]?.node;
  if (node === undefined) return undefined;
  return node.kind === 'group'
    ? { title: node.title, scope: node.scope }
    : { title: groupTitle(node.content), scope: node.content.scope };
}

function titleOfPart(
  likenesses: Likenesses,
  children: readonly ChildView[],
  part: readonly number[],
): string {
  return middleOf(likenesses, children, part)?.title ?? '';
}
