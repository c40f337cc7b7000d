import type { Evidence, Lesson } from '../../bank/node.ts';
import type { Operation } from '../../bank/operation.ts';
import { getLesson, lessonByContent, resolve, type Tree } from '../../bank/tree.ts';
import type { Refusal } from '../../result.ts';
import type { MaintainEvent } from '../maintain-event.ts';
import type { MaintenanceStep } from './maintenance-step.ts';

/** A lesson that the bank does not take, and why: it stays with whoever gave it. */
export interface NotTaken {
  readonly lesson: string;
  readonly refusal: Refusal;
}

/**
 * Takes accepted lessons and revisions into the bank, not yet placed. A lesson that says what another
 * does supports it; a revision (`revises` names its predecessor) takes its predecessor's place. Returns
 * what is not taken.
 */
export function* enter(
  work: MaintenanceStep,
  lessons: readonly Lesson[],
): Generator<MaintainEvent, readonly NotTaken[]> {
  const notTaken: NotTaken[] = [];
  for (const lesson of lessons) {
    for (const operation of entering(work.tree, lesson)) {
      const event = work.attempt(operation, 'accepted');
      yield event;
      if (event.type === 'proposal-refuse') {
        notTaken.push({ lesson: lesson.id, refusal: event.refusal });
        break;
      }
    }
  }
  return notTaken;
}

/** What takes a lesson in; nothing where it is known already. */
function entering(tree: Tree, lesson: Lesson): readonly Operation[] {
  const predecessor = lesson.revises === null ? undefined : successorOf(tree, lesson.revises);
  const same = lessonByContent(tree, lesson.contentHash);
  if (same !== undefined) {
    const supports = supporting(same, lesson);
    // Revised to what another lesson says: that one stands for both.
    return predecessor === undefined || predecessor.id === same.id
      ? supports
      : [
          ...supports,
          { type: 'retire-lesson', lesson: predecessor.id, reason: `${same.id} says the same` },
        ];
  }
  if (predecessor === undefined) {
    // What it revised is no more, so that it stands by itself.
    return [{ type: 'add-lesson', lesson: { ...lesson, parent: null, revises: null } }];
  }
  return [
    {
      type: 'revise-lesson',
      predecessor: predecessor.id,
      lesson: { ...lesson, parent: null, revises: predecessor.id },
    },
  ];
}

/** The active lesson that an id means now: itself, or the newest of those that revised it. */
function successorOf(tree: Tree, id: string): Lesson | undefined {
  return resolve(tree, id)
    .flatMap((known) => getLesson(tree, known) ?? [])
    .find(({ status }) => status === 'active');
}

function supporting(same: Lesson, { evidence }: Lesson): readonly Operation[] {
  return evidence
    .filter((one) => !same.evidence.some((known) => isSameSource(known, one)))
    .map((one) => ({ type: 'support-lesson', lesson: same.id, evidence: one }));
}

function isSameSource(first: Evidence, second: Evidence): boolean {
  return first.runId === second.runId && first.attempt === second.attempt;
}
