import { TURN, type Turns } from '../turns.ts';

/** A key that two maps hold different values for, by identity; `undefined` where one holds none. */
export interface Difference<V> {
  readonly key: string;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

interface Leaf<V> {
  readonly type: 'leaf';
  readonly hash: number;
  /** More than one only where whole hashes collide; then by key, ascending. */
  readonly entries: readonly (readonly [string, V])[];
}

interface Branch<V> {
  readonly type: 'branch';
  /** Bit i is set where there is a child for i; children lie densely in that order. */
  readonly bits: number;
  readonly children: readonly Trie<V>[];
}

type Trie<V> = Leaf<V> | Branch<V>;

const BITS = 5;
const MASK = 31;

/**
 * An immutable map from strings, with structural sharing: a hash array mapped trie with 32 branches.
 * `set` and `delete` copy one path of it, so their cost grows with log32 of the size. Iteration order
 * follows the hashes of the keys: the same for the same keys, and otherwise without meaning.
 */
export class PersistentMap<V> {
  readonly size: number;
  private readonly root: Trie<V> | null;

  /** Made by `emptyMap` and `mapFrom`; the trie is nobody else's. */
  constructor(root: Trie<V> | null, size: number) {
    this.root = root;
    this.size = size;
  }

  get(key: string): V | undefined {
    return this.root === null ? undefined : find(this.root, key, hashOf(key));
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** The map itself where it holds that value already. */
  set(key: string, value: V): PersistentMap<V> {
    const hash = hashOf(key);
    const had = this.root === null ? undefined : find(this.root, key, hash);
    if (had === value) return this;
    const root = insert(this.root, 0, { key, hash, value });
    return new PersistentMap(root, had === undefined ? this.size + 1 : this.size);
  }

  /** The map itself where it holds no such key. */
  delete(key: string): PersistentMap<V> {
    const hash = hashOf(key);
    if (this.root === null || find(this.root, key, hash) === undefined) return this;
    return new PersistentMap(remove(this.root, key, hash, 0), this.size - 1);
  }

  entries(): IterableIterator<readonly [string, V]> {
    return walk(this.root);
  }

  /** Visits every entry in the order of `entries`, some times as fast. */
  forEach(visit: (value: V, key: string) => void): void {
    if (this.root !== null) visitAll(this.root, visit);
  }

  /**
   * What changed since `before`. What the two share is skipped whole, so the cost grows with what
   * differs, not with their size. A value that was replaced by an equal one counts as different.
   */
  differencesFrom(before: PersistentMap<V>): readonly Difference<V>[] {
    const found: Difference<V>[] = [];
    collectDifferences(before.root, this.root, found);
    return found;
  }
}

/** A map with nothing in it. */
export function emptyMap<V>(): PersistentMap<V> {
  return new PersistentMap<V>(null, 0);
}

/** A map of these entries; a later entry of the same key stands. */
export function mapFrom<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
  const items: Item<V>[] = [];
  for (const [key, value] of entries) items.push({ key, hash: hashOf(key), value });
  const built = buildTrie(items, 0);
  return new PersistentMap(built.root, built.size);
}

/** `mapFrom` in turns, for very many. */
export function* mapInTurns<V>(
  entries: readonly (readonly [string, V])[],
): Turns<PersistentMap<V>> {
  if (entries.length <= TURN) return mapFrom(entries);
  const parts = Array.from({ length: MASK + 1 }, (): Item<V>[] => []);
  for (const [at, [key, value]] of entries.entries()) {
    const hash = hashOf(key);
    parts[hash & MASK]?.push({ key, hash, value });
    if (at % TURN === 0) yield;
  }
  const built: Built<V>[] = [];
  for (const part of parts) {
    built.push(buildTrie(part, BITS));
    yield;
  }
  const { root, size } = join(built);
  // As `buildTrie` has it where all hashes are one.
  const [only] = root.children;
  return new PersistentMap(root.children.length === 1 && only?.type === 'leaf' ? only : root, size);
}

interface Built<V> {
  readonly root: Trie<V> | null;
  readonly size: number;
}

/** The trie that inserting one by one gives, built from the top; some 5 times as fast for many. */
function buildTrie<V>(items: readonly Item<V>[], shift: number): Built<V> {
  const [first] = items;
  if (first === undefined) return { root: null, size: 0 };
  if (items.every(({ hash }) => hash === first.hash)) {
    const leaf = items.slice(1).reduce<Leaf<V>>(insertIntoLeaf, leafOf(first));
    return { root: leaf, size: leaf.entries.length };
  }
  const parts: Item<V>[][] = [];
  for (const item of items) (parts[(item.hash >>> shift) & MASK] ??= []).push(item);
  return join(parts.map((part) => buildTrie(part, shift + BITS)));
}

/** The branch over what was built for each place; a place may have nothing. */
function join<V>(parts: readonly Built<V>[]): { readonly root: Branch<V>; readonly size: number } {
  let [bits, size] = [0, 0];
  const children: Trie<V>[] = [];
  parts.forEach((built, at) => {
    if (built.root === null) return;
    bits |= 1 << at;
    size += built.size;
    children.push(built.root);
  });
  return { root: { type: 'branch', bits, children }, size };
}

/** FNV-1a over UTF-16 code units, 32 bits, with its bits mixed once more. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function find<V>(root: Trie<V>, key: string, hash: number): V | undefined {
  let node = root;
  for (let shift = 0; node.type === 'branch'; shift += BITS) {
    const bit = 1 << ((hash >>> shift) & MASK);
    if ((node.bits & bit) === 0) return undefined;
    const child = node.children[countBits(node.bits & (bit - 1))];
    if (child === undefined) return undefined;
    node = child;
  }
  if (node.hash !== hash) return undefined;
  for (const [known, value] of node.entries) if (known === key) return value;
  return undefined;
}

interface Item<V> {
  readonly key: string;
  readonly hash: number;
  readonly value: V;
}

function insert<V>(node: Trie<V> | null, shift: number, item: Item<V>): Trie<V> {
  if (node === null) return leafOf(item);
  if (node.type === 'leaf') {
    if (node.hash === item.hash) return insertIntoLeaf(node, item);
    return branchOver(node, leafOf(item), shift);
  }
  const bit = 1 << ((item.hash >>> shift) & MASK);
  const index = countBits(node.bits & (bit - 1));
  const children = node.children.slice();
  if ((node.bits & bit) === 0) {
    children.splice(index, 0, leafOf(item));
    return { type: 'branch', bits: node.bits | bit, children };
  }
  children[index] = insert(children[index] ?? null, shift + BITS, item);
  return { type: 'branch', bits: node.bits, children };
}

function leafOf<V>({ key, hash, value }: Item<V>): Leaf<V> {
  return { type: 'leaf', hash, entries: [[key, value]] };
}

function insertIntoLeaf<V>(leaf: Leaf<V>, { key, hash, value }: Item<V>): Leaf<V> {
  const others = leaf.entries.filter(([known]) => known !== key);
  const index = others.findIndex(([known]) => known > key);
  const place = index < 0 ? others.length : index;
  return { type: 'leaf', hash, entries: others.toSpliced(place, 0, [key, value]) };
}

/** The smallest branch that tells two leaves of different hashes apart. */
function branchOver<V>(first: Leaf<V>, second: Leaf<V>, shift: number): Branch<V> {
  const [at, other] = [(first.hash >>> shift) & MASK, (second.hash >>> shift) & MASK];
  const bits = (1 << at) | (1 << other);
  if (at === other) {
    return { type: 'branch', bits, children: [branchOver(first, second, shift + BITS)] };
  }
  return { type: 'branch', bits, children: at < other ? [first, second] : [second, first] };
}

function remove<V>(node: Trie<V>, key: string, hash: number, shift: number): Trie<V> | null {
  if (node.type === 'leaf') {
    const entries = node.entries.filter(([known]) => known !== key);
    return entries.length === 0 ? null : { ...node, entries };
  }
  const bit = 1 << ((hash >>> shift) & MASK);
  const index = countBits(node.bits & (bit - 1));
  const child = node.children[index];
  if (child === undefined) return node;
  const left = remove(child, key, hash, shift + BITS);
  if (left !== null) {
    // A branch that came down to one leaf is that leaf, so that equal maps have equal shapes.
    if (left.type === 'leaf' && node.children.length === 1) return left;
    return { ...node, children: node.children.with(index, left) };
  }
  const children = node.children.toSpliced(index, 1);
  const [only] = children;
  if (only === undefined) return null;
  if (children.length === 1 && only.type === 'leaf') return only;
  return { type: 'branch', bits: node.bits & ~bit, children };
}

function* walk<V>(node: Trie<V> | null): IterableIterator<readonly [string, V]> {
  if (node === null) return;
  if (node.type === 'leaf') yield* node.entries;
  else for (const child of node.children) yield* walk(child);
}

function visitAll<V>(node: Trie<V>, visit: (value: V, key: string) => void): void {
  if (node.type === 'leaf') for (const [key, value] of node.entries) visit(value, key);
  else for (const child of node.children) visitAll(child, visit);
}

function collectDifferences<V>(
  before: Trie<V> | null,
  after: Trie<V> | null,
  found: Difference<V>[],
): void {
  if (before === after) return;
  if (before?.type !== 'branch' || after?.type !== 'branch') {
    compareEntries(before, after, found);
    return;
  }
  let [left, right] = [0, 0];
  for (let rest = before.bits | after.bits; rest !== 0; rest &= rest - 1) {
    const bit = rest & -rest;
    const old = (before.bits & bit) === 0 ? null : (before.children[left++] ?? null);
    const now = (after.bits & bit) === 0 ? null : (after.children[right++] ?? null);
    collectDifferences(old, now, found);
  }
}

/** Where one side is a leaf or nothing: entry by entry. */
function compareEntries<V>(
  before: Trie<V> | null,
  after: Trie<V> | null,
  found: Difference<V>[],
): void {
  const rest = new Map(walk(before));
  for (const [key, now] of walk(after)) {
    const old = rest.get(key);
    rest.delete(key);
    if (old !== now) found.push({ key, before: old, after: now });
  }
  for (const [key, old] of rest) found.push({ key, before: old, after: undefined });
}
