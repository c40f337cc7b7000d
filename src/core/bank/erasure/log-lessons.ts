import type { Evidence, Lesson, LessonContent, Node } from '../node.ts';
import type { LogEntry, Operation } from '../operation.ts';

/** All that a log says of one lesson id, over all its states. */
export interface LoggedLesson {
  readonly id: string;
  /** By content hash. */
  readonly contents: Map<string, LessonContent>;
  /** By run and attempt; what was there once and went counts too. */
  readonly evidence: Map<string, Evidence>;
  /** The lessons it revises: one at most in a log that Grove wrote. */
  readonly revises: Set<string>;
}

/** Every lesson that a log names with its content, by id. */
export function loggedLessons(log: readonly LogEntry[]): ReadonlyMap<string, LoggedLesson> {
  const lessons = new Map<string, LoggedLesson>();
  const support: { readonly lesson: string; readonly evidence: Evidence }[] = [];
  for (const { operation } of log) {
    for (const lesson of lessonsOf(operation)) {
      const { id, content, contentHash, evidence, revises } = lesson;
      const known = lessons.get(id) ?? none(id);
      lessons.set(id, known);
      known.contents.set(contentHash, content);
      if (revises !== null) known.revises.add(revises);
      for (const item of evidence) known.evidence.set(sourceOf(item), item);
    }
    if (operation.type === 'support-lesson') support.push(operation);
  }
  for (const { lesson, evidence } of support) {
    lessons.get(lesson)?.evidence.set(sourceOf(evidence), evidence);
  }
  return lessons;
}

/** Hashes of the crops that a log names, and of the images they were cut from. */
export function loggedImages(log: readonly LogEntry[]): ReadonlySet<string> {
  const images = new Set<string>();
  for (const { operation } of log) {
    for (const { content } of lessonsOf(operation)) {
      if (content.crop === null) continue;
      images.add(content.crop.hash).add(content.crop.sourceHash);
    }
  }
  return images;
}

/** Every state of a lesson that an operation holds. */
function lessonsOf(operation: Operation): readonly Lesson[] {
  if (operation.type === 'add-lesson' || operation.type === 'revise-lesson') {
    return [operation.lesson];
  }
  if (operation.type !== 'restore') return [];
  const nodes: (Node | null)[] = operation.records.flatMap((record) =>
    record.table === 'node' ? [record.from, record.to] : [],
  );
  return nodes.filter((node) => node?.kind === 'lesson');
}

function none(id: string): LoggedLesson {
  return { id, contents: new Map(), evidence: new Map(), revises: new Set() };
}

function sourceOf({ runId, attempt, taskId }: Evidence): string {
  return `${taskId}/${runId}/${attempt}`;
}

/** Whether a log holds evidence or an outcome of any of the tasks. */
export function namesTask(log: readonly LogEntry[], tasks: ReadonlySet<string>): boolean {
  const isOne = (item: { readonly taskId: string } | null) =>
    item !== null && tasks.has(item.taskId);
  return log.some(({ operation }) => {
    if (operation.type === 'support-lesson') return isOne(operation.evidence);
    if (operation.type === 'record-outcome') return isOne(operation.outcome);
    if (lessonsOf(operation).some(({ evidence }) => evidence.some(isOne))) return true;
    return (
      operation.type === 'restore' &&
      operation.records.some(
        (record) => record.table === 'outcome' && (isOne(record.from) || isOne(record.to)),
      )
    );
  });
}

/** Ids of the lessons of a log that have one of the ids, or one of the contents. */
export function sameLessons(
  log: readonly LogEntry[],
  { ids, contents }: { readonly ids: ReadonlySet<string>; readonly contents: ReadonlySet<string> },
): readonly string[] {
  return [...loggedLessons(log).values()]
    .filter((one) => ids.has(one.id) || [...one.contents.keys()].some((hash) => contents.has(hash)))
    .map(({ id }) => id);
}
