import type { Caller, CallEvent } from '../harness/harness.ts';
import type { LessonContent } from '../bank/node.ts';
import type { Crop, QuestionMemory } from '../memory.ts';
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

/** A proposal that was refused, and what to say of that. */
export interface RefusedProposal {
  readonly message: string;
}

/** What a lesson is distilled from: W at the end of a run, with its crop. */
export interface DistilInput {
  readonly task: Task;
  readonly memory: QuestionMemory;
  readonly crop: Crop | null;
}

/** A lesson's content, or none, and what is to be said of how it came about; empty where nothing is. */
export interface Distilled {
  readonly content: LessonContent | null;
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
  /** How often it may propose after one attempt; each refusal is told and comes with the next try. */
  readonly proposals: number;
  update(
    input: UpdateInput,
    caller: Caller,
    refused?: readonly RefusedProposal[],
  ): AsyncGenerator<CallEvent, UpdateProposal>;
  /** The lesson of a finished run (DESIGN.md §2.4). */
  distil(input: DistilInput, caller: Caller): AsyncGenerator<CallEvent, Distilled>;
  gate(
    input: {
      readonly task: Task;
      readonly chosen: RetrievalRecord['chosen'];
      readonly config: RunConfig;
    },
    caller: Caller,
  ): AsyncGenerator<CallEvent, GateDecision>;
}
