import type { Lesson } from '../node.ts';
import {
  activeSuccessor,
  freshEvidence,
  isBackedThere,
  retireLesson,
  yieldsToRetiring,
  type Met,
} from './lesson-standing.ts';
import type { MergeWork } from './merge-work.ts';

/** Takes what theirs did to a lesson that ours has too: evidence, retirement, return, trust. */
export function meetLesson(work: MergeWork, met: Met): void {
  const { base, theirs, ours } = met;
  const fresh = freshEvidence(work, met);
  if (ours.status === 'active') {
    for (const evidence of fresh) {
      work.take({ type: 'support-lesson', lesson: ours.id, evidence }, theirs.id);
    }
    if (theirs.status === 'retired') retiredThere(work, met);
    else if (fresh.length === 0) work.alreadyThere += 1;
    takeTrust(work, met);
    return;
  }
  if (work.input.aside.has(theirs.id)) return;
  const successor = activeSuccessor(work.tree, ours.id);
  if (theirs.status === 'retired') bothRetired(work, met, successor);
  else if (base?.status === 'retired' && successor === undefined) bringBack(work, met);
  else if (successor === undefined && (base === null || isBackedThere(work, theirs))) {
    const message = `“${theirs.content.title}” was retired here, and theirs still has it.`;
    if (
      work.isForTheirs({
        reason: 'retired-here',
        message,
        theirs: theirs.id,
        ours: ours.id,
      })
    )
      bringBack(work, met);
  } else if (successor !== undefined && fresh.length > 0) {
    revisedHere(work, met, successor);
  } else work.alreadyThere += 1;
}

/** Ours replaced the text that their new evidence is for; theirs: it counts for the new one. */
function revisedHere(work: MergeWork, met: Met, successor: Lesson): void {
  const { theirs, ours } = met;
  const fresh = freshEvidence(work, { ...met, ours: successor }).filter(
    ({ runId, attempt }) =>
      !ours.evidence.some((known) => known.runId === runId && known.attempt === attempt),
  );
  if (fresh.length === 0) return;
  const message = `“${theirs.content.title}” was revised here, and theirs has new evidence for it.`;
  if (
    !work.isForTheirs({
      reason: 'revised-here',
      message,
      theirs: theirs.id,
      ours: successor.id,
    })
  )
    return;
  for (const evidence of fresh) {
    work.take({ type: 'support-lesson', lesson: successor.id, evidence }, theirs.id);
  }
}

function retiredThere(work: MergeWork, { base, theirs, ours }: Met): void {
  if (base?.status === 'retired' || work.revisions.has(theirs.id)) return;
  if (work.isActiveThere(theirs.contentHash)) return;
  if (yieldsToRetiring(work, base, ours)) {
    retireLesson(work, ours, 'retired in the bank that was merged in');
  }
}

/** Both gave up the same text, and ours has another in its stead. */
function bothRetired(work: MergeWork, met: Met, successor: Lesson | undefined): void {
  const { base, theirs } = met;
  keepEvidence(work, met);
  const isNews = base?.status !== 'retired' && !work.revisions.has(theirs.id);
  if (successor === undefined || !isNews || work.isActiveThere(successor.contentHash)) {
    work.alreadyThere += 1;
    return;
  }
  const message = `“${theirs.content.title}” was retired there and revised here.`;
  if (
    work.isForTheirs({
      reason: 'retired-there',
      message,
      theirs: theirs.id,
      ours: successor.id,
    })
  ) {
    retireLesson(work, successor, 'retired in the bank that was merged in');
  }
}

/** Evidence of a text that neither goes by any more stays with its record. */
function keepEvidence(work: MergeWork, met: Met): void {
  const { theirs, ours } = met;
  const fresh = freshEvidence(work, met);
  if (fresh.length === 0) return;
  const to: Lesson = { ...ours, evidence: [...ours.evidence, ...fresh] };
  const record = { table: 'node' as const, id: ours.id, from: ours, to };
  work.take({ type: 'restore', of: null, records: [record] }, theirs.id);
}

/** Active again, without a place, and what stands for its id no longer does. */
function bringBack(work: MergeWork, { theirs, ours, ...met }: Met): void {
  const { aliases } = work.tree;
  const former = aliases.get(ours.id);
  const to: Lesson = { ...ours, status: 'active', parent: null };
  const records = [{ table: 'node' as const, id: ours.id, from: ours, to }];
  const unaliased =
    former === undefined
      ? []
      : [{ table: 'alias' as const, id: ours.id, from: [...former], to: null }];
  const restore = { type: 'restore' as const, of: null, records: [...records, ...unaliased] };
  if (!work.take(restore, theirs.id)) return;
  for (const evidence of freshEvidence(work, { ...met, theirs, ours })) {
    work.take({ type: 'support-lesson', lesson: ours.id, evidence }, theirs.id);
  }
}

function takeTrust(work: MergeWork, { base, theirs, ours }: Met): void {
  if (theirs.status === 'retired' || theirs.trust === ours.trust) return;
  if (base !== null && base.trust === theirs.trust) return;
  const { hold } = work.input;
  // A lesson of a bank on trial waits for review, whatever that bank says of it.
  if (hold && base === null && theirs.trust === 'trusted') return;
  const mayTake = base !== null && !(hold && theirs.trust === 'trusted');
  const message = `“${theirs.content.title}” is ${theirs.trust} there and ${ours.trust} here.`;
  const opposed = { reason: 'trust-differs', message, theirs: theirs.id, ours: ours.id } as const;
  if (!mayTake && !work.isForTheirs(opposed)) return;
  work.take({ type: 'set-trust', lessons: [ours.id], trust: theirs.trust }, theirs.id);
}
