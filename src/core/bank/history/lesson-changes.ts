import type { Lesson, Node } from '../node.ts';
import { getLesson } from '../tree.ts';
import type { Compared, StructureChanges } from './structure-changes.ts';
import type { TreeChange } from './tree-change.ts';

/** What became of lessons between two trees. */
export function lessonChanges(
  compared: Compared,
  structure: StructureChanges,
): readonly TreeChange[] {
  const changes: TreeChange[] = [];
  const superseded = new Set<string>();
  for (const { before, after } of compared.nodes) {
    const [old, now] = [active(before), active(after)];
    if (now === null) continue;
    const predecessor = old === null ? activePredecessor(compared, now) : null;
    if (predecessor !== null) superseded.add(predecessor.id);
    changes.push(...activeChanges({ old, now, wasThere: before !== undefined }, predecessor));
    changes.push(...placeChanges(old ?? predecessor, now, structure));
  }
  for (const { before, after } of compared.nodes) {
    const old = active(before);
    if (old === null || active(after) !== null || superseded.has(old.id)) continue;
    const type = after === undefined ? 'lesson-remove' : 'lesson-retire';
    changes.push({ type, id: old.id, title: old.content.title });
  }
  return changes;
}

function active(node: Node | undefined): Lesson | null {
  return node?.kind === 'lesson' && node.status === 'active' ? node : null;
}

/** The lesson that was active before and that `lesson` follows, over any revisions in between. */
function activePredecessor({ before, after }: Compared, lesson: Lesson): Lesson | null {
  const seen = new Set<string>();
  for (let at = lesson.revises; at !== null && !seen.has(at);) {
    seen.add(at);
    const old = active(getLesson(before, at));
    const isStillActive = active(getLesson(after, at)) !== null;
    if (old !== null) return isStillActive ? null : old;
    at = getLesson(after, at)?.revises ?? null;
  }
  return null;
}

interface ActiveNow {
  readonly old: Lesson | null;
  readonly now: Lesson;
  readonly wasThere: boolean;
}

function activeChanges({ old, now, wasThere }: ActiveNow, predecessor: Lesson | null) {
  const { id, parent: under } = now;
  const { title } = now.content;
  if (predecessor !== null) {
    const was = { id: predecessor.id, title: predecessor.content.title };
    return [{ type: 'lesson-revise', id, title, predecessor: was } as const];
  }
  if (old === null) {
    return [{ type: wasThere ? 'lesson-return' : 'lesson-add', id, title, under } as const];
  }
  const changes: TreeChange[] = [];
  const gained = now.evidence.length - old.evidence.length;
  if (gained !== 0) changes.push({ type: 'lesson-support', id, title, gained });
  const { trust } = now;
  if (old.trust !== trust) changes.push({ type: 'lesson-trust', id, title, trust });
  return changes;
}

function placeChanges(
  old: Lesson | null,
  { id, content: { title }, parent: to }: Lesson,
  structure: StructureChanges,
): TreeChange[] {
  if (old === null || old.parent === to) return [];
  const from = old.parent;
  if (to === null) return from === null ? [] : [{ type: 'lesson-unplace', id, title, from }];
  if (from === null) return [{ type: 'lesson-place', id, title, under: to }];
  return structure.explainsMove(from, to) ? [] : [{ type: 'lesson-move', id, title, from, to }];
}
