import type { LogEntry, Operation } from '../../../core/bank/operation.ts';

/** Whether an operation touched a node. */
function touches(operation: Operation, id: string): boolean {
  switch (operation.type) {
    case 'add-lesson':
      return operation.lesson.id === id;
    case 'revise-lesson':
      return operation.lesson.id === id || operation.predecessor === id;
    case 'support-lesson':
    case 'retire-lesson':
      return operation.lesson === id;
    case 'place':
      return (
        operation.groups.some((group) => group.id === id) ||
        operation.assignments.some(({ lesson, under }) => lesson === id || under === id)
      );
    case 'merge':
      return operation.into === id || operation.groups.includes(id);
    case 'split':
      return operation.group === id || operation.parts.some((part) => part.id === id);
    case 'consolidate':
    case 'settle-conflict':
    case 'revise-group':
      return operation.group === id;
    case 'record-outcome':
      return operation.outcome.nodeId === id;
    case 'set-trust':
    case 'erase':
      return operation.lessons.includes(id);
    case 'restore':
      return operation.records.some((record) => record.table === 'node' && record.id === id);
    case 'erased':
    case 'freeze':
    case 'unfreeze':
      return false;
  }
}

const WORDS: Readonly<Record<Operation['type'], string>> = {
  'add-lesson': 'lesson added',
  'revise-lesson': 'revised',
  'support-lesson': 'another source supports it',
  'retire-lesson': 'retired',
  place: 'placed',
  merge: 'merged',
  split: 'split',
  consolidate: 'summary written',
  'record-outcome': 'outcome recorded',
  'settle-conflict': 'conflict settled',
  'revise-group': 'renamed',
  'set-trust': 'trust changed',
  erased: 'erased',
  erase: 'erased',
  freeze: 'bank frozen',
  unfreeze: 'bank unfrozen',
  restore: 'a step was undone',
};

/** What happened to a node, newest first. */
export function historyOf(entries: readonly LogEntry[], id: string) {
  return entries
    .filter(({ operation }) => touches(operation, id))
    .toReversed()
    .map(({ seq, step, at, by, operation }) => ({
      seq,
      step,
      at,
      by,
      what: WORDS[operation.type],
    }));
}
