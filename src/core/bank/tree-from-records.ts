import type { Node, Summary } from './node.ts';
import type { BankManifest, Outcome } from './operation.ts';
import { atOnce, TURN, type Turns } from '../turns.ts';
import { mapInTurns, type PersistentMap } from './persistent-map.ts';
import type { Tree } from './tree.ts';

/** What a tree is made of; everything else about it is derived. */
export interface TreeRecords {
  /** The root among them; each id once. */
  readonly nodes: readonly Node[];
  readonly aliases: readonly (readonly [id: string, to: readonly string[]])[];
  readonly outcomes: readonly (readonly [key: string, outcome: Outcome])[];
  readonly frozen: boolean;
}

/**
 * The tree of these records, built at once: the same that `makeChanges` gives record by record. An
 * `outline` is one to look at: its index has nothing that only operations ask for.
 */
export function treeFromRecords(
  manifest: BankManifest,
  records: TreeRecords,
  kind: 'whole' | 'outline' = 'whole',
): Tree {
  return atOnce(treeInTurns(manifest, records, kind));
}

/** `treeFromRecords` in turns, for very many. */
export function* treeInTurns(
  manifest: BankManifest,
  { nodes, aliases, outcomes, frozen }: TreeRecords,
  kind: 'whole' | 'outline' = 'whole',
): Turns<Tree> {
  const indexed = kind === 'whole';
  const active = nodes.flatMap((node) =>
    node.kind === 'lesson' && node.status === 'active' ? [node] : [],
  );
  const unplaced = active.filter(({ parent }) => parent === null);
  return {
    manifest,
    nodes: yield* mapInTurns(nodes.map((node) => [node.id, node])),
    aliases: yield* mapInTurns(aliases),
    outcomes: yield* mapInTurns(outcomes),
    frozen,
    index: {
      children: yield* gathered(nodes, ({ parent }) => (parent === null ? NONE : [parent]), idOf),
      unplaced: yield* mapInTurns(unplaced.map(({ id }) => [id, true])),
      contents: yield* mapInTurns(
        indexed ? active.map(({ contentHash, id }) => [contentHash, id]) : [],
      ),
      summarisedIn: yield* gathered(indexed ? nodes : [], lessonsNamed, idOf),
      outcomesOf: yield* gathered(
        outcomes,
        ([, { nodeId }]) => [nodeId],
        ([key]) => key,
      ),
      formerIds: yield* gathered(
        aliases,
        ([, to]) => to,
        ([id]) => id,
      ),
      activeLessons: active.length,
    },
  };
}

/** Lessons that a summary rests on or names in a conflict. */
export function namedIn({ supportedBy, conflicts }: Summary): readonly string[] {
  return [...supportedBy, ...conflicts.flatMap(({ lessons }) => lessons)];
}

const NONE: readonly string[] = [];

const idOf = ({ id }: Node) => id;

function lessonsNamed(node: Node): readonly string[] {
  return node.kind === 'group' && node.summary !== null ? namedIn(node.summary) : NONE;
}

/** For each key of any record, the ids of the records that have it: each once, ascending. */
function* gathered<R>(
  records: readonly R[],
  keysOf: (record: R) => readonly string[],
  idOfRecord: (record: R) => string,
): Turns<PersistentMap<readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const [at, record] of records.entries()) {
    if (at % TURN === TURN - 1) yield;
    const id = idOfRecord(record);
    for (const key of keysOf(record)) {
      const ids = found.get(key);
      if (ids === undefined) found.set(key, [id]);
      else if (!ids.includes(id)) ids.push(id);
    }
  }
  for (const ids of found.values()) ids.sort(byCodeUnits);
  return yield* mapInTurns([...found]);
}

function byCodeUnits(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0;
}
