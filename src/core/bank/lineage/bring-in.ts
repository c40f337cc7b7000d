import type { Lesson } from '../node.ts';
import { getLesson } from '../tree.ts';
import { activeSuccessor, yieldsToRetiring } from './lesson-standing.ts';
import type { MergeWork } from './merge-work.ts';

type Stand =
  { readonly type: 'add' | 'aside' } | { readonly type: 'revise'; readonly instead: Lesson };

/** A lesson that ours has in no form: added, or as the revision of what it revises. */
export function bringIn(work: MergeWork, theirs: Lesson, predecessor: Lesson | undefined): void {
  const { erasedHere, hold } = work.input;
  const { title } = theirs.content;
  const evidence = work.kept(theirs);
  const restsOnErased =
    evidence.length === 0 && (theirs.evidence.length > 0 || erasedHere.has(theirs.revises ?? ''));
  if (erasedHere.has(theirs.id) || restsOnErased) {
    const message = `“${title}” was erased here, and a merge does not bring it back.`;
    work.oppose({ reason: 'erased-here', message, theirs: theirs.id });
    return;
  }
  const id = work.idFor(theirs.id);
  if (id !== theirs.id) {
    const message = `The id of “${title}” is taken here: it comes under another.`;
    work.oppose({ reason: 'id-collision', message, theirs: theirs.id, ours: id });
  }
  work.isLesson(theirs.id, id);
  const trust = hold ? 'held' : theirs.trust;
  const lesson: Lesson = {
    ...theirs,
    id,
    parent: null,
    evidence: [...evidence],
    status: 'active',
    trust,
    revises: null,
  };
  const stand = standFor(work, theirs, predecessor);
  if (stand.type === 'revise') {
    const revision = { ...lesson, revises: stand.instead.id };
    work.take(
      { type: 'revise-lesson', predecessor: stand.instead.id, lesson: revision },
      theirs.id,
    );
  } else work.take({ type: 'add-lesson', lesson }, theirs.id);
  if (stand.type === 'aside') work.input.aside.add(theirs.id);
  const isOver = theirs.status === 'retired' && !work.revisions.has(theirs.id);
  if (stand.type !== 'aside' && !isOver) return;
  const reason = isOver ? 'retired in the bank that was merged in' : 'ours stands at a merge';
  work.take({ type: 'retire-lesson', lesson: id, reason }, theirs.id);
}

/** How a lesson of theirs comes in: by itself, in the stead of one of ours, or set aside. */
function standFor(work: MergeWork, theirs: Lesson, predecessor: Lesson | undefined): Stand {
  const { revises } = theirs;
  if (revises === null || predecessor === undefined) return { type: 'add' };
  // A line of revisions that was decided against comes in retired to its end.
  if (work.input.aside.has(revises)) return { type: 'aside' };
  const isEnd = !work.revisions.endsActive(theirs);
  const base = getLesson(work.input.base, revises) ?? null;
  if (predecessor.status === 'active') {
    if (isEnd && !yieldsToRetiring(work, base, predecessor)) return { type: 'aside' };
    return inStead(work, predecessor);
  }
  const successor = activeSuccessor(work.tree, predecessor.id);
  const { title } = predecessor.content;
  const opposed = { theirs: theirs.id, ours: (successor ?? predecessor).id, isOpen: true };
  if (successor === undefined) {
    // Retired before both went apart, theirs brought it back: ours says nothing against that.
    if (isEnd || base?.status === 'retired') return { type: 'add' };
    const message = `“${title}” was retired here and revised there.`;
    const choice = work.oppose({ reason: 'retired-here', message, ...opposed });
    return { type: choice === 'ours' ? 'aside' : 'add' };
  }
  const message = isEnd
    ? `“${title}” was revised here, and revised and retired there.`
    : `“${title}” was revised here and there, each otherwise.`;
  const reason = isEnd ? 'retired-there' : 'revised-differently';
  const choice = work.oppose({ reason, message, ...opposed });
  return choice === 'ours' ? { type: 'aside' } : inStead(work, successor);
}

/** In the stead of our lesson, or beside it where that is to stay. */
function inStead(work: MergeWork, ours: Lesson): Stand {
  return work.isActiveThere(ours.contentHash) || !work.mayDisplace(ours)
    ? { type: 'add' }
    : { type: 'revise', instead: ours };
}
