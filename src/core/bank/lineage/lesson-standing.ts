import type { Lesson } from '../node.ts';
import { getLesson, outcomeKey, outcomesOf, resolve, type Tree } from '../tree.ts';
import { isSameJson } from '../same-json.ts';
import type { MergeWork } from './merge-work.ts';

/** What theirs did to a lesson since the ancestor, beside what became of it here. */
export interface Met {
  readonly base: Lesson | null;
  readonly theirs: Lesson;
  readonly ours: Lesson;
}

/** Their evidence that is new since the ancestor, and not here yet. */
export function freshEvidence(work: MergeWork, { base, theirs, ours }: Met) {
  const same = (first: { runId: string; attempt: number }) => (second: typeof first) =>
    first.runId === second.runId && first.attempt === second.attempt;
  return work.kept(theirs).filter((evidence) => {
    if (base?.evidence.some(same(evidence)) === true) return false;
    const known = ours.evidence.find(same(evidence));
    if (known !== undefined && !isSameJson(known, evidence)) {
      const message = `An attempt is evidence for “${theirs.content.title}” in two ways; ours stands.`;
      const about = `${theirs.id}/${evidence.runId}/${evidence.attempt}`;
      work.oppose({
        reason: 'recorded-differently',
        message,
        theirs: about,
        ours: ours.id,
      });
    }
    return known === undefined;
  });
}

/** Whether theirs has evidence or outcomes of its own for a lesson since the ancestor. */
export function isBackedThere(work: MergeWork, lesson: Lesson): boolean {
  const { base, ours, theirs } = work.input;
  const kept = { ...lesson, evidence: [...work.kept(lesson)] };
  return isBacked({ lesson: kept, of: theirs, beyond: [base, ours] });
}

/** Whether our lesson gives way to their retiring it: where ours did nothing for it, or by choice. */
export function yieldsToRetiring(work: MergeWork, base: Lesson | null, ours: Lesson): boolean {
  const here = getLesson(work.input.ours, ours.id);
  if (here === undefined) return true;
  const { input } = work;
  const isUntouched =
    work.mayDisplace(here) &&
    base?.id === here.id &&
    base.status === here.status &&
    !isBacked({ lesson: here, of: input.ours, beyond: [input.base, input.theirs] });
  if (isUntouched) return true;
  const message = `“${ours.content.title}” was retired there, and ours still goes by it.`;
  const theirs = base?.id ?? ours.id;
  return work.isForTheirs({ reason: 'retired-there', message, theirs, ours: ours.id });
}

/** Retires a lesson of ours, unless theirs goes by the same content elsewhere. */
export function retireLesson(work: MergeWork, { id, contentHash }: Lesson, reason: string): void {
  if (work.isActiveThere(contentHash)) return;
  work.take({ type: 'retire-lesson', lesson: id, reason }, id);
}

/** Whether a tree has evidence or outcomes for a lesson that the other trees have not. */
function isBacked({
  lesson: { id, evidence },
  of,
  beyond,
}: {
  readonly lesson: Lesson;
  readonly of: Tree;
  readonly beyond: readonly Tree[];
}): boolean {
  const key = (item: { readonly runId: string; readonly attempt: number }) =>
    `${item.runId}/${item.attempt}`;
  const known = new Set(beyond.flatMap((tree) => getLesson(tree, id)?.evidence.map(key) ?? []));
  return (
    evidence.some((item) => !known.has(key(item))) ||
    outcomesOf(of, id).some((outcome) =>
      beyond.every((tree) => !tree.outcomes.has(outcomeKey(outcome))),
    )
  );
}

/** The active lesson that stands for a retired one now. */
export function activeSuccessor(tree: Tree, id: string): Lesson | undefined {
  if (!tree.aliases.has(id)) return undefined;
  return resolve(tree, id)
    .map((each) => getLesson(tree, each))
    .find((lesson) => lesson?.status === 'active');
}
