import type { Operation } from '../bank/operation.ts';
import type { CallEvent } from '../harness/harness.ts';
import type { Refusal } from '../result.ts';

/** What became of one proposal. */
export type OperationEvent =
  | { readonly type: 'operation-accept'; readonly operation: Operation; readonly reason: string }
  | {
      readonly type: 'proposal-refuse';
      readonly proposal: unknown;
      readonly refusal: Refusal;
    };

/** What an organizer may be asked for in a step. */
export type AskedFor = 'place' | 'merge' | 'split' | 'consolidate';

/** What a maintenance step tells: proposals flowing, proposed → accepted or refused (why). */
export type MaintainEvent =
  | CallEvent
  | OperationEvent
  | {
      /** The organizer threw, or never came to a proposal: the rules do the rest of the step. */
      readonly type: 'organizer-fail';
      /** Its label. */
      readonly organizer: string;
      readonly asked: AskedFor;
      readonly message: string;
    };
