import type { Lesson, Node } from '../node.ts';
import type { Difference } from '../persistent-map.ts';
import { isSameJson } from '../same-json.ts';
import { getLesson } from '../tree.ts';
import { bringIn } from './bring-in.ts';
import { retireLesson } from './lesson-standing.ts';
import { meetLesson } from './meet-lesson.ts';
import type { MergeWork } from './merge-work.ts';

/**
 * Takes their lessons, revisions, evidence, retirements and trust. A lesson of the same content is one
 * lesson; no content of theirs is lost, even where ours stands against it: then it comes in retired.
 */
export function mergeLessons(work: MergeWork, differences: readonly Difference<Node>[]): void {
  const changed = differences.flatMap(({ before, after }) =>
    after?.kind === 'lesson' ? [{ base: before?.kind === 'lesson' ? before : null, after }] : [],
  );
  for (const { before, after } of differences) {
    if (before?.kind === 'lesson' && after === undefined) removedThere(work, before);
  }
  const ordered = work.revisions.inOrder(changed.map(({ after }) => after));
  const bases = new Map(changed.map(({ base, after }) => [after.id, base]));
  for (const theirs of ordered) take(work, bases.get(theirs.id) ?? null, theirs);
}

function take(work: MergeWork, base: Lesson | null, theirs: Lesson): void {
  const ours = work.ourLesson(theirs);
  const predecessor = predecessorOf(work, theirs);
  if (base !== null && ours === undefined) {
    missingHere(work, base, theirs);
  } else if (ours === undefined || isRevisedBack(work, theirs, ours, predecessor)) {
    bringIn(work, theirs, predecessor);
  } else {
    work.isLesson(theirs.id, ours.id);
    supersede(work, theirs, predecessor, ours);
    meetLesson(work, { base, theirs, ours });
  }
}

/** A revision back to a text that was given up before is a lesson of its own. */
function isRevisedBack(
  work: MergeWork,
  theirs: Lesson,
  ours: Lesson,
  predecessor: Lesson | undefined,
): boolean {
  const isNew = getLesson(work.input.ours, theirs.id) === undefined;
  return isNew && ours.status === 'retired' && predecessor?.status === 'active';
}

function predecessorOf(work: MergeWork, { revises }: Lesson): Lesson | undefined {
  return revises === null ? undefined : work.ourLessonOf(revises);
}

/** Theirs revised a lesson into what ours has as another: the older one goes. */
function supersede(
  work: MergeWork,
  theirs: Lesson,
  predecessor: Lesson | undefined,
  ours: Lesson,
): void {
  if (predecessor?.status !== 'active' || predecessor.id === ours.id) return;
  if (theirs.status === 'retired' && !work.revisions.endsActive(theirs)) return;
  if (!work.mayDisplace(predecessor)) return;
  retireLesson(work, predecessor, 'superseded by a revision that was merged in');
}

/** Both had it, theirs changed it, and here it is gone. */
function missingHere(work: MergeWork, base: Lesson, theirs: Lesson): void {
  if (work.input.erasedHere.has(base.id) || theirs.status === 'retired') {
    const message = `“${theirs.content.title}” was erased here, and a merge does not bring it back.`;
    if (theirs.status === 'active') {
      work.oppose({ reason: 'erased-here', message, theirs: theirs.id });
    }
    return;
  }
  const message = `Adding “${theirs.content.title}” was taken back here, and theirs goes on with it.`;
  if (work.isForTheirs({ reason: 'removed-here', message, theirs: theirs.id })) {
    bringIn(work, { ...theirs, revises: null }, undefined);
  }
}

/** Both had it, and there it is gone: erased, or its adding taken back. */
function removedThere(work: MergeWork, base: Lesson): void {
  const ours = getLesson(work.tree, base.id);
  if (ours?.status !== 'active') return;
  if (work.isActiveThere(ours.contentHash)) return;
  const isErased = work.input.erasedThere.has(base.id);
  const what = isErased ? 'was erased there' : 'was taken back there';
  const isUntouched =
    work.mayDisplace(ours) && isSameJson({ ...ours, parent: null }, { ...base, parent: null });
  if (isErased || !isUntouched) {
    const reason = isErased ? 'erased-there' : 'removed-there';
    const message = `“${base.content.title}” ${what}, and ours still has it.`;
    if (!work.isForTheirs({ reason, message, theirs: base.id, ours: ours.id })) return;
  }
  retireLesson(work, ours, `${what}: a merge`);
}
