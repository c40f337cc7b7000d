import type { Operation } from '../bank/operation.ts';
import type { Node } from '../bank/node.ts';
import { childrenOf, getGroup, getNode, type Tree } from '../bank/tree.ts';
import { indexText } from '../recall/index-text.ts';
import { distinctTitles } from './rules/distinct-titles.ts';
import { groupTitle } from './rules/group-title.ts';
import { cosine, inverseFrequency, wordVector } from './similarity.ts';

/**
 * The partition that capacity forces (DESIGN.md §3): a full group's children in two parts, each around
 * one of the two least alike, no part larger than two thirds. Deterministic, and made by the harness
 * alone. null where the group has too few children to part.
 */
export function forcedSplit(
  tree: Tree,
  groupId: string,
  { ids, lift }: { readonly ids: readonly [string, string]; readonly lift: boolean },
): Extract<Operation, { type: 'split' }> | null {
  const nodes = childrenOf(tree, groupId).flatMap((id) => getNode(tree, id) ?? []);
  if (nodes.length < 2) return null;
  const weight = inverseFrequency(nodes.map(indexText));
  const vectors = nodes.map((node) => wordVector(indexText(node), weight));
  const likeness = (first: number, second: number) =>
    cosine(vectors[first] ?? new Map(), vectors[second] ?? new Map());
  const [left, right] = leastAlike(nodes.length, likeness);
  // The two least alike lead a part each, so that neither part is empty.
  const leanOf = (at: number) =>
    at === left ? 2 : at === right ? -2 : likeness(at, left) - likeness(at, right);
  const most = Math.ceil((nodes.length * 2) / 3);
  const parts: readonly [Node[], Node[]] = [[], []];
  const order = nodes
    .map((node, at) => ({ node, lean: leanOf(at) }))
    .toSorted((first, second) => Math.abs(second.lean) - Math.abs(first.lean));
  for (const { node, lean } of order) {
    const wanted = lean >= 0 ? 0 : 1;
    const part = parts[wanted].length < most ? wanted : 1 - wanted;
    parts[part === 0 ? 0 : 1].push(node);
  }
  const titles = titlesOf(tree, groupId, { parts, lift });
  return {
    type: 'split',
    group: groupId,
    lift,
    forced: true,
    parts: parts.map((part, at) => ({
      id: ids[at === 0 ? 0 : 1],
      title: titles[at] ?? '',
      scope: '',
      children: part.map(({ id }) => id).sort(),
    })),
  };
}

/** A part is called for its child that leans to it most, apart from what stands beside it. */
function titlesOf(
  tree: Tree,
  groupId: string,
  { parts, lift }: { readonly parts: readonly (readonly Node[])[]; readonly lift: boolean },
): readonly string[] {
  const parent = getGroup(tree, groupId)?.parent ?? null;
  const beside =
    lift && parent !== null ? childrenOf(tree, parent).filter((id) => id !== groupId) : [groupId];
  const taken = beside.flatMap((id) => getGroup(tree, id)?.title ?? []);
  return distinctTitles(parts.map(partTitle), taken);
}

function partTitle([first]: readonly Node[]): string {
  if (first === undefined) return '';
  return first.kind === 'group' ? first.title : groupTitle(first.content);
}

function leastAlike(
  count: number,
  likeness: (first: number, second: number) => number,
): readonly [number, number] {
  let best: readonly [number, number] = [0, 1];
  let least = Infinity;
  for (let first = 0; first < count; first += 1) {
    for (let second = first + 1; second < count; second += 1) {
      const value = likeness(first, second);
      if (value < least) {
        least = value;
        best = [first, second];
      }
    }
  }
  return best;
}
