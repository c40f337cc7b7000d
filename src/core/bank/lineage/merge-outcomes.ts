import { outcomeMark } from '../erasure/cut-marks.ts';
import type { Outcome } from '../operation.ts';
import { isSameJson } from '../same-json.ts';
import { getGroup, getLesson, outcomeKey, resolve } from '../tree.ts';
import type { MergeWork } from './merge-work.ts';

/** Takes what later tasks came to there. */
export function mergeOutcomes(work: MergeWork): void {
  const { base, theirs } = work.input;
  const changed = theirs.outcomes
    .differencesFrom(base.outcomes)
    .toSorted((first, second) => (first.key < second.key ? -1 : 1));
  for (const { key, before, after } of changed) {
    if (isSameJson(before, after)) continue;
    if (after !== undefined) takeOutcome(work, key, after);
    else if (work.tree.outcomes.has(key)) {
      const message = 'An outcome was taken back there, and stands here.';
      work.oppose({ reason: 'undone-there', message, theirs: key });
    }
  }
}

function takeOutcome(work: MergeWork, key: string, theirs: Outcome): void {
  if (work.input.cutHere.has(outcomeMark(theirs))) {
    const message = 'An outcome there was erased here, and a merge does not bring it back.';
    work.oppose({ reason: 'erased-here', message, theirs: key });
    return;
  }
  const nodeId = ourNode(work, theirs.nodeId);
  if (nodeId === null) {
    const message = 'An outcome there speaks of something that is not here.';
    work.oppose({ reason: 'names-nothing-here', message, theirs: key });
    return;
  }
  const outcome = { ...theirs, nodeId };
  const own = outcomeKey(outcome);
  const known = work.tree.outcomes.get(own);
  if (known === undefined) work.take({ type: 'record-outcome', outcome }, key);
  else if (isSameJson(known, outcome)) work.alreadyThere += 1;
  else {
    const message = 'One retrieval came to one thing here and to another there.';
    if (!work.isForTheirs({ reason: 'recorded-differently', message, theirs: key, ours: own }))
      return;
    const record = { table: 'outcome' as const, id: own, from: known, to: outcome };
    work.take({ type: 'restore', of: null, records: [record] }, key);
  }
}

/** Which node of ours one of theirs is, or what its id has come to. */
function ourNode(work: MergeWork, id: string): string | null {
  const { theirs } = work.input;
  if (getLesson(theirs, id) !== undefined) return work.ourLessonOf(id)?.id ?? null;
  if (getGroup(theirs, id) !== undefined) return work.ourGroup(id);
  if (work.tree.nodes.has(id)) return id;
  const [only, ...more] = resolve(work.tree, id);
  return only === undefined || more.length > 0 ? null : only;
}
