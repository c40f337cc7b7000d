import type { CallRecord, ModelRequest, Role } from '../call.ts';
import type { MemoryInput } from '../memory.ts';
import type { RunConfig } from '../run.ts';
import type { HarnessInfo } from './harness-info.ts';
import type { Task } from '../task.ts';
import type { Step, Trajectory } from '../trajectory.ts';

/** What happens while a role's model call runs; every consumer may ignore all of it. */
export type CallEvent =
  | {
      readonly type: 'call-start';
      readonly role: Role;
      readonly ordinal: number;
      /** Its label. */
      readonly backbone: string;
    }
  | {
      readonly type: 'call-retry';
      readonly role: Role;
      readonly delayMs: number;
      readonly message: string;
    }
  | {
      readonly type: 'token-delta';
      readonly role: Role;
      readonly text: string;
      readonly reasoning: boolean;
    };

/**
 * Makes model calls over the journal: a call that has a record returns it at once and streams
 * nothing; any other is made, recorded, and returned. Throws `ModelCallError` or `StorageError`.
 */
export interface Caller {
  call(role: Role, request: ModelRequest): AsyncGenerator<CallEvent, CallRecord>;
}

/** What a harness works on: the task, what memory adds, and the settings. Never a reference. */
export interface SolveInput {
  readonly task: Task;
  readonly memory: MemoryInput;
  /** 1-based. */
  readonly attempt: number;
  readonly sessionId: string;
  readonly config: RunConfig;
}

export type HarnessEvent = CallEvent | { readonly type: 'step-finish'; readonly step: Step };

/** What an attempt came to. `ready` is the harness's own judgement, never a reference's (paper, App. C). */
export interface AttemptResult {
  readonly answer: string;
  readonly ready: boolean;
  readonly readyReason: string;
  readonly trajectory: Trajectory;
}

/** How an agent works on a task. Adding one is a file, its `HARNESS_INFO`, and a line in `harnesses.ts`. */
export interface Harness extends HarnessInfo {
  readonly roles: readonly Role[];
  solve(input: SolveInput, caller: Caller): AsyncGenerator<HarnessEvent, AttemptResult>;
}
