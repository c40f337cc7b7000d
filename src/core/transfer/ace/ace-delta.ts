import { z } from 'zod';
import { originOf, otherMembers } from '../items/item-origin.ts';
import { splitBullet } from '../items/lesson-text.ts';
import type { LessonParts } from '../items/make-lesson.ts';

const text = z.string().nullish();

/**
 * A change to a playbook. The bullet is named by `bullet_id`, `skill_id` or `id`: writers differ.
 * `metadata` holds counters: added by TAG, set by ADD and UPDATE. Other members and types stay.
 */
export const deltaOperationSchema = z.looseObject({
  type: z.string().min(1),
  section: text,
  content: text,
  bullet_id: text,
  skill_id: text,
  id: text,
  tag: text,
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
export type DeltaOperation = z.infer<typeof deltaOperationSchema>;

/** A reply of a curator: its reasoning, and operations. */
export const deltaBatchSchema = z.looseObject({ operations: z.array(deltaOperationSchema) });
export type DeltaBatch = z.infer<typeof deltaBatchSchema>;

/** The operations of a delta file's items, in order. */
export function operationsOf(
  items: readonly (DeltaOperation | DeltaBatch)[],
): readonly DeltaOperation[] {
  return items.flatMap((item) => (isBatch(item) ? item.operations : [item]));
}

function isBatch(item: DeltaOperation | DeltaBatch): item is DeltaBatch {
  return 'operations' in item;
}

/** The id of the bullet that an operation names, or null. */
export function bulletIdOf(operation: DeltaOperation): string | null {
  return operation.bullet_id ?? operation.skill_id ?? operation.id ?? null;
}

/** What an operation says as a lesson, or null where it brings no text: TAG, REMOVE and unknown ones. */
export function operationLesson(operation: DeltaOperation): LessonParts | null {
  const type = operation.type.toUpperCase();
  const { content } = operation;
  if ((type !== 'ADD' && type !== 'UPDATE') || typeof content !== 'string') return null;
  const counters = new Map(countersOf(operation));
  return {
    ...splitBullet(content),
    cautions: [],
    topic: '',
    scope: '',
    anchor: '',
    origin: originOf('ace-delta', {
      id: bulletIdOf(operation),
      section: operation.section ?? null,
      helpful: counters.get('helpful') ?? null,
      harmful: counters.get('harmful') ?? null,
      neutral: counters.get('neutral') ?? null,
      operation: type,
      members: otherMembers(operation, [
        'type',
        'section',
        'content',
        'bullet_id',
        'skill_id',
        'id',
      ]),
    }),
  };
}

/** The counters that an operation gives, by name; `tag` is one of the name. */
export function countersOf({ metadata, tag }: DeltaOperation): readonly [string, number][] {
  const given = Object.entries(metadata ?? {}).flatMap(([name, count]): [string, number][] =>
    /^[a-z][a-z_]{0,39}$/u.test(name) &&
    typeof count === 'number' &&
    Number.isSafeInteger(count) &&
    count >= 0
      ? [[name, count]]
      : [],
  );
  const isTag = given.length === 0 && ['helpful', 'harmful', 'neutral'].includes(tag ?? '');
  return isTag ? [[tag ?? '', 1]] : given;
}
