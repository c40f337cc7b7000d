import { applyOperation, parseOperation } from '../../bank/apply.ts';
import type { Step } from '../../bank/log.ts';
import type { Actor, Operation } from '../../bank/operation.ts';
import { getGroup, getLesson, lineageOf, type Tree } from '../../bank/tree.ts';
import type { Refusal, Result } from '../../result.ts';
import { checkProposal, type Asked } from '../check-proposal.ts';
import type { OperationEvent } from '../maintain-event.ts';
import type { Organizer, OrganizerProposal } from '../organizer.ts';

const HARNESS: Actor = { kind: 'harness', name: 'grove' };

/** The operations that a maintenance step has taken so far, the tree they give, and what they changed. */
export class MaintenanceStep {
  readonly steps: Step[] = [];
  /** Groups in which something changed; some may be gone again. */
  readonly touched = new Set<string>();
  /** Groups that have another child than before. */
  readonly grown = new Set<string>();
  /** Groups that this step made. */
  readonly fresh = new Set<string>();
  /** Groups whose split was asked for: once a step is enough. */
  readonly askedToSplit = new Set<string>();
  tree: Tree;
  /** Who is asked; the rules, once the organizer has failed. */
  organizer: Organizer;
  readonly nextId: () => string;

  constructor(tree: Tree, organizer: Organizer, nextId: () => string) {
    this.tree = tree;
    this.organizer = organizer;
    this.nextId = nextId;
  }

  newIds(count: number): readonly string[] {
    return Array.from({ length: count }, () => this.nextId());
  }

  /** Applies what the harness itself does; it may be refused. */
  attempt(operation: Operation, reason: string): OperationEvent {
    return this.#apply(operation, HARNESS, reason);
  }

  /** Applies what must be valid. Throws where it is not: that is a bug of the harness. */
  take(operation: Operation, reason: string): OperationEvent {
    const taken = this.attempt(operation, reason);
    if (taken.type === 'proposal-refuse') throw new Error(taken.refusal.message);
    return taken;
  }

  /** Reads an organizer's proposal, holds it to what was asked, and applies it. */
  propose(by: Organizer, proposal: OrganizerProposal, asked: Asked): OperationEvent {
    const { operation, reason, refusal } = proposal;
    if (refusal !== undefined) return refusalOf(operation, refusal);
    const parsed: Result<Operation> = parseOperation(operation);
    const checked = parsed.ok ? checkProposal(this.tree, parsed.value, asked) : parsed;
    return checked.ok
      ? this.#apply(checked.value, { kind: 'organizer', name: by.id }, reason)
      : refusalOf(operation, checked.refusal);
  }

  /** Groups in which something changed and those above them, but the root; the deepest first. */
  changedGroups(): readonly string[] {
    const depths = new Map<string, number>();
    for (const id of this.touched) {
      if (getGroup(this.tree, id) === undefined) continue;
      for (const [above, node] of lineageOf(this.tree, id).entries()) depths.set(node.id, above);
    }
    return [...depths]
      .toSorted(([first, high], [second, deep]) => deep - high || (first < second ? -1 : 1))
      .map(([id]) => id);
  }

  #apply(operation: Operation, by: Actor, reason: string): OperationEvent {
    const applied = applyOperation(this.tree, operation, by);
    if (!applied.ok) return refusalOf(operation, applied.refusal);
    const before = this.tree;
    this.tree = applied.value.tree;
    this.steps.push({ operation, by });
    this.#note(operation, before);
    return { type: 'operation-accept', operation, reason };
  }

  #note(operation: Operation, before: Tree): void {
    switch (operation.type) {
      case 'place':
        for (const { id, parent } of operation.groups) {
          this.fresh.add(id);
          this.#grow(parent);
        }
        for (const { under } of operation.assignments) this.#grow(under);
        return;
      case 'split':
        for (const { id } of operation.parts) {
          this.fresh.add(id);
          this.touched.add(id);
        }
        if (operation.lift) this.#grow(getGroup(before, operation.group)?.parent ?? null);
        return;
      case 'merge':
        this.#grow(operation.into);
        return;
      case 'support-lesson':
      case 'retire-lesson':
        return this.#touch(getLesson(before, operation.lesson)?.parent ?? null);
      case 'revise-lesson':
        return this.#grow(getLesson(before, operation.predecessor)?.parent ?? null);
      default:
        return;
    }
  }

  #grow(id: string | null): void {
    this.#touch(id);
    if (id !== null) this.grown.add(id);
  }

  #touch(id: string | null): void {
    if (id !== null) this.touched.add(id);
  }
}

/** What a refused proposal is told as. */
export function refusalOf(
  proposal: unknown,
  refusal: Refusal,
): Extract<OperationEvent, { type: 'proposal-refuse' }> {
  return { type: 'proposal-refuse', proposal, refusal };
}
