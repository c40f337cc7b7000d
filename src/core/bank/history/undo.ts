import type { LogEntry } from '../operation.ts';
import { stepOfEntries, stepsOf, stepTakenBack, type StepEntries } from './taken-back.ts';

/** What the next redo does: reverts the step `undo`, which brings `step` back. */
export interface RedoTarget {
  readonly undo: number;
  readonly step: number;
}

/**
 * The maintenance step that the next undo reverts (`revertStep` in log.ts): the latest that still
 * stands. Null where there is none. An erasure cannot be taken back, and is passed over.
 */
export function undoTarget(log: readonly LogEntry[]): number | null {
  return undoState(log).undoable.at(-1) ?? null;
}

/**
 * The undo that the next redo takes back, or null: any step that is neither an undo nor a redo ends
 * what could be done again.
 */
export function redoTarget(log: readonly LogEntry[]): RedoTarget | null {
  return undoState(log).redoable.at(-1) ?? null;
}

interface UndoState {
  /** Steps that stand, oldest first. */
  readonly undoable: readonly number[];
  readonly redoable: readonly RedoTarget[];
}

/** A log read as someone's undos and redos: appended steps, never cuts. */
function undoState(log: readonly LogEntry[]): UndoState {
  const stepOfEntry = stepOfEntries(log);
  const undoable: number[] = [];
  let redoable: RedoTarget[] = [];
  // Reverting the redo of a step undoes that step.
  const redoes = new Map<number, number>();
  for (const step of stepsOf(log)) {
    const reverted = stepTakenBack(step, stepOfEntry);
    const target = reverted === null ? null : (redoes.get(reverted) ?? reverted);
    const redo = redoable.at(-1);
    if (target !== null && target === undoable.at(-1)) {
      undoable.pop();
      redoable.push({ undo: step.step, step: target });
    } else if (redo !== undefined && redo.undo === target) {
      redoable.pop();
      undoable.push(redo.step);
      redoes.set(step.step, redo.step);
    } else {
      redoable = [];
      if (canBeTakenBack(step)) undoable.push(step.step);
    }
  }
  return { undoable, redoable };
}

function canBeTakenBack({ entries }: StepEntries): boolean {
  return entries.some(({ operation: { type } }) => type !== 'erase' && type !== 'erased');
}
