import { unreachable } from '../../result.ts';
import type { Operation } from '../operation.ts';
import { isSameJson } from '../same-json.ts';
import { TITLE_INSTEAD } from './erased-words.ts';
import type { Projection } from './projection.ts';
import type { WhatGoes } from './what-goes.ts';

type Of<T extends Operation['type']> = Extract<Operation, { type: T }>;

/** What goes, and what is left of a record. */
export interface Erasing {
  readonly goes: WhatGoes;
  readonly projection: Projection;
}

/**
 * An operation without what goes: itself where it names none of it, `null` where nothing of its own
 * kind is left. Whether it is still valid, and still does what is left, is for the caller to see.
 */
export function rewriteOperation(erasing: Erasing, operation: Operation): Operation | null {
  const rewritten = rewrite(erasing, operation);
  return rewritten !== null && isSameJson(rewritten, operation) ? operation : rewritten;
}

function rewrite({ goes, projection }: Erasing, operation: Operation): Operation | null {
  const { lessons, groups, tasks, words } = goes;
  switch (operation.type) {
    case 'add-lesson': {
      if (lessons.has(operation.lesson.id)) return null;
      return { ...operation, lesson: projection.lesson(operation.lesson) };
    }
    case 'revise-lesson':
      return rewriteRevision({ goes, projection }, operation);
    case 'support-lesson':
      return lessons.has(operation.lesson) || tasks.has(operation.evidence.taskId)
        ? null
        : operation;
    case 'retire-lesson':
      return lessons.has(operation.lesson)
        ? null
        : { ...operation, reason: words.reason(operation.reason) };
    case 'place':
      return rewritePlace(goes, operation);
    case 'merge': {
      const left = operation.groups.filter((id) => !groups.has(id));
      if (left.length < 2) return null;
      return { ...operation, groups: left, ...labelled(goes, operation) };
    }
    case 'split':
      return rewriteSplit(goes, operation);
    case 'consolidate':
      return groups.has(operation.group) || projection.summary(operation.summary) === null
        ? null
        : operation;
    case 'record-outcome':
      return projection.outcome(operation.outcome) === null ? null : operation;
    case 'settle-conflict':
      return groups.has(operation.group) || operation.lessons.some((id) => lessons.has(id))
        ? null
        : operation;
    case 'revise-group':
      return groups.has(operation.group) ? null : { ...operation, ...labelled(goes, operation) };
    case 'set-trust': {
      const left = operation.lessons.filter((id) => !lessons.has(id));
      return left.length === 0 ? null : { ...operation, lessons: left };
    }
    case 'erased':
      return operation;
    case 'erase':
    case 'freeze':
    case 'unfreeze':
      return { ...operation, reason: words.reason(operation.reason) };
    case 'restore': {
      const records = operation.records
        .map(projection.record)
        .filter(({ from, to }) => !isSameJson(from, to));
      return records.length === 0 ? null : { ...operation, records };
    }
    default:
      return unreachable(operation);
  }
}

/** A revision of a lesson that goes is a lesson of its own. */
function rewriteRevision(
  { goes: { lessons }, projection }: Erasing,
  operation: Of<'revise-lesson'>,
): Operation | null {
  if (lessons.has(operation.lesson.id)) return null;
  const lesson = projection.lesson(operation.lesson);
  return lessons.has(operation.predecessor)
    ? { type: 'add-lesson', lesson: { ...lesson, parent: null } }
    : { ...operation, lesson };
}

function rewritePlace(goes: WhatGoes, operation: Of<'place'>): Operation | null {
  const assignments = operation.assignments.filter(({ lesson }) => !goes.lessons.has(lesson));
  if (assignments.length === 0) return null;
  const groups = operation.groups
    .filter(({ id }) => !goes.groups.has(id))
    .map((group) => ({ ...group, ...labelled(goes, group) }));
  return { ...operation, groups, assignments };
}

function rewriteSplit(goes: WhatGoes, operation: Of<'split'>): Operation | null {
  const isLeft = (id: string) => !goes.lessons.has(id) && !goes.groups.has(id);
  if (!isLeft(operation.group)) return null;
  const parts = operation.parts
    .filter(({ id }) => isLeft(id))
    .map((part) => ({
      ...part,
      ...labelled(goes, part),
      children: part.children.filter(isLeft),
    }));
  const isSplit = parts.length >= 2 && parts.every(({ children }) => children.length > 0);
  return isSplit ? { ...operation, parts } : null;
}

function labelled(
  { words }: WhatGoes,
  { title, scope }: { readonly title: string; readonly scope: string },
): { readonly title: string; readonly scope: string } {
  return { title: words.label(title, TITLE_INSTEAD), scope: words.label(scope, '') };
}
