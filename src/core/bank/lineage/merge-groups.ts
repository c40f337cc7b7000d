import { structureChanges, type StructureChanges } from '../history/structure-changes.ts';
import type { TreeChange } from '../history/tree-change.ts';
import type { Group, Node } from '../node.ts';
import type { Difference } from '../persistent-map.ts';
import { childrenOf, getGroup, getNode, resolve } from '../tree.ts';
import type { MergeWork } from './merge-work.ts';

type Merge = Extract<TreeChange, { type: 'groups-merge' }>;
type Split = Extract<TreeChange, { type: 'group-split' }>;

/** What theirs did to the groups both have, and which moves of theirs are not to be followed. */
export interface GroupsMerged {
  /** Whether a child of theirs went from one group to another by a merge or split refused here. */
  readonly isRefusedMove: (from: string, to: string) => boolean;
}

/**
 * Takes their merges and splits of groups where they fit our tree as they are: all groups here and side
 * by side, all children told apart. Else lists them, and our shape stands.
 */
export function mergeGroups(work: MergeWork, nodes: readonly Difference<Node>[]): GroupsMerged {
  const { base, theirs } = work.input;
  const structure = structureChanges({ before: base, after: theirs, nodes });
  let wasRefused = false;
  for (const change of structure.changes) {
    if (change.type === 'groups-merge' && !change.undone) {
      wasRefused = !takeMerge(work, change) || wasRefused;
    } else if (change.type === 'group-split' && !change.undone) {
      wasRefused = !takeSplit(work, change) || wasRefused;
    } else if (change.type === 'groups-merge' || change.type === 'group-split') {
      const message = `A merge or split around “${change.title}” was taken back there; here it stands.`;
      work.oppose({ reason: 'undone-there', message, theirs: change.id });
      wasRefused = true;
    }
  }
  listMovedGroups(work, nodes, structure);
  return { isRefusedMove: (from, to) => wasRefused && structure.explainsMove(from, to) };
}

function takeMerge(work: MergeWork, { id, title, groups }: Merge): boolean {
  const own = groups.map((group) => work.ourGroup(group.id));
  const ids = [...new Set(own.filter((each) => each !== null))];
  const [first] = ids;
  if (first !== undefined && ids.length === 1 && !own.includes(null)) {
    // One group here already, by our own merge or by this one taken before.
    work.isGroup(id, first);
    work.alreadyThere += 1;
    return true;
  }
  const isFree = ids.includes(id) || work.idFor(id) === id;
  if (own.includes(null) || ids.length < 2 || !isFree) return reorganised(work, id, `“${title}”`);
  const scope = getGroup(work.input.theirs, id)?.scope ?? '';
  return work.take({ type: 'merge', groups: ids, into: id, title, scope }, id);
}

function takeSplit(work: MergeWork, split: Split): boolean {
  const { id, title, parts, lifted } = split;
  if (parts.every((part) => getGroup(work.tree, part.id) !== undefined)) {
    work.alreadyThere += 1;
    return true;
  }
  const group = work.ourGroup(id);
  if (group === null || parts.some((part) => getNode(work.tree, part.id) !== undefined)) {
    return reorganised(work, id, `“${title}”`);
  }
  const filled = partsHere(work, split, group).filter(({ children }) => children.length > 0);
  if (filled.length < 2) return reorganised(work, id, `“${title}”`);
  const operation = { type: 'split' as const, group, parts: filled, lift: lifted, forced: false };
  return work.take(operation, id);
}

/** Their parts with our children: as they parted them, what only we have where there is least. */
function partsHere(work: MergeWork, { parts }: Split, group: string) {
  const present = childrenOf(work.tree, group);
  const made = parts.map((part) => ({
    id: part.id,
    title: part.title,
    scope: getGroup(work.input.theirs, part.id)?.scope ?? '',
    children: childrenOf(work.input.theirs, part.id)
      .map((child) => work.ourLessonOf(child)?.id ?? work.ourGroup(child) ?? child)
      .filter((child, at, all) => present.includes(child) && all.indexOf(child) === at),
  }));
  const placed = new Set(made.flatMap(({ children }) => children));
  for (const child of present) {
    if (placed.has(child)) continue;
    const [least] = made.toSorted((one, other) => one.children.length - other.children.length);
    least?.children.push(child);
  }
  return made;
}

function reorganised(work: MergeWork, id: string, what: string): false {
  const message = `Groups around ${what} were reorganised there in a way that does not fit here.`;
  work.oppose({ reason: 'reorganised-there', message, theirs: id });
  return false;
}

/** Groups that went elsewhere there, and not here: no operation moves a group by itself. */
function listMovedGroups(
  work: MergeWork,
  nodes: readonly Difference<Node>[],
  structure: StructureChanges,
): void {
  for (const { key, before, after } of nodes) {
    if (before?.kind !== 'group' || after?.kind !== 'group') continue;
    const [from, to] = [before.parent, after.parent];
    if (from === to || from === null || to === null) continue;
    const ours = work.ourGroup(key);
    if (ours === null || getGroup(work.tree, ours)?.parent === work.ourGroup(to)) continue;
    if (!structure.explainsMove(from, to)) reorganised(work, key, `“${after.title}”`);
  }
}

/** Takes their titles and scopes of groups that both have. */
export function mergeTitles(work: MergeWork, nodes: readonly Difference<Node>[]): void {
  for (const { key, before, after } of nodes) {
    if (after?.kind !== 'group') {
      if (before?.kind === 'group') listGone(work, before);
      continue;
    }
    const id = work.ourGroup(key);
    const ours = id === null ? undefined : getGroup(work.tree, id);
    if (ours === undefined || saysSame(ours, after)) continue;
    const base = before?.kind === 'group' ? before : null;
    // Only a group of the same id was renamed; another was found by what it is called.
    if ((base !== null && saysSame(base, after)) || ours.id !== key) continue;
    const { title, scope } = after;
    const message = `“${title}” there is called “${ours.title}” here.`;
    const opposed = { reason: 'renamed-differently', message, theirs: key, ours: ours.id } as const;
    const isTaken = (base !== null && saysSame(base, ours)) || work.isForTheirs(opposed);
    if (isTaken) work.take({ type: 'revise-group', group: ours.id, title, scope }, key);
  }
}

function saysSame(first: Group, second: Group): boolean {
  return first.title === second.title && first.scope === second.scope;
}

/** A group that was taken back there, not merged or split, and still stands here. */
function listGone(work: MergeWork, { id, title }: Group): void {
  if (getGroup(work.tree, id) === undefined || resolve(work.input.theirs, id).length > 0) return;
  const message = `“${title}” was taken back there, and stands here.`;
  work.oppose({ reason: 'undone-there', message, theirs: id });
}
