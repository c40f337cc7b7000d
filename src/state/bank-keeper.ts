import { makeEntries, type Step } from '../core/bank/log.ts';
import { getNode, lessonByContent, pathOf, titleOf, type Tree } from '../core/bank/tree.ts';
import { hashJson } from '../core/canonical.ts';
import { StorageError } from '../core/errors.ts';
import { makeCaller, type RecordingCaller } from '../core/harness/caller.ts';
import { acceptDraft } from '../core/organize/accept-draft.ts';
import { maintain, type MaintainInput } from '../core/organize/maintain.ts';
import type { Organizer } from '../core/organize/organizer.ts';
import type { Backbone, BankStore, CallJournal, Clock, IdSource, RunStore } from '../core/ports.ts';
import type { LessonDraft, RunConfig } from '../core/run.ts';
import type { BankLoader } from './bank-loader.ts';
import type { KeptBank } from './bank-opening.ts';
import { costLine, lineOf, type OrganizeLine } from './organize-line.ts';
import type { PlacedLesson } from './sample.svelte.ts';

export interface BankKeeperPorts {
  readonly banks: BankStore;
  readonly loader: BankLoader;
  readonly runs: RunStore;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly journal: CallJournal;
  /** Who organizes by a set-up; `backbone` null: nobody is called. Throws `ModelCallError`. */
  organizing(config: RunConfig): Promise<Organizing>;
}

/** An organizer, and the model it calls. */
export interface Organizing {
  readonly organizer: Organizer;
  readonly backbone: Backbone | null;
}

export interface AcceptOptions {
  /** Its organizer places them. */
  readonly config: RunConfig;
  readonly signal: AbortSignal;
}

/** Reads banks and takes lessons into them. */
export interface BankKeeper {
  load(bankId: string): Promise<KeptBank>;
  /**
   * A maintenance step over these drafts, told as it flows: one write to the log, then the drafts
   * leave the inbox. Asked again after a crash between the two it only does the second; a model's calls
   * that were complete are not made again. Returns where each lesson lies.
   */
  accept(
    bankId: string,
    drafts: readonly LessonDraft[],
    options: AcceptOptions,
  ): AsyncGenerator<OrganizeLine, readonly PlacedLesson[]>;
}

/** How often a step is made anew because another tab wrote first. */
const TRIES = 3;

export function makeBankKeeper(ports: BankKeeperPorts): BankKeeper {
  const { load, extend } = ports.loader;

  async function* accept(
    bankId: string,
    drafts: readonly LessonDraft[],
    { config, signal }: AcceptOptions,
  ): AsyncGenerator<OrganizeLine, readonly PlacedLesson[]> {
    const lessons = drafts.map((draft) => acceptDraft(draft, ports.ids.next()));
    const { organizer, backbone } = await ports.organizing(config);
    const stepId = `organize-${hashJson({ bankId, drafts: drafts.map(({ id }) => id) })}`;
    for (let tries = 1; ; tries += 1) {
      const bank = await load(bankId);
      const caller = callerOf(ports, { backbone, stepId, signal, bank });
      const work = { tree: bank.tree, lessons, organizer, caller, signal };
      const { steps, tree, notTaken } = yield* flow(work, ports.ids);
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
      if (caller.records.length > 0) await ports.runs.deleteRun(stepId);
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

/** Calls of one step, kept in the journal under the step's own id until it is written. */
function callerOf(
  { journal, clock }: BankKeeperPorts,
  step: {
    readonly backbone: Backbone | null;
    readonly stepId: string;
    readonly signal: AbortSignal;
    readonly bank: KeptBank;
  },
): RecordingCaller {
  const { backbone, stepId: runId, signal, bank } = step;
  const { localOnly } = bank.tree.manifest;
  return makeCaller({
    ...{ journal, clock, runId, signal, localOnly },
    attempt: 0,
    backbone() {
      if (backbone === null) throw new Error('the rules call no model');
      return backbone;
    },
  });
}

/** Runs the step and tells it line by line. */
async function* flow(
  work: Omit<MaintainInput, 'nextId' | 'caller'> & { readonly caller: RecordingCaller },
  ids: IdSource,
) {
  const step = maintain({ ...work, nextId: () => ids.next() });
  let [number, asked] = [0, false];
  for (;;) {
    const next = await step.next();
    if (next.done === true) {
      if (asked || work.caller.records.length > 0) yield costLine(work.caller.records);
      return next.value;
    }
    asked ||= next.value.type === 'call-start';
    const line = lineOf(next.value, (number += 1));
    if (line !== null) yield line;
  }
}

function placeOf(tree: Tree, contentHash: string): readonly PlacedLesson[] {
  const lesson = lessonByContent(tree, contentHash);
  if (lesson === undefined) return [];
  const parent = lesson.parent === null ? undefined : getNode(tree, lesson.parent);
  const path = parent === undefined ? '' : pathOf(tree, parent.id);
  return [{ lessonId: lesson.id, title: titleOf(lesson), path: path || 'the root' }];
}
