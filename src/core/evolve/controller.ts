import type { Caller, CallEvent } from '../harness/harness.ts';
import type { QuestionMemory } from '../memory.ts';
import type { Feedback, RetrievalRecord, RunConfig } from '../run.ts';
import type { Task } from '../task.ts';
import type { Trajectory } from '../trajectory.ts';

/** What the controller sees when it updates W (EpiCon eq. 2). `feedback` only says what was typed or allowed. */
export interface UpdateInput {
  readonly memory: QuestionMemory;
  readonly task: Task;
  readonly answer: string;
  readonly trajectory: Trajectory;
  readonly feedback: Feedback;
  readonly config: RunConfig;
  /** Reasons of proposals already rejected at this point, oldest first; empty on the first try. */
  readonly rejected: readonly string[];
}

/** What a controller proposes: untrusted JSON for the update codec, and why, for people. */
export interface UpdateProposal {
  readonly json: unknown;
  readonly reason: string;
}

/** The gate's decision for retrieved visuals (DESIGN.md §2). */
export interface GateDecision {
  readonly inject: boolean;
  readonly reason: string;
}

/**
 * The controller C. It proposes; the memory harness validates with the update codec and executes.
 * Implementations without a model yield no events.
 */
export interface Controller {
  readonly id: string;
  readonly label: string;
  update(input: UpdateInput, caller: Caller): AsyncGenerator<CallEvent, UpdateProposal>;
  gate(
    input: {
      readonly task: Task;
      readonly chosen: RetrievalRecord['chosen'];
      readonly config: RunConfig;
    },
    caller: Caller,
  ): AsyncGenerator<CallEvent, GateDecision>;
}
