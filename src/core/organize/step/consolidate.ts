import type { Lesson } from '../../bank/node.ts';
import { childrenOf, getGroup, getLesson, getNode, type Tree } from '../../bank/tree.ts';
import { sampleLessons } from '../group-views.ts';
import type { MaintainEvent } from '../maintain-event.ts';
import { rulesOrganizer } from '../rules-organizer.ts';
import type { Organizer } from '../organizer.ts';
import { consult } from './consult.ts';
import type { Means } from './make-room.ts';
import type { MaintenanceStep } from './maintenance-step.ts';

/** A summary is written from this many lessons at most, whatever lies below (cost rule, DESIGN.md §3). */
export const LESSONS_CONSOLIDATED = 48;

/**
 * Consolidates every group that changed, the deepest first, from trusted lessons alone; the rules stand
 * in where the organizer's summary is refused or missing.
 */
export async function* consolidateGroups(
  work: MaintenanceStep,
  { caller, signal }: Means,
): AsyncGenerator<MaintainEvent, void> {
  const budgetChars = work.tree.manifest.summaryBudgetChars;
  for (const id of work.changedGroups()) {
    const group = getGroup(work.tree, id);
    const lessons = bestSupported(work.tree, id);
    if (group === undefined || lessons.length < 2) continue;
    const input = { group, lessons, budgetChars };
    const shown = new Set(lessons.map((lesson) => lesson.id));
    const asked = { type: 'consolidate', group: id, lessons: shown } as const;
    const ask = (organizer: Organizer) => organizer.consolidate(input, caller);
    const consulted = yield* consult(work, { asked: 'consolidate', signal, ask });
    if (consulted !== null) {
      const event = work.propose(consulted.by, consulted.proposal, asked);
      yield event;
      if (event.type === 'operation-accept' || consulted.by === rulesOrganizer) continue;
    }
    // Every group that changed has a summary: where there is none, or none that holds, by the rules.
    const proposal = yield* ask(rulesOrganizer);
    if (proposal !== null) yield work.propose(rulesOrganizer, proposal, asked);
  }
}

/** Trusted lessons below a group, an equal share of each child's best supported. */
function bestSupported(tree: Tree, groupId: string): readonly Lesson[] {
  const children = childrenOf(tree, groupId);
  const share = Math.max(1, Math.floor(LESSONS_CONSOLIDATED / Math.max(1, children.length)));
  return children
    .flatMap((id) => mostEvidence(lessonsOfChild(tree, id)).slice(0, share))
    .slice(0, LESSONS_CONSOLIDATED);
}

/** A lesson itself; of a group what its summary rests on, for that was chosen from all below it. */
function lessonsOfChild(tree: Tree, id: string): readonly Lesson[] {
  const node = getNode(tree, id);
  if (node === undefined) return [];
  if (node.kind === 'lesson') return [node];
  return node.summary === null
    ? sampleLessons(tree, id, LESSONS_CONSOLIDATED)
    : node.summary.supportedBy.flatMap((lesson) => getLesson(tree, lesson) ?? []);
}

function mostEvidence(lessons: readonly Lesson[]): readonly Lesson[] {
  return lessons
    .filter(({ trust, status }) => trust === 'trusted' && status === 'active')
    .toSorted((first, second) => second.evidence.length - first.evidence.length);
}
