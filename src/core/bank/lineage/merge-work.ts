import { applyOperation } from '../apply.ts';
import type { Step } from '../log.ts';
import { ROOT_ID, type Evidence, type Lesson } from '../node.ts';
import type { Actor, Operation } from '../operation.ts';
import { evidenceMark } from '../erasure/cut-marks.ts';
import { getGroup, getLesson, lessonByContent, resolve, type Tree } from '../tree.ts';
import type { MergeChoice, MergeConflict, MergeReason, MergeTrees } from './merge-plan.ts';
import { TheirRevisions } from './their-revisions.ts';

/** The trees of a merge, and how to go about it. */
export interface MergeInput extends MergeTrees {
  readonly by: Actor;
  /** A fresh id, for what comes under an id that is taken. */
  readonly nextId: () => string;
  readonly choices: ReadonlyMap<string, MergeChoice>;
  readonly otherwise: MergeChoice;
  /** Their bank is on trial: its lessons come in held, and none that we trust goes on its word. */
  readonly hold: boolean;
  readonly erasedHere: ReadonlySet<string>;
  readonly erasedThere: ReadonlySet<string>;
  /** Marks of evidence and outcomes that ours erased, and lessons of ours that lost their question. */
  readonly cutHere: ReadonlySet<string>;
  readonly rewordedHere: ReadonlySet<string>;
  /** Their lessons that were decided against in this merge, and came in retired; it grows. */
  readonly aside: Set<string>;
}

/** A conflict to be listed. */
export interface Opposed {
  readonly reason: MergeReason;
  readonly message: string;
  readonly theirs: string;
  readonly ours?: string | null;
  /** Whether a person can choose theirs. */
  readonly isOpen?: boolean;
}

/** A merge under way: our tree with what was taken so far, and which of our nodes theirs are. */
export class MergeWork {
  readonly input: MergeInput;
  readonly revisions: TheirRevisions;
  readonly steps: Step[] = [];
  tree: Tree;
  alreadyThere = 0;
  /** From then on groups are found by what they are called. */
  titlesAreTaken = false;
  readonly #conflicts = new Map<string, MergeConflict>();
  readonly #lessons = new Map<string, string>();
  readonly #groups = new Map<string, string>();
  #retired: Map<string, string> | null = null;
  #titles: Map<string, string[]> | null = null;

  constructor(input: MergeInput) {
    this.input = input;
    this.revisions = new TheirRevisions(input.theirs);
    this.tree = input.ours;
  }

  get conflicts(): readonly MergeConflict[] {
    return [...this.#conflicts.values()];
  }

  /** Applies an operation; where a rule refuses it, lists that and leaves our tree as it was. */
  take(operation: Operation, about: string): boolean {
    const { by } = this.input;
    const applied = applyOperation(this.tree, operation, by);
    if (applied.ok) {
      this.tree = applied.value.tree;
      this.steps.push({ operation, by });
      return true;
    }
    const { reason, message } = applied.refusal;
    const sentence = `${operation.type} of theirs is refused here: ${message}`;
    this.oppose({ reason: 'not-valid-here', message: sentence, theirs: `${about}/${reason}` });
    return false;
  }

  /** Lists a conflict that can be settled for either side; whether it is for theirs. */
  isForTheirs(opposed: Omit<Opposed, 'isOpen'>): boolean {
    return this.oppose({ ...opposed, isOpen: true }) === 'theirs';
  }

  /** Their evidence without what was erased here; of that it is told. */
  kept({ id, content, evidence }: Lesson): readonly Evidence[] {
    const { cutHere } = this.input;
    if (cutHere.size === 0) return evidence;
    const kept = evidence.filter((item) => !cutHere.has(evidenceMark(item)));
    if (kept.length < evidence.length) {
      const message = `Evidence for “${content.title}” was erased here, and a merge does not bring it back.`;
      this.oppose({ reason: 'erased-here', message, theirs: `${id}/evidence` });
    }
    return kept;
  }

  /** Whether what theirs did may put away a lesson of ours: a bank on trial puts away none we trust. */
  mayDisplace({ trust }: Lesson): boolean {
    return !(this.input.hold && trust === 'trusted');
  }

  /** Lists a conflict and says which side it is settled for. */
  oppose(opposed: Opposed): MergeChoice {
    const { reason, message, theirs, ours = null, isOpen = false } = opposed;
    const id = `${reason}/${theirs}`;
    const choice = isOpen ? (this.input.choices.get(id) ?? this.input.otherwise) : 'ours';
    const choices = isOpen ? (['ours', 'theirs'] as const) : [];
    this.#conflicts.set(id, { id, reason, message, theirs, ours, choices, choice });
    return choice;
  }

  /** An id for something of theirs: its own where that is free. */
  idFor(id: string): string {
    return this.tree.nodes.has(id) || this.tree.aliases.has(id) ? this.input.nextId() : id;
  }

  /**
   * Which lesson of ours one of theirs is: the one it was taken as, or of the same content. By its own
   * id where that stands alike, else an active one before a retired one.
   */
  ourLesson({ id, contentHash, status }: Lesson): Lesson | undefined {
    const known = this.#lessons.get(id);
    if (known !== undefined) return getLesson(this.tree, known);
    const own = getLesson(this.tree, id);
    // The same lesson without its question, which was erased here.
    if (own !== undefined && this.input.rewordedHere.has(id)) return own;
    const same = own?.contentHash === contentHash ? own : undefined;
    if (same?.status === status) return same;
    const retired = this.#retiredByContent().get(contentHash);
    return (
      lessonByContent(this.tree, contentHash) ??
      same ??
      (retired === undefined ? undefined : getLesson(this.tree, retired))
    );
  }

  /** Which lesson of ours a lesson id of theirs means. */
  ourLessonOf(id: string): Lesson | undefined {
    const theirs = getLesson(this.input.theirs, id) ?? getLesson(this.input.base, id);
    return theirs === undefined ? undefined : this.ourLesson(theirs);
  }

  isLesson(theirs: string, ours: string): void {
    this.#lessons.set(theirs, ours);
  }

  isGroup(theirs: string, ours: string): void {
    this.#groups.set(theirs, ours);
  }

  /**
   * Which group of ours one of theirs is: by id, by what its id resolves to here where that is one, or,
   * once their titles are taken, by title and scope: under the corresponding parent first, and else
   * where there is only one such.
   */
  ourGroup(id: string): string | null {
    if (id === ROOT_ID) return ROOT_ID;
    const known = this.#groups.get(id);
    if (known !== undefined && getGroup(this.tree, known) !== undefined) return known;
    if (getGroup(this.tree, id) !== undefined) return id;
    if (this.tree.aliases.has(id)) {
      const [only, ...more] = resolve(this.tree, id);
      const isOne = only !== undefined && more.length === 0;
      return isOne && getGroup(this.tree, only) !== undefined ? only : null;
    }
    const found = this.titlesAreTaken ? this.#groupBySaying(id) : null;
    if (found !== null) this.#groups.set(id, found);
    return found;
  }

  /** Whether theirs has that content as an active lesson. */
  isActiveThere(contentHash: string): boolean {
    return lessonByContent(this.input.theirs, contentHash) !== undefined;
  }

  #groupBySaying(id: string): string | null {
    const group = getGroup(this.input.theirs, id);
    if (group === undefined || group.parent === null) return null;
    const alike = (this.#groupsBySaying().get(saying(group)) ?? []).filter(
      (other) => getGroup(this.tree, other) !== undefined,
    );
    if (alike.length === 0) return null;
    const parent = this.ourGroup(group.parent);
    const here = alike.filter((other) => getGroup(this.tree, other)?.parent === parent);
    const [only] = here.length > 0 ? here : alike;
    return here.length > 1 || (here.length === 0 && alike.length > 1) ? null : (only ?? null);
  }

  #groupsBySaying(): ReadonlyMap<string, readonly string[]> {
    if (this.#titles !== null) return this.#titles;
    this.#titles = new Map();
    for (const [id, node] of this.tree.nodes.entries()) {
      // A group that theirs has too is that one, and no other of theirs.
      if (node.kind !== 'group' || getGroup(this.input.theirs, id) !== undefined) continue;
      const key = saying(node);
      this.#titles.set(key, [...(this.#titles.get(key) ?? []), id]);
    }
    return this.#titles;
  }

  /** Our retired lessons by content; of several, the first by id. */
  #retiredByContent(): ReadonlyMap<string, string> {
    if (this.#retired !== null) return this.#retired;
    this.#retired = new Map();
    for (const [id, node] of this.input.ours.nodes.entries()) {
      if (node.kind !== 'lesson' || node.status === 'active') continue;
      const first = this.#retired.get(node.contentHash);
      if (first === undefined || id < first) this.#retired.set(node.contentHash, id);
    }
    return this.#retired;
  }
}

function saying({ title, scope }: { readonly title: string; readonly scope: string }): string {
  return `${title}\n${scope}`;
}
