/**
 * An immutable map from strings, with structural sharing: a hash array mapped trie with 32 branches.
 * `set` and `delete` copy one path of it, so their cost grows with log32 of the size. Iteration order
 * follows the hashes of the keys: the same for the same keys, and otherwise without meaning.
 */
export interface PersistentMap<V> {
  readonly size: number;
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): PersistentMap<V>;
  delete(key: string): PersistentMap<V>;
  entries(): IterableIterator<readonly [string, V]>;
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

/** A map with nothing in it. */
export function emptyMap<V>(): PersistentMap<V> {
  return mapOf<V>(null, 0);
}

/** A map of these entries; a later entry of the same key stands. */
export function mapFrom<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
  let map = emptyMap<V>();
  for (const [key, value] of entries) map = map.set(key, value);
  return map;
}

function mapOf<V>(root: Trie<V> | null, size: number): PersistentMap<V> {
  return {
    size,
    get: (key) => find(root, key),
    has: (key) => find(root, key) !== undefined,
    set(key, value) {
      const had = find(root, key);
      if (had === value) return this;
      return mapOf(
        insert(root, key, { hash: hashOf(key), value, shift: 0 }),
        had === undefined ? size + 1 : size,
      );
    },
    delete(key) {
      if (root === null || find(root, key) === undefined) return this;
      return mapOf(remove(root, key, hashOf(key), 0), size - 1);
    },
    entries: () => walk(root),
  };
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

function find<V>(root: Trie<V> | null, key: string): V | undefined {
  const hash = hashOf(key);
  let node = root;
  for (let shift = 0; node !== null && node.type === 'branch'; shift += BITS) {
    const bit = 1 << ((hash >>> shift) & MASK);
    if ((node.bits & bit) === 0) return undefined;
    node = node.children[countBits(node.bits & (bit - 1))] ?? null;
  }
  return node?.entries.find(([known]) => known === key)?.[1];
}

function insert<V>(
  node: Trie<V> | null,
  key: string,
  at: { readonly hash: number; readonly value: V; readonly shift: number },
): Trie<V> {
  const { hash, value, shift } = at;
  if (node === null) return { type: 'leaf', hash, entries: [[key, value]] };
  if (node.type === 'leaf') {
    if (node.hash === hash) {
      const others = node.entries.filter(([known]) => known !== key);
      const index = others.findIndex(([known]) => known > key);
      const place = index < 0 ? others.length : index;
      return { type: 'leaf', hash, entries: others.toSpliced(place, 0, [key, value]) };
    }
    const bit = 1 << ((node.hash >>> shift) & MASK);
    return insert({ type: 'branch', bits: bit, children: [node] }, key, at);
  }
  const bit = 1 << ((hash >>> shift) & MASK);
  const index = countBits(node.bits & (bit - 1));
  const below = { hash, value, shift: shift + BITS };
  if ((node.bits & bit) === 0) {
    const children = node.children.toSpliced(index, 0, insert(null, key, below));
    return { type: 'branch', bits: node.bits | bit, children };
  }
  const child = insert(node.children[index] ?? null, key, below);
  return { type: 'branch', bits: node.bits, children: node.children.with(index, child) };
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
