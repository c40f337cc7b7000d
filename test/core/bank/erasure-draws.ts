import { applyOperation } from '../../../src/core/bank/apply.ts';
import { lessonContentHash, type Lesson } from '../../../src/core/bank/node.ts';
import type { LogEntry, Operation } from '../../../src/core/bank/operation.ts';
import { activeLessons, emptyTree, type Tree } from '../../../src/core/bank/tree.ts';
import { manifest, operationOf, person, type Draw } from './draws.ts';
import { evidenceOf } from './material.ts';
import { withStep } from './logs.ts';

/** A text that only the lesson of that id says. */
export const markerOf = (id: string) => `Whisper of ${id}.`;

export const TASKS = ['task-0', 'task-1', 'task-2', 'task-3'] as const;
const taskOf = (pick = 0) => TASKS[pick % TASKS.length] ?? 'task-0';
/** A pick of n, 0 where the draw has none. */
const at = (draw: Draw, n: number) => draw.picks[n] ?? 0;

/**
 * A log grown by draws: what `operationOf` asks, with texts of their own, evidence of four tasks, and
 * titles, summaries and reasons that quote lessons; and what that leaves out: support, trust, settled
 * conflicts, other titles, outcomes of lessons, and inverses of entries that came long before.
 */
export function drawnHistory(drawn: readonly Draw[]): readonly LogEntry[] {
  let tree = emptyTree(manifest);
  let log: readonly LogEntry[] = [];
  const inverses: Operation[] = [];
  drawn.forEach((draw, turn) => {
    const operation = richOperation(tree, draw, { turn, inverses });
    const applied = applyOperation(tree, operation, person);
    if (!applied.ok) return;
    ({ tree } = applied.value);
    const seq = log.length + 1;
    log = withStep(log, [operation], person);
    const { inverse } = applied.value;
    if (inverse?.type === 'restore') inverses.push({ ...inverse, of: seq });
  });
  return log;
}

function richOperation(
  tree: Tree,
  draw: Draw,
  { turn, inverses }: { readonly turn: number; readonly inverses: readonly Operation[] },
): Operation {
  const lessons = [...activeLessons(tree)].map(({ id }) => id).sort();
  const lesson = lessons[at(draw, 0) % Math.max(1, lessons.length)] ?? 'none';
  const extra = at(draw, 4) % 20;
  const summaries = [...tree.nodes.entries()].flatMap(([, node]) =>
    node.kind === 'group' && node.summary !== null ? [{ ...node, summary: node.summary }] : [],
  );
  const group = summaries[at(draw, 1) % Math.max(1, summaries.length)];
  const conflict = group?.summary.conflicts[0];
  switch (extra) {
    case 0:
    case 1:
      return {
        type: 'support-lesson',
        lesson,
        evidence: evidenceOf(taskOf(at(draw, 2)), { runId: `support-${turn}` }),
      };
    case 2:
      return {
        type: 'set-trust',
        lessons: lessons.slice(0, 3),
        trust: turn % 2 ? 'held' : 'trusted',
      };
    case 3:
    case 4:
    case 5:
      return inverses.at(-1 - (at(draw, 2) % 3)) ?? { type: 'erased', was: 'place' };
    case 6:
      if (group === undefined || conflict === undefined) break;
      return {
        type: 'settle-conflict',
        group: group.id,
        lessons: conflict.lessons,
        settled: 'both',
      };
    case 7:
      if (group === undefined) break;
      return {
        type: 'revise-group',
        group: group.id,
        title: `About ${markerOf(lesson)}`,
        scope: '',
      };
    case 8: {
      const retrievalId = `retrieval-${turn}`;
      const outcome = { retrievalId, nodeId: lesson, taskId: taskOf(at(draw, 2)) } as const;
      return {
        type: 'record-outcome',
        outcome: { ...outcome, result: 'failure', strength: 'judged' },
      };
    }
  }
  return withTexts(operationOf(tree, draw, turn), draw, lesson);
}

/** Texts that can be told, and evidence, in place of the plain ones. */
function withTexts(operation: Operation, draw: Draw, quoted: string): Operation {
  switch (operation.type) {
    case 'add-lesson':
    case 'revise-lesson':
      return { ...operation, lesson: toldLesson(operation.lesson, draw) };
    case 'retire-lesson':
      return { ...operation, reason: `Worse than “${markerOf(operation.lesson)}”` };
    case 'place': {
      const groups = operation.groups.map((group) => ({
        ...group,
        scope: at(draw, 3) % 3 === 0 ? markerOf(quoted).toUpperCase() : '',
      }));
      return { ...operation, groups };
    }
    case 'consolidate': {
      const { text, ...summary } = operation.summary;
      const said = at(draw, 2) % 4 === 0 ? `${text}: ${markerOf(quoted)}` : text;
      return { ...operation, summary: { text: said, ...summary } };
    }
    default:
      return operation;
  }
}

function toldLesson(lesson: Lesson, draw: Draw): Lesson {
  const content = {
    ...lesson.content,
    title: markerOf(lesson.id),
    guidance: `Do ${markerOf(lesson.id)}`,
  };
  const evidence = [evidenceOf(taskOf(at(draw, 2)), { runId: `run-${lesson.id}` })];
  return {
    ...lesson,
    content,
    contentHash: lessonContentHash(content),
    evidence: at(draw, 3) % 4 === 0 && lesson.revises !== null ? [] : evidence,
  };
}
