import { makeEntries, type Step } from '../core/bank/log.ts';
import { getNode, lessonByContent, pathOf, titleOf, type Tree } from '../core/bank/tree.ts';
import type { Operation } from '../core/bank/operation.ts';
import { ModelCallError, StorageError } from '../core/errors.ts';
import type { Caller } from '../core/harness/harness.ts';
import { acceptDraft } from '../core/organize/accept-draft.ts';
import type { MaintainEvent } from '../core/organize/maintain-event.ts';
import { maintain } from '../core/organize/maintain.ts';
import type { Organizer } from '../core/organize/organizer.ts';
import type { BankStore, Clock, IdSource, RunStore } from '../core/ports.ts';
import type { LessonDraft } from '../core/run.ts';
import type { BankLoader } from './bank-loader.ts';
import type { KeptBank } from './bank-opening.ts';
import type { OrganizeLine } from './bank.svelte.ts';
import type { PlacedLesson } from './sample.svelte.ts';

export interface BankKeeperPorts {
  readonly banks: BankStore;
  readonly loader: BankLoader;
  readonly runs: RunStore;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly organizer: Organizer;
}

/** Reads banks and takes lessons into them. */
export interface BankKeeper {
  load(bankId: string): Promise<KeptBank>;
  /**
   * A maintenance step over these drafts, told as it flows: one write to the log, then the drafts
   * leave the inbox. Asked again after a crash between the two it only does the second. Returns where
   * each lesson lies.
   */
  accept(
    bankId: string,
    drafts: readonly LessonDraft[],
    signal: AbortSignal,
  ): AsyncGenerator<OrganizeLine, readonly PlacedLesson[]>;
}

/** How often a step is made anew because another tab wrote first. */
const TRIES = 3;

/** The rules organizer calls no model; another that did would be given a caller of its own. */
const noCaller: Caller = {
  async *call() {
    throw new ModelCallError('model-failed', 'No model is set up for organizing.');
  },
};

export function makeBankKeeper(ports: BankKeeperPorts): BankKeeper {
  const { load, extend } = ports.loader;

  async function* accept(
    bankId: string,
    drafts: readonly LessonDraft[],
    signal: AbortSignal,
  ): AsyncGenerator<OrganizeLine, readonly PlacedLesson[]> {
    const lessons = drafts.map((draft) => acceptDraft(draft, ports.ids.next()));
    for (let tries = 1; ; tries += 1) {
      const bank = await load(bankId);
      const { steps, tree, notTaken } = yield* flow(bank.tree, lessons, { ...ports, signal });
      signal.throwIfAborted();
      try {
        await write(bankId, bank, steps);
      } catch (error) {
        const moved = error instanceof StorageError && error.code === 'head-moved';
        if (!moved || tries >= TRIES) throw error;
        continue;
      }
      const left = new Set(notTaken.map(({ lesson }) => lesson));
      for (const [at, { id }] of drafts.entries()) {
        // What the bank did not take, as when it is frozen, stays in the inbox.
        if (!left.has(lessons[at]?.id ?? '')) await ports.runs.deleteDraft(id);
      }
      return lessons.flatMap(({ contentHash }) => placeOf(tree, contentHash));
    }
  }

  async function write(bankId: string, bank: KeptBank, steps: readonly Step[]): Promise<void> {
    if (steps.length === 0) return;
    const at = ports.clock.now();
    const entries = makeEntries(bank.head, steps, { step: bank.step + 1, at });
    await ports.banks.append(bankId, bank.head, entries);
    extend(bankId, bank, entries);
  }

  return { load, accept };
}

/** Runs the step and tells it line by line. */
async function* flow(
  tree: Tree,
  lessons: readonly ReturnType<typeof acceptDraft>[],
  { organizer, ids, signal }: BankKeeperPorts & { readonly signal: AbortSignal },
) {
  const nextId = () => ids.next();
  const step = maintain({ tree, lessons, organizer, caller: noCaller, nextId, signal });
  let number = 0;
  for (;;) {
    const next = await step.next();
    if (next.done === true) return next.value;
    const line = lineOf(next.value, (number += 1));
    if (line !== null) yield line;
  }
}

function lineOf(event: MaintainEvent, number: number): OrganizeLine | null {
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
    case 'call-start':
    case 'call-retry':
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

function placeOf(tree: Tree, contentHash: string): readonly PlacedLesson[] {
  const lesson = lessonByContent(tree, contentHash);
  if (lesson === undefined) return [];
  const parent = lesson.parent === null ? undefined : getNode(tree, lesson.parent);
  const path = parent === undefined ? '' : pathOf(tree, parent.id);
  return [{ lessonId: lesson.id, title: titleOf(lesson), path: path || 'the root' }];
}
