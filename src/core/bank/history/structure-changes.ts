import type { Node } from '../node.ts';
import type { Difference } from '../persistent-map.ts';
import { childrenOf, getGroup, getNode, resolve, titleOf, type Tree } from '../tree.ts';
import type { Named, TreeChange } from './tree-change.ts';

/** Merges and splits between two trees, and which moves and groups they explain. */
export interface StructureChanges {
  readonly changes: readonly TreeChange[];
  /** Groups that came or went by them. */
  readonly explained: ReadonlySet<string>;
  /** Whether a child that went from one group to another went by them. */
  readonly explainsMove: (from: string, to: string) => boolean;
}

/** Two trees and which of their nodes differ. */
export interface Compared {
  readonly before: Tree;
  readonly after: Tree;
  readonly nodes: readonly Difference<Node>[];
}

/** Reads merges and splits from what former ids resolve to and where new groups took their children. */
export function structureChanges(compared: Compared): StructureChanges {
  const { before, after, nodes } = compared;
  const backwards: Compared = {
    before: after,
    after: before,
    nodes: nodes.map(({ key, ...each }) => ({ key, before: each.after, after: each.before })),
  };
  const done = directed(compared);
  const undone = directed(backwards);
  const moves = new Set([
    ...done.moves.map(([from, to]) => moveKey(from, to)),
    ...undone.moves.map(([from, to]) => moveKey(to, from)),
  ]);
  return {
    changes: [
      ...done.found.map((change) => ({ ...change, undone: false })),
      ...undone.found.map((change) => ({ ...change, undone: true })),
    ],
    explained: new Set([...done.explained, ...undone.explained]),
    explainsMove: (from, to) => moves.has(moveKey(from, to)),
  };
}

type Found =
  | (Named & { readonly type: 'groups-merge'; readonly groups: readonly Named[] })
  | (Named & {
      readonly type: 'group-split';
      readonly parts: readonly Named[];
      readonly lifted: boolean;
    });

interface Directed {
  readonly found: readonly Found[];
  readonly explained: readonly string[];
  readonly moves: readonly (readonly [from: string, to: string])[];
}

function directed(compared: Compared): Directed {
  const all = [...aliased(compared), ...splitInPlace(compared)];
  return {
    found: all,
    explained: all.flatMap((change) =>
      change.type === 'groups-merge'
        ? [change.id, ...change.groups.map(({ id }) => id)]
        : [...(change.lifted ? [change.id] : []), ...change.parts.map(({ id }) => id)],
    ),
    moves: all.flatMap((change) =>
      change.type === 'groups-merge'
        ? change.groups.map(({ id }) => [id, change.id] as const)
        : change.parts.map(({ id }) => [change.id, id] as const),
    ),
  };
}

/** Groups that are gone and resolve to one other (merged) or to several (split and lifted). */
function aliased({ before, after }: Compared): readonly Found[] {
  const merged = new Map<string, string[]>();
  const splits: Found[] = [];
  for (const { key } of after.aliases.differencesFrom(before.aliases)) {
    if (getGroup(before, key) === undefined || getGroup(after, key) !== undefined) continue;
    const targets = resolve(after, key);
    const [into] = targets;
    if (into === undefined) continue;
    if (targets.length === 1) merged.set(into, [...(merged.get(into) ?? []), key]);
    else {
      const parts = targets.map((id) => named(after, id)).toSorted(byId);
      splits.push({ type: 'group-split', ...named(before, key), parts, lifted: true });
    }
  }
  const merges = [...merged].map(([into, ids]): Found => {
    const groups = (getGroup(before, into) === undefined ? ids : [into, ...ids])
      .map((id) => named(before, id))
      .toSorted(byId);
    return { type: 'groups-merge', ...named(after, into), groups };
  });
  return [...merges, ...splits];
}

/** Groups whose every child went into two new groups or more below them. */
function splitInPlace({ before, after, nodes }: Compared): readonly Found[] {
  const parts = new Map<string, string[]>();
  for (const { key, before: old, after: now } of nodes) {
    if (old !== undefined || now?.kind !== 'group' || now.parent === null) continue;
    const { parent } = now;
    const took = childrenOf(after, key).some((child) => getNode(before, child)?.parent === parent);
    if (took) parts.set(parent, [...(parts.get(parent) ?? []), key]);
  }
  return [...parts].flatMap(([group, ids]): Found[] => {
    const stayed = childrenOf(after, group).some(
      (child) => getNode(before, child)?.parent === group,
    );
    if (ids.length < 2 || stayed) return [];
    const partsNamed = ids.map((id) => named(after, id)).toSorted(byId);
    return [{ type: 'group-split', ...named(after, group), parts: partsNamed, lifted: false }];
  });
}

function moveKey(from: string, to: string): string {
  return `${from}\n${to}`;
}

function named(tree: Tree, id: string): Named {
  const node = getNode(tree, id);
  return { id, title: node === undefined ? id : titleOf(node) };
}

function byId(first: Named, second: Named): number {
  return first.id < second.id ? -1 : 1;
}
