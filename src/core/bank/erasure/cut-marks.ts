import { hashJson, type Hash } from '../../canonical.ts';
import type { Evidence } from '../node.ts';
import type { LogEntry, Operation, Outcome } from '../operation.ts';
import { outcomeKey } from '../tree.ts';
import { loggedLessons } from './log-lessons.ts';

/**
 * What a tombstone keeps of evidence that was erased: the hash of its run and attempt, whose ids are
 * random, so that it says nothing of the task and is known again when a fork brings it back.
 */
export function evidenceMark({ runId, attempt }: Evidence): Hash {
  return hashJson({ evidence: [runId, attempt] });
}

/** The same of an outcome, by the retrieval it answers. */
export function outcomeMark(outcome: Outcome): Hash {
  return hashJson({ outcome: outcomeKey(outcome) });
}

/** The marks of all that a log holds of the tasks, ascending. */
export function cutMarks(log: readonly LogEntry[], tasks: ReadonlySet<string>): readonly Hash[] {
  if (tasks.size === 0) return [];
  const marks = new Set<Hash>();
  for (const { evidence } of loggedLessons(log).values()) {
    for (const item of evidence.values()) if (tasks.has(item.taskId)) marks.add(evidenceMark(item));
  }
  for (const { operation } of log) {
    for (const outcome of outcomesIn(operation)) {
      if (tasks.has(outcome.taskId)) marks.add(outcomeMark(outcome));
    }
  }
  return [...marks].sort();
}

function outcomesIn(operation: Operation): readonly Outcome[] {
  if (operation.type === 'record-outcome') return [operation.outcome];
  if (operation.type !== 'restore') return [];
  return operation.records.flatMap((record) =>
    record.table === 'outcome' ? [record.from, record.to].filter((one) => one !== null) : [],
  );
}
