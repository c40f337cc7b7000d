import { unreachable } from '../../result.ts';
import type { Actor, LogEntry, Operation, OperationType } from '../operation.ts';
import {
  stepOfEntries,
  stepsOf,
  stepTakenBack,
  takenBack,
  type StepEntries,
} from './taken-back.ts';

/** One maintenance step of a log, for a list of what happened. */
export interface StepSummary {
  readonly step: number;
  /** When its last entry was written, ISO 8601. */
  readonly at: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Who took part, in the order they came. */
  readonly actors: readonly Actor[];
  /** Operations by type; types that do not occur are left out. */
  readonly counts: Readonly<Partial<Record<OperationType, number>>>;
  /** "3 lessons added, 2 placed, 1 summary written". */
  readonly sentence: string;
  /** The step it takes back, where that is all it does: an undo, a redo, or a revert. */
  readonly reverts: number | null;
  /** The later step that took it back and still stands. */
  readonly revertedBy: number | null;
}

/** Every maintenance step of a log, oldest first. */
export function stepSummaries(log: readonly LogEntry[]): readonly StepSummary[] {
  const stepOfEntry = stepOfEntries(log);
  const taken = takenBack(log);
  const summaries = new Map<number, StepSummary>();
  for (const step of stepsOf(log)) {
    const { entries } = step;
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) continue;
    const reverts = stepTakenBack(step, stepOfEntry);
    const operations = entries.map(({ operation }) => operation);
    summaries.set(step.step, {
      step: step.step,
      at: last.at,
      firstSeq: first.seq,
      lastSeq: last.seq,
      actors: actorsOf(entries),
      counts: countsOf(operations),
      sentence: reverts === null ? sentenceOf(operations) : revertSentence(reverts, summaries),
      reverts,
      revertedBy: revertedBy(step, taken, stepOfEntry),
    });
  }
  return [...summaries.values()];
}

/** What operations did, in one line: "3 lessons added, 2 placed, 1 summary written". */
export function sentenceOf(operations: readonly Operation[]): string {
  const told = new Map<string, number>();
  for (const operation of operations) {
    const { what, count } = toldOf(operation);
    told.set(what, (told.get(what) ?? 0) + count);
  }
  const parts = [...told].map(([what, count], at) => {
    const [one = what, many = one] = what.split('|');
    if (count === 0) return one;
    // "3 lessons added, 2 placed", but "2 lessons placed" where that is all.
    const noun = what === 'placed' && at === 0 ? (count === 1 ? 'lesson ' : 'lessons ') : '';
    return `${count} ${noun}${count === 1 ? one : many}`;
  });
  return parts.join(', ');
}

/** How an operation is told: one|many, and how many; 0 where it is not counted. */
function toldOf(operation: Operation): { readonly what: string; readonly count: number } {
  switch (operation.type) {
    case 'add-lesson':
      return { what: 'lesson added|lessons added', count: 1 };
    case 'revise-lesson':
      return { what: 'lesson revised|lessons revised', count: 1 };
    case 'support-lesson':
      return { what: 'piece of evidence added|pieces of evidence added', count: 1 };
    case 'retire-lesson':
      return { what: 'lesson retired|lessons retired', count: 1 };
    case 'place':
      return { what: 'placed', count: operation.assignments.length };
    case 'merge':
      return { what: 'groups merged', count: operation.groups.length };
    case 'split':
      return { what: 'group split|groups split', count: 1 };
    case 'consolidate':
      return { what: 'summary written|summaries written', count: 1 };
    case 'record-outcome':
      return { what: 'outcome recorded|outcomes recorded', count: 1 };
    case 'settle-conflict':
      return { what: 'conflict settled|conflicts settled', count: 1 };
    case 'revise-group':
      return { what: 'group renamed|groups renamed', count: 1 };
    case 'set-trust':
      return operation.trust === 'trusted'
        ? { what: 'lesson trusted|lessons trusted', count: operation.lessons.length }
        : { what: 'lesson held|lessons held', count: operation.lessons.length };
    case 'erased':
      return { what: 'entry erased|entries erased', count: 1 };
    case 'erase':
      return { what: 'lesson erased|lessons erased', count: operation.lessons.length };
    case 'freeze':
      return { what: 'bank frozen', count: 0 };
    case 'unfreeze':
      return { what: 'bank unfrozen', count: 0 };
    case 'restore':
      return { what: 'record restored|records restored', count: operation.records.length };
    default:
      return unreachable(operation);
  }
}

/** An undo tells the step it takes back; a redo, the step that it brings back; and so on in turns. */
function revertSentence(reverts: number, known: ReadonlyMap<number, StepSummary>): string {
  let turns = 1;
  let original = known.get(reverts);
  for (; original !== undefined && original.reverts !== null; turns += 1) {
    original = known.get(original.reverts);
  }
  if (original === undefined) return `step ${reverts} taken back`;
  const what = turns % 2 === 1 ? 'taken back' : 'done again';
  return `step ${original.step} ${what} (${original.sentence})`;
}

function actorsOf(entries: readonly LogEntry[]): readonly Actor[] {
  const actors = new Map(entries.map(({ by }) => [`${by.kind}/${by.name}`, by]));
  return [...actors.values()];
}

function countsOf(operations: readonly Operation[]): Partial<Record<OperationType, number>> {
  const counts: Partial<Record<OperationType, number>> = {};
  for (const { type } of operations) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** Taken back whole: every entry that can be. What an erasure did stays done. */
function revertedBy(
  { entries }: StepEntries,
  taken: ReadonlyMap<number, number>,
  stepOfEntry: ReadonlyMap<number, number>,
): number | null {
  const revertible = entries.filter(
    ({ operation: { type } }) => type !== 'erase' && type !== 'erased',
  );
  const last = revertible.at(-1);
  if (last === undefined || !revertible.every(({ seq }) => taken.has(seq))) return null;
  return stepOfEntry.get(taken.get(last.seq) ?? 0) ?? null;
}
