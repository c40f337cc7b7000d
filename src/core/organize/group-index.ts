import { ROOT_ID, type Group, type Lesson } from '../bank/node.ts';
import type { BankManifest } from '../bank/operation.ts';
import { childrenOf, getNode, type Tree } from '../bank/tree.ts';
import { tokenize } from '../recall/tokenize.ts';
import { placementText } from './placement-text.ts';
import type { WordVector } from './similarity.ts';

/** A group is known by this many of the words most of its lessons hold. */
const WORDS_KEPT = 48;

/** What a group is about: each word with the share of what lies below that holds it, 0 to 1. */
interface Profile {
  readonly words: ReadonlyMap<string, number>;
  readonly length: number;
}

interface Known {
  readonly group: Group;
  readonly children: readonly string[];
  readonly below: readonly (Profile | null)[];
  readonly profile: Profile;
}

const indexes = new WeakMap<BankManifest, GroupIndex>();

/**
 * The index of a tree's groups, brought up to this tree. One per bank: text is read again only where
 * children changed. What it answers depends on the tree alone.
 */
export function groupIndexOf(tree: Tree): GroupIndex {
  const index = indexes.get(tree.manifest) ?? new GroupIndex();
  indexes.set(tree.manifest, index);
  index.sync(tree);
  return index;
}

/** Words of all groups, for recall and for comparing groups (cost rule, DESIGN.md §3). */
export class GroupIndex {
  readonly #known = new Map<string, Known>();
  /** Groups by a word they are about, with its share. */
  readonly #holding = new Map<string, Map<string, number>>();
  #tree: Tree | null = null;

  /** Takes in what changed since the last tree. */
  sync(tree: Tree): void {
    if (tree === this.#tree) return;
    const seen = new Set<string>();
    this.#visit(tree, ROOT_ID, seen);
    for (const id of this.#known.keys()) if (!seen.has(id)) this.#forget(id);
    this.#tree = tree;
  }

  /**
   * The groups that share most with these words, best first; of those that share the same, the ones
   * that are preferred, then by id. The root is none of them.
   */
  search(
    words: Iterable<string>,
    most: number,
    isPreferred: (id: string) => boolean = () => false,
  ): readonly string[] {
    const scores = new Map<string, number>();
    for (const word of new Set(words)) {
      const weight = this.weight(word);
      for (const [id, share] of this.#holding.get(word) ?? []) {
        scores.set(id, (scores.get(id) ?? 0) + weight * share);
      }
    }
    const found = [...scores].map(([id, sum]) => ({
      id,
      score: sum / (this.#known.get(id)?.profile.length ?? 1),
    }));
    // Few of many are wanted: what is below the least of them need not be sorted.
    const least = Float64Array.from(found, ({ score }) => score)
      .sort()
      .at(-most);
    return found
      .filter(({ score }) => score >= (least ?? 0))
      .toSorted(
        (first, second) =>
          second.score - first.score ||
          Number(isPreferred(second.id)) - Number(isPreferred(first.id)) ||
          (first.id < second.id ? -1 : 1),
      )
      .slice(0, most)
      .map(({ id }) => id);
  }

  /** What a word weighs: more where fewer groups hold it. */
  readonly weight = (word: string): number =>
    Math.log(1 + this.#known.size / (1 + (this.#holding.get(word)?.size ?? 0)));

  /** A group's words by weight, of length 1; without words where it is unknown. */
  vectorOf(id: string): WordVector {
    const words = this.#known.get(id)?.profile.words ?? new Map<string, number>();
    const weighed = [...words].map(([word, share]) => [word, share * this.weight(word)] as const);
    const length = Math.hypot(...weighed.map(([, value]) => value)) || 1;
    return new Map(weighed.map(([word, value]) => [word, value / length]));
  }

  #visit(tree: Tree, id: string, seen: Set<string>): Profile {
    seen.add(id);
    const children = childrenOf(tree, id);
    const nodes = children.map((child) => getNode(tree, child));
    const below = nodes.map((node) =>
      node?.kind === 'group' ? this.#visit(tree, node.id, seen) : null,
    );
    const known = this.#known.get(id);
    const group = getNode(tree, id);
    if (group?.kind !== 'group') return EMPTY;
    const isSame =
      known?.children === children &&
      known.group.title === group.title &&
      known.group.scope === group.scope &&
      below.every((profile, at) => profile === known.below[at]);
    if (known !== undefined && isSame) return known.profile;
    const profile = profileOf(
      group,
      nodes.flatMap((node, at) => (node?.kind === 'lesson' ? wordsOf(node) : (below[at] ?? []))),
    );
    this.#forget(id);
    this.#known.set(id, { group, children, below, profile });
    if (id !== ROOT_ID) this.#post(id, profile);
    return profile;
  }

  #post(id: string, { words }: Profile): void {
    for (const [word, share] of words) {
      const holding = this.#holding.get(word) ?? new Map<string, number>();
      holding.set(id, share);
      this.#holding.set(word, holding);
    }
  }

  #forget(id: string): void {
    for (const word of this.#known.get(id)?.profile.words.keys() ?? []) {
      const holding = this.#holding.get(word);
      holding?.delete(id);
      if (holding?.size === 0) this.#holding.delete(word);
    }
    this.#known.delete(id);
  }
}

const EMPTY: Profile = { words: new Map(), length: 1 };

function wordsOf(lesson: Lesson): Profile {
  return { words: sharesOf(tokenize(placementText(lesson))), length: 1 };
}

function sharesOf(words: readonly string[]): ReadonlyMap<string, number> {
  return new Map(words.map((word) => [word, 1]));
}

/** The mean of what lies below; a group with nothing below is known by its title and scope. */
function profileOf({ title, scope }: Group, below: readonly Profile[]): Profile {
  const sums = new Map<string, number>();
  const parts =
    below.length > 0 ? below.map(({ words }) => words) : [sharesOf(tokenize(`${title}\n${scope}`))];
  for (const words of parts) {
    for (const [word, share] of words) sums.set(word, (sums.get(word) ?? 0) + share / parts.length);
  }
  const kept = [...sums]
    .toSorted(([first, less], [second, more]) => more - less || (first < second ? -1 : 1))
    .slice(0, WORDS_KEPT);
  return { words: new Map(kept), length: Math.hypot(...kept.map(([, share]) => share)) || 1 };
}
