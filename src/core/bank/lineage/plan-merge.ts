import type { LogHead } from '../../ports.ts';
import { accept, type Result } from '../../result.ts';
import { replay, type Step } from '../log.ts';
import type { Actor, LogEntry, Operation, OperationType } from '../operation.ts';
import type { OperationRefusal } from '../plan/refusal.ts';
import { getGroup, unplacedLessons, type Tree } from '../tree.ts';
import { isSameJson } from '../same-json.ts';
import { commonAncestor } from './common-ancestor.ts';
import type { BankLog } from './fork.ts';
import { mergeGroups, mergeTitles } from './merge-groups.ts';
import { mergeLessons } from './merge-lessons.ts';
import { mergeOutcomes } from './merge-outcomes.ts';
import type {
  MergeChoice,
  MergeConflict,
  MergePlan,
  MergeReason,
  MergeTrees,
} from './merge-plan.ts';
import { mergePlaces } from './merge-places.ts';
import { mergeSummaries } from './merge-summaries.ts';
import { MergeWork, type MergeInput } from './merge-work.ts';

export interface MergeOptions {
  /** Who merges: a person, or an import. */
  readonly by: Actor & { readonly kind: 'person' | 'import' };
  /** A fresh id, for what comes under an id that is taken here. */
  readonly nextId: () => string;
  /** By a conflict's id. */
  readonly choices?: ReadonlyMap<string, MergeChoice>;
  /** For conflicts that nothing is said of; `ours` unless given. */
  readonly otherwise?: MergeChoice;
  /** Their lessons come in held for review: their bank is not trusted (DESIGN.md §3). */
  readonly hold?: boolean;
  /** Where they are known (`BankHistory`, an earlier plan): what is not given is replayed. */
  readonly trees?: Partial<MergeTrees>;
}

/**
 * What merging their bank into ours would do: three ways, from the last entry both logs share to either
 * end, or from nothing where they share none. Everything that theirs did since is taken as operations
 * that are valid on ours, is here already, or is listed as a conflict, which is settled for ours unless
 * chosen otherwise; then plan anew with the choices. Lessons of the same content are one lesson with the
 * evidence of both. Merged again it gives nothing, and either way round it gives the same contents.
 *
 * Merging is not evolving: a bank evolves where another harness retrieves from it and appends
 * maintenance steps of its own (EpiCon 5.3).
 *
 * Refused where a log does not replay.
 */
export function planMerge(
  ours: BankLog,
  theirs: BankLog,
  options: MergeOptions,
): Result<MergePlan, OperationRefusal> {
  const ancestor = commonAncestor(ours.log, theirs.log);
  const found = treesOf(ours, theirs, { ancestor, known: options.trees ?? {} });
  if (!found.ok) return found;
  const trees = found.value;
  const closed = closedAgainst(trees.ours, trees.theirs);
  if (closed !== null) {
    return accept(planOf({ ancestor, trees, tree: trees.ours, conflicts: [closed] }));
  }
  const { by, nextId, choices = new Map(), otherwise = 'ours', hold = false } = options;
  const merged = mergeInRounds({
    ...trees,
    by,
    nextId,
    choices,
    otherwise,
    hold,
    erasedHere: erasedIn(ours.log, ({ lessons }) => lessons),
    erasedThere: erasedIn(theirs.log, ({ lessons }) => lessons),
    cutHere: erasedIn(ours.log, ({ cut }) => cut ?? []),
    rewordedHere: erasedIn(ours.log, ({ reworded }) => reworded ?? []),
    aside: new Set(),
  });
  return accept(planOf({ ancestor, trees, ...merged }));
}

/** Both are grown from the ancestor's tree, so that what neither changed is shared and skipped. */
function treesOf(
  ours: BankLog,
  theirs: BankLog,
  { ancestor, known }: { readonly ancestor: LogHead; readonly known: Partial<MergeTrees> },
): Result<MergeTrees, OperationRefusal> {
  const base =
    known.base === undefined
      ? replay(ours.manifest, ours.log.slice(0, ancestor.seq))
      : accept(known.base);
  if (!base.ok) return base;
  const grown = ({ manifest, log }: BankLog, tree: Tree | undefined) =>
    tree === undefined
      ? replay(manifest, log.slice(ancestor.seq), { ...base.value, manifest })
      : accept(tree);
  const [here, there] = [grown(ours, known.ours), grown(theirs, known.theirs)];
  if (!here.ok) return here;
  if (!there.ok) return there;
  return accept({ base: base.value, ours: here.value, theirs: there.value });
}

/** Rounds after which a merge stops, come what may; two are the rule. */
const MOST_ROUNDS = 6;

/** Conflicts that a later round can make good: only those of the last one stand. */
const PASSING: ReadonlySet<MergeReason> = new Set([
  'not-valid-here',
  'no-room',
  'bank-full',
  'reorganised-there',
  'summary-unsupported',
]);

/**
 * Merges again into what came out, until nothing comes: a place that was taken in one round may make
 * room for what was refused before it. So merging the same bank again gives nothing.
 */
function mergeInRounds(input: MergeInput) {
  const steps: Step[] = [];
  const conflicts = new Map<string, MergeConflict>();
  const voided = new Set<string>();
  let { ours: tree } = input;
  let alreadyThere = 0;
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const work = new MergeWork({ ...input, ours: tree });
    for (const id of mergeAll(work)) voided.add(id);
    for (const [id, { reason }] of conflicts) if (PASSING.has(reason)) conflicts.delete(id);
    for (const conflict of work.conflicts) {
      if (!conflicts.has(conflict.id)) conflicts.set(conflict.id, conflict);
    }
    if (round === 1) ({ alreadyThere } = work);
    steps.push(...work.steps);
    tree = work.tree;
    if (work.steps.length === 0) break;
  }
  const reconsolidate = [...voided].filter((id) => getGroup(tree, id)?.summary === null).toSorted();
  return { tree, steps, alreadyThere, reconsolidate, conflicts: [...conflicts.values()] };
}

/** Groups first, then lessons and their places, then what rests on them. */
function mergeAll(work: MergeWork): readonly string[] {
  const { base, theirs } = work.input;
  const nodes = theirs.nodes
    .differencesFrom(base.nodes)
    .filter(({ before, after }) => !isSameJson(before, after))
    .toSorted((first, second) => (first.key < second.key ? -1 : 1));
  const groups = mergeGroups(work, nodes);
  mergeTitles(work, nodes);
  work.titlesAreTaken = true;
  mergeLessons(work, nodes);
  mergePlaces(work, nodes, groups);
  const reconsolidate = mergeSummaries(work, nodes);
  mergeOutcomes(work);
  return reconsolidate;
}

/** Why nothing at all can be taken, or null. */
function closedAgainst(ours: Tree, theirs: Tree): MergeConflict | null {
  const closed = (reason: 'frozen' | 'local-only', message: string): MergeConflict => {
    const bank = { theirs: theirs.manifest.id, ours: ours.manifest.id };
    return {
      id: `${reason}/${bank.theirs}`,
      reason,
      message,
      ...bank,
      choices: [],
      choice: 'ours',
    };
  };
  if (ours.frozen) return closed('frozen', 'Our bank is frozen: it takes nothing.');
  return theirs.manifest.localOnly && !ours.manifest.localOnly
    ? closed('local-only', 'Their bank stays on this machine, and ours may leave it.')
    : null;
}

/** What the tombstones of a log name. */
function erasedIn(
  log: readonly LogEntry[],
  named: (tombstone: Extract<Operation, { type: 'erase' }>) => readonly string[],
): ReadonlySet<string> {
  return new Set(
    log.flatMap(({ operation }) => (operation.type === 'erase' ? named(operation) : [])),
  );
}

function planOf(
  merged: Pick<MergePlan, 'ancestor' | 'trees' | 'tree' | 'conflicts'> & {
    readonly steps?: readonly Step[];
    readonly alreadyThere?: number;
    readonly reconsolidate?: readonly string[];
  },
): MergePlan {
  const { ancestor, trees, tree, conflicts } = merged;
  const { steps = [], alreadyThere = 0, reconsolidate = [] } = merged;
  const operations: Partial<Record<OperationType, number>> = {};
  for (const { operation } of steps) {
    operations[operation.type] = (operations[operation.type] ?? 0) + 1;
  }
  const unplaced = unplacedLessons(tree);
  return {
    ancestor,
    trees,
    operations: steps,
    tree,
    conflicts,
    unplaced,
    reconsolidate,
    counts: {
      operations,
      alreadyThere,
      conflicts: conflicts.length,
      unplaced: unplaced.length,
      reconsolidate: reconsolidate.length,
    },
  };
}
