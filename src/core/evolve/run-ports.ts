import type { CallEvent, Caller, Harness } from '../harness/harness.ts';
import type { Role } from '../call.ts';
import type { Backbone, CallJournal, Clock, Cropper, Grader } from '../ports.ts';
import type { RetrievalRecord, RunConfig } from '../run.ts';
import type { Task } from '../task.ts';
import type { Controller } from './controller.ts';

/**
 * What retrieval works from. `retrievalId` goes into the record. With `isRemote` a model of the run is
 * not on this device: a bank that may not leave it then gives nothing (DESIGN.md §7).
 */
export interface RetrieveInput {
  readonly task: Task;
  readonly bankId: string;
  readonly retrievalId: string;
  readonly isRemote: boolean;
  readonly config: RunConfig;
  readonly signal: AbortSignal;
}

/**
 * Retrieves R once per task (DESIGN.md §4): recall, then the organizer's selection over `caller`. The
 * record's `inject` and `injectReason` are filled in afterwards by the controller's gate.
 */
export type Retrieve = (
  input: RetrieveInput,
  caller: Caller,
) => AsyncGenerator<CallEvent, RetrievalRecord>;

/** What a run asks of the world. */
export interface RunPorts {
  readonly journal: CallJournal;
  /** Which backbone serves a role. */
  readonly backbone: (role: Role) => Backbone;
  readonly harness: Harness;
  readonly controller: Controller;
  /** null: no bank to read. */
  readonly retrieve: Retrieve | null;
  /** Needed where the run's feedback is `reference`, and asked only there. */
  readonly grader: Grader | null;
  readonly cropper: Cropper;
  readonly clock: Clock;
}
