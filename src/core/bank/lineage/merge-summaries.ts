import { restsBelow } from '../invariants.ts';
import type { Conflict, Group, Node, Summary } from '../node.ts';
import type { Difference } from '../persistent-map.ts';
import { isSameJson } from '../same-json.ts';
import { getGroup } from '../tree.ts';
import type { MergeWork } from './merge-work.ts';

/** A group's summary at the ancestor, there, and here. */
interface Summaries {
  readonly base: Summary | null;
  /** Theirs, its lessons named as ours names them. */
  readonly theirs: Summary;
  readonly ours: Group;
  /** The group's id there. */
  readonly id: string;
}

/**
 * Takes their summaries and what they settled. A summary that rests on something that is not here is
 * not taken. Returns our groups whose summary is void, or was not taken for that: they are to be
 * consolidated anew.
 */
export function mergeSummaries(
  work: MergeWork,
  nodes: readonly Difference<Node>[],
): readonly string[] {
  const anew = new Set<string>();
  for (const { key, before, after } of nodes) {
    const base = before?.kind === 'group' ? before.summary : null;
    const summary = after?.kind === 'group' ? after.summary : null;
    if (summary === null || isSameJson(base, summary)) continue;
    const id = work.ourGroup(key);
    const ours = id === null ? undefined : getGroup(work.tree, id);
    if (ours === undefined) {
      const title = after?.kind === 'group' ? after.title : key;
      const message = `The group “${title}” with its summary is not here.`;
      work.oppose({ reason: 'names-nothing-here', message, theirs: `${key}/summary` });
      continue;
    }
    const theirs = named(work, summary);
    if (theirs !== null && restsBelow(work.tree, { ...ours, summary: theirs })) {
      if (!takeSummary(work, { base, theirs, ours, id: key })) anew.add(ours.id);
      continue;
    }
    const message = `Their summary of “${ours.title}” rests on lessons that are not below it here.`;
    work.oppose({ reason: 'summary-unsupported', message, theirs: key, ours: ours.id });
    anew.add(ours.id);
  }
  for (const { key, before, after } of work.tree.nodes.differencesFrom(work.input.ours.nodes)) {
    const isVoid = after?.kind === 'group' && after.summary === null;
    if (isVoid && before?.kind === 'group' && before.summary !== null) anew.add(key);
  }
  return [...anew].filter((id) => getGroup(work.tree, id)?.summary === null).toSorted();
}

/** Their summary with our ids; null where it names a lesson that ours has not. */
function named(work: MergeWork, summary: Summary): Summary | null {
  const own = (id: string) => work.ourLessonOf(id)?.id;
  const supportedBy: string[] = [];
  for (const id of summary.supportedBy) {
    const lesson = own(id);
    if (lesson === undefined) return null;
    if (!supportedBy.includes(lesson)) supportedBy.push(lesson);
  }
  const conflicts: Conflict[] = [];
  for (const conflict of summary.conflicts) {
    const [first, second] = [own(conflict.lessons[0]), own(conflict.lessons[1])];
    if (first === undefined || second === undefined || first === second) return null;
    const { settled } = conflict;
    const isLesson = settled !== null && settled !== 'both';
    const ownSettled = isLesson ? (own(settled) ?? null) : settled;
    conflicts.push({ ...conflict, lessons: [first, second], settled: ownSettled });
  }
  return { ...summary, supportedBy, conflicts };
}

/** false where a rule refuses it: then it is to be written anew. */
function takeSummary(work: MergeWork, summaries: Summaries): boolean {
  const { base, theirs, ours, id } = summaries;
  if (ours.summary !== null && saysSame(ours.summary, theirs)) {
    for (const conflict of theirs.conflicts) settle(work, summaries, conflict);
    return true;
  }
  if (base !== null && saysSame(base, theirs)) {
    // Theirs only settled something; the words are of the ancestor.
    for (const conflict of theirs.conflicts) settle(work, summaries, conflict);
    return true;
  }
  if (ours.summary !== null && !isSameJson(ours.summary, base)) {
    const message = `“${ours.title}” was summarised here and there, each otherwise.`;
    if (
      !work.isForTheirs({
        reason: 'summarised-differently',
        message,
        theirs: id,
        ours: ours.id,
      })
    )
      return true;
  }
  const tree = work.tree;
  work.take({ type: 'consolidate', group: ours.id, summary: theirs }, id);
  return work.tree !== tree;
}

/** The same words and support, whatever is settled. */
function saysSame(first: Summary, second: Summary): boolean {
  const unsettled = ({ conflicts, ...rest }: Summary) => ({
    ...rest,
    conflicts: conflicts.map(({ lessons, about }) => ({ lessons, about })),
  });
  return isSameJson(unsettled(first), unsettled(second));
}

function settle(work: MergeWork, { base, ours, id }: Summaries, theirs: Conflict): void {
  const { settled, lessons, about } = theirs;
  const same = (conflict: Conflict) => conflict.lessons.every((lesson) => lessons.includes(lesson));
  const before = base?.conflicts.find(same)?.settled ?? null;
  if (settled === null || settled === before) return;
  const group = getGroup(work.tree, ours.id);
  const known = group?.summary?.conflicts.find(same);
  const names = lessons.toSorted().join('/');
  if (known === undefined) {
    const message = `A conflict about “${about}” was settled there; here no summary names it.`;
    work.oppose({ reason: 'names-nothing-here', message, theirs: `${id}/${names}` });
    return;
  }
  if (known.settled === settled) {
    work.alreadyThere += 1;
    return;
  }
  const message = `The conflict about “${about}” was settled here and there, each otherwise.`;
  const opposed = { reason: 'settled-differently', message, ours: ours.id } as const;
  const isTaken =
    known.settled === before ||
    work.oppose({ ...opposed, theirs: `${id}/${names}`, isOpen: true }) === 'theirs';
  if (isTaken) {
    work.take({ type: 'settle-conflict', group: ours.id, lessons: known.lessons, settled }, id);
  }
}
