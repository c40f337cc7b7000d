import type { CallRecord } from '../core/call.ts';
import type { Operation } from '../core/bank/operation.ts';
import { costOfCalls } from '../core/evolve/cost.ts';
import type { MaintainEvent } from '../core/organize/maintain-event.ts';

/** One thing that organizing did, or is about to do; a later line of the same id replaces it. */
export interface OrganizeLine {
  readonly id: string;
  /** The kind of operation: `place`. */
  readonly operation: string;
  readonly text: string;
  readonly state: 'proposed' | 'done' | 'refused';
  readonly why: string;
}

/** The line of what a model is asked. */
const CALLS = 'calls';

/** What a model's answers in a step cost. */
export function costLine(records: readonly CallRecord[]): OrganizeLine {
  const line = { id: CALLS, operation: 'calls', why: '' };
  const [first] = records;
  if (first === undefined) return { ...line, text: 'No call was answered.', state: 'refused' };
  const { calls, durationMs, usage } = costOfCalls(records);
  const about = usage.estimated ? 'about ' : '';
  const tokens = `${about}${usage.promptTokens} + ${usage.completionTokens} tokens`;
  const made = `${calls === 1 ? '1 call' : `${calls} calls`} to ${first.response.model}`;
  return {
    ...line,
    text: `${made}: ${tokens}, ${(durationMs / 1000).toFixed(1)} s`,
    state: 'done',
  };
}

/** A step's event in a line; null where it has none. */
export function lineOf(event: MaintainEvent, number: number): OrganizeLine | null {
  const id = `${number}`;
  switch (event.type) {
    case 'operation-accept': {
      const { operation, reason } = event;
      return {
        id,
        operation: operation.type,
        text: wordsOf(operation),
        state: 'done',
        why: reason,
      };
    }
    case 'proposal-refuse': {
      const { reason, message } = event.refusal;
      return { id, operation: reason, text: message, state: 'refused', why: message };
    }
    case 'organizer-fail': {
      const { organizer, asked, message } = event;
      const text = `“${organizer}” failed to ${asked}: the rules do the rest of this step.`;
      return { id, operation: asked, text, state: 'refused', why: message };
    }
    case 'call-start': {
      const { backbone, ordinal } = event;
      const text = `${backbone} is asked …`;
      return { id: CALLS, operation: `call ${ordinal + 1}`, text, state: 'proposed', why: '' };
    }
    case 'call-retry': {
      const { message } = event;
      return { id: CALLS, operation: 'call', text: message, state: 'proposed', why: '' };
    }
    case 'token-delta':
      return null;
  }
}

function wordsOf(operation: Operation): string {
  switch (operation.type) {
    case 'add-lesson':
      return `“${operation.lesson.content.title}”`;
    case 'support-lesson':
      return 'another source for a lesson that says the same';
    case 'place': {
      const made = operation.groups.map(({ title }) => `“${title}”`);
      const lessons = operation.assignments.length;
      const into = made.length === 0 ? 'groups there are' : `new group ${made.join(', ')}`;
      return `${lessons === 1 ? '1 lesson' : `${lessons} lessons`} into ${into}`;
    }
    case 'revise-lesson':
      return `“${operation.lesson.content.title}”, revised`;
    case 'retire-lesson':
      return 'a lesson whose revision another one says already';
    case 'merge':
      return `${operation.groups.length} groups into “${operation.title}”`;
    case 'split': {
      const parts = operation.parts.map(({ title }) => `“${title}”`).join(', ');
      return `a group into ${parts}${operation.lift ? ', side by side' : ', under it'}`;
    }
    case 'consolidate':
      return `a summary that rests on ${operation.summary.supportedBy.length} lessons`;
    default:
      return operation.type;
  }
}
