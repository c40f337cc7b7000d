import { z } from 'zod';
import { accept, refuse, type Result } from '../../result.ts';
import type { Turns } from '../../turns.ts';
import type { Group } from '../node.ts';
import type { BankManifest } from '../operation.ts';
import { treeFromRecords } from '../tree-from-records.ts';
import { tellFacts, treeFacts, type GroupTally } from '../tree-facts.ts';
import { groupsFrom, type Tree } from '../tree.ts';
import type { SnapshotRefusal } from './read-snapshot.ts';

/** Groups ranked before others have their turn. */
const GROUPS_A_TURN = 128;

/** One column a fact, all of one length; parents before their children, the root first. */
const groupsSchema = z.object({
  ids: z.array(z.string()),
  /** The place of each one's parent; -1 for the root. */
  parents: z.array(z.int()),
  titles: z.array(z.string()),
  lessons: z.array(z.int().nonnegative()),
  levels: z.array(z.int().positive()),
  ranks: z.array(z.enum(['group', 'summary', 'rule'])),
});

/**
 * The groups of a tree and what is said of each, as JSON: a few hundredths of its bytes, so that a
 * large bank can be seen before its lessons are read. Yields now and then. `openGroups` reads it.
 */
export function* writeGroups(tree: Tree): Turns<string> {
  const columns: z.infer<typeof groupsSchema> = {
    ids: [],
    parents: [],
    titles: [],
    lessons: [],
    levels: [],
    ranks: [],
  };
  const facts = treeFacts(tree);
  const places = new Map<string, number>();
  for (const { id, parent, title } of groupsFrom(tree)) {
    places.set(id, columns.ids.length);
    const rank = facts.rankOf(id);
    columns.ids.push(id);
    columns.parents.push(places.get(parent ?? '') ?? -1);
    columns.titles.push(title);
    columns.lessons.push(facts.lessons.get(id) ?? 0);
    columns.levels.push(facts.levelsFrom(id));
    columns.ranks.push(rank === 'lesson' ? 'group' : rank);
    if (columns.ids.length % GROUPS_A_TURN === 0) yield;
  }
  return JSON.stringify(columns);
}

/**
 * The tree of a bank's groups alone, to look at while the others are read; `treeFacts` says of it what
 * it says of the whole. `bad-shape` where it does not parse.
 */
export function openGroups(manifest: BankManifest, json: string): Result<Tree, SnapshotRefusal> {
  const columns = parseColumns(json);
  if (columns === undefined) {
    return refuse('bad-shape', 'the groups of the snapshot do not parse', 'groups');
  }
  const { ids, parents, titles, lessons, levels, ranks } = columns;
  const groups: Group[] = [];
  const tallies = new Map<string, GroupTally>();
  for (const [at, id] of ids.entries()) {
    const parent = ids[parents[at] ?? -1] ?? null;
    groups.push({ kind: 'group', id, parent, title: titles[at] ?? '', scope: '', summary: null });
    tallies.set(id, {
      lessons: lessons[at] ?? 0,
      levels: levels[at] ?? 1,
      rank: ranks[at] ?? 'group',
    });
  }
  const records = { nodes: groups, aliases: [], outcomes: [], frozen: false };
  const tree = treeFromRecords(manifest, records, 'outline');
  tellFacts(tree, tallies);
  return accept(tree);
}

function parseColumns(json: string): z.infer<typeof groupsSchema> | undefined {
  try {
    const { data } = groupsSchema.safeParse(JSON.parse(json));
    if (data === undefined) return undefined;
    return Object.values(data).every(({ length }) => length === data.ids.length) ? data : undefined;
  } catch {
    return undefined;
  }
}
