import type { LogEntry } from '../operation.ts';

/** Entries of one maintenance step, in order. */
export interface StepEntries {
  readonly step: number;
  readonly entries: readonly LogEntry[];
}

/** A log cut where its maintenance step changes. */
export function stepsOf(log: readonly LogEntry[]): readonly StepEntries[] {
  const steps: { readonly step: number; readonly entries: LogEntry[] }[] = [];
  for (const entry of log) {
    const last = steps.at(-1);
    if (last?.step === entry.step) last.entries.push(entry);
    else steps.push({ step: entry.step, entries: [entry] });
  }
  return steps;
}

/**
 * Which entries do not stand any more, and the number of the restore that took each back. A restore
 * that was taken back itself takes nothing back.
 */
export function takenBack(log: readonly LogEntry[]): ReadonlyMap<number, number> {
  const taken = new Map<number, number>();
  for (const { seq, operation } of log.toReversed()) {
    if (operation.type !== 'restore' || operation.of === null || taken.has(seq)) continue;
    if (!taken.has(operation.of)) taken.set(operation.of, seq);
  }
  return taken;
}

/**
 * The step that a step takes back: all it does is restore entries of that one; else null. A restore
 * that an erasure emptied does nothing.
 */
export function stepTakenBack(
  { entries }: StepEntries,
  stepOfEntry: ReadonlyMap<number, number>,
): number | null {
  let target: number | null = null;
  for (const { operation } of entries) {
    if (operation.type === 'erased' && operation.was === 'restore') continue;
    if (operation.type !== 'restore' || operation.of === null) return null;
    const step = stepOfEntry.get(operation.of);
    if (step === undefined || (target !== null && target !== step)) return null;
    target = step;
  }
  return target;
}

/** The maintenance step of each entry, by the entry's number. */
export function stepOfEntries(log: readonly LogEntry[]): ReadonlyMap<number, number> {
  return new Map(log.map(({ seq, step }) => [seq, step]));
}
