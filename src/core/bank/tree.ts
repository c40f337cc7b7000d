import { ROOT_ID, type Group, type Lesson, type Node } from './node.ts';
import type { BankManifest, Outcome } from './operation.ts';
import { emptyMap, type PersistentMap } from './persistent-map.ts';

/**
 * A bank's tree as a value. Nodes store their parent only; `index` is derived from the records, kept
 * up as they change, and never stored or hashed.
 */
export interface Tree {
  readonly manifest: BankManifest;
  readonly nodes: PersistentMap<Node>;
  /** Ids that no node has any more, and what they resolve to. */
  readonly aliases: PersistentMap<readonly string[]>;
  /** By `outcomeKey`. */
  readonly outcomes: PersistentMap<Outcome>;
  readonly frozen: boolean;
  readonly index: TreeIndex;
}

export interface TreeIndex {
  /** Children of a group, by id, ascending. */
  readonly children: PersistentMap<readonly string[]>;
  /** Active lessons that have no place yet. */
  readonly unplaced: PersistentMap<true>;
  /** Active lessons by the hash of their content. */
  readonly contents: PersistentMap<string>;
  /** Groups whose summary rests on, or names, a lesson. */
  readonly summarisedIn: PersistentMap<readonly string[]>;
  readonly outcomesOf: PersistentMap<readonly string[]>;
  /** Former ids that resolve straight to an id, ascending. */
  readonly formerIds: PersistentMap<readonly string[]>;
  readonly activeLessons: number;
}

/** What an outcome is stored under: a retrieval says one thing of a node. */
export function outcomeKey({ retrievalId, nodeId }: Outcome): string {
  return `${retrievalId}/${nodeId}`;
}

/** The root alone. */
export function emptyTree(manifest: BankManifest): Tree {
  const root: Group = {
    kind: 'group',
    id: ROOT_ID,
    parent: null,
    title: 'All lessons',
    scope: '',
    summary: null,
  };
  return {
    manifest,
    nodes: emptyMap<Node>().set(ROOT_ID, root),
    aliases: emptyMap(),
    outcomes: emptyMap(),
    frozen: false,
    index: {
      children: emptyMap(),
      unplaced: emptyMap(),
      contents: emptyMap(),
      summarisedIn: emptyMap(),
      outcomesOf: emptyMap(),
      formerIds: emptyMap(),
      activeLessons: 0,
    },
  };
}

export function getNode(tree: Tree, id: string): Node | undefined {
  return tree.nodes.get(id);
}

export function getLesson(tree: Tree, id: string): Lesson | undefined {
  const node = tree.nodes.get(id);
  return node?.kind === 'lesson' ? node : undefined;
}

export function getGroup(tree: Tree, id: string): Group | undefined {
  const node = tree.nodes.get(id);
  return node?.kind === 'group' ? node : undefined;
}

/** Ids of a group's children, ascending; none for a lesson. */
export function childrenOf(tree: Tree, id: string): readonly string[] {
  return tree.index.children.get(id) ?? [];
}

/** The nodes from just below the root down to `id` itself; empty where it has no place. */
export function lineageOf(tree: Tree, id: string): readonly Node[] {
  const lineage: Node[] = [];
  for (let at: string | null = id; at !== null && at !== ROOT_ID;) {
    const node: Node | undefined = tree.nodes.get(at);
    if (node === undefined || lineage.length > tree.manifest.maxDepth * 2) return [];
    lineage.unshift(node);
    at = node.parent;
    if (at === null) return [];
  }
  return lineage;
}

/** Edges from the root: 0 for the root, and for what has no place. */
export function depthOf(tree: Tree, id: string): number {
  const limit = tree.manifest.maxDepth * 2 + 1;
  let depth = 0;
  for (let at: string | null | undefined = id; at !== ROOT_ID; depth += 1) {
    if (at === null || at === undefined || depth > limit) return 0;
    at = tree.nodes.get(at)?.parent;
  }
  return depth;
}

/** Titles from below the root: "Transit maps › Counting stops". */
export function pathOf(tree: Tree, id: string): string {
  return lineageOf(tree, id).map(titleOf).join(' › ');
}

export function titleOf(node: Node): string {
  return node.kind === 'lesson' ? node.content.title : node.title;
}

/** Whether `ancestor` is on the way from the root to `id`, which has a place. */
export function isBelow(tree: Tree, id: string, ancestor: string): boolean {
  if (id === ancestor || depthOf(tree, id) === 0) return false;
  for (let at: string | null | undefined = id; at !== ROOT_ID;) {
    at = tree.nodes.get(at ?? '')?.parent;
    if (at === ancestor) return true;
    if (at === null || at === undefined) return false;
  }
  return false;
}

/** Lessons below a group, depth first. */
export function* lessonsBelow(tree: Tree, id: string): Generator<Lesson> {
  for (const childId of childrenOf(tree, id)) {
    const child = tree.nodes.get(childId);
    if (child?.kind === 'lesson') yield child;
    else if (child !== undefined) yield* lessonsBelow(tree, childId);
  }
}

/** Groups below a group and itself, parents before children. */
export function* groupsFrom(tree: Tree, id: string = ROOT_ID): Generator<Group> {
  const group = getGroup(tree, id);
  if (group === undefined) return;
  yield group;
  for (const childId of childrenOf(tree, id)) yield* groupsFrom(tree, childId);
}

/** How many edges the deepest lesson or group below lies under `id`. */
export function heightOf(tree: Tree, id: string): number {
  let height = 0;
  for (const child of childrenOf(tree, id)) height = Math.max(height, 1 + heightOf(tree, child));
  return height;
}

/** Active lessons, placed or not, in no order that means anything. */
export function* activeLessons(tree: Tree): Generator<Lesson> {
  for (const [, node] of tree.nodes.entries()) {
    if (node.kind === 'lesson' && node.status === 'active') yield node;
  }
}

/** Ids of active lessons that wait for a place, ascending. */
export function unplacedLessons(tree: Tree): readonly string[] {
  return [...tree.index.unplaced.entries()].map(([id]) => id).sort();
}

export function lessonByContent(tree: Tree, contentHash: string): Lesson | undefined {
  const id = tree.index.contents.get(contentHash);
  return id === undefined ? undefined : getLesson(tree, id);
}

/** What an id means now: itself where a node has it, else what merges, splits and revisions made of it. */
export function resolve(tree: Tree, id: string): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const follow = (at: string): void => {
    // Former ids that lead in a circle lead to nothing.
    if (seen.has(at)) return;
    seen.add(at);
    const aliases = tree.aliases.get(at);
    if (aliases === undefined) {
      if (tree.nodes.has(at)) found.add(at);
    } else aliases.forEach(follow);
  };
  follow(id);
  return [...found];
}

export function outcomesOf(tree: Tree, id: string): readonly Outcome[] {
  return (tree.index.outcomesOf.get(id) ?? []).flatMap((key) => tree.outcomes.get(key) ?? []);
}
