import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import type { Change } from '../change.ts';
import type { Tree } from '../tree.ts';

/** Why an operation was refused. The numbers are SPEC.md's rules. */
export type OperationReason =
  | 'frozen' // R1
  | 'not-a-person' // R2
  | 'unknown-node' // R3
  | 'not-a-lesson' // R3
  | 'not-a-group' // R3
  | 'id-taken' // R4
  | 'not-active' // R5
  | 'already-placed' // R6
  | 'wrong-predecessor' // R7
  | 'wrong-hash' // R8
  | 'duplicate-content' // R9
  | 'already-recorded' // R10
  | 'assigned-twice' // R11
  | 'over-capacity' // R12
  | 'too-deep' // R13
  | 'not-siblings' // R14
  | 'not-a-partition' // R15
  | 'at-the-root' // R16
  | 'unsupported' // R17
  | 'over-budget' // R18
  | 'no-such-conflict' // R19
  | 'already-so' // R20
  | 'record-moved' // R21
  | 'breaks-invariant'; // R22

export type OperationRefusal = Refusal<OperationReason>;

/** What an operation would change, and the tree after it where planning had to make it. */
export interface Planned {
  readonly changes: readonly Change[];
  readonly after: Tree | null;
}

/** What an operation would change, or why it may not. */
export type Plan = Result<Planned, OperationRefusal>;

/** An operation that may go ahead. */
export function yes(changes: readonly Change[], after: Tree | null = null) {
  return accept<Planned>({ changes, after });
}

/** A refusal of an operation, with the rule's own reason. */
export function no(reason: OperationReason, message: string, path?: string) {
  return refuse<OperationReason>(reason, message, path);
}
