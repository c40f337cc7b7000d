import type { Group, Lesson, LessonContent } from '../../bank/node.ts';
import { claimOf, type Claim } from '../../bank/claim.ts';
import { IMPORT_HARNESS, ROOT_ID } from '../../bank/node.ts';
import { rankOf, standingOf, type Rank, type Standing } from '../../bank/rank.ts';
import {
  childrenOf,
  getGroup,
  getLesson,
  outcomesOf,
  unplacedLessons,
  type Tree,
} from '../../bank/tree.ts';

/** How ids of bullets begin that stand for lessons of Grove: the lesson's id follows. */
export const OWN_ID = 'grove-';

/** What a lesson is called in a playbook. */
export function bulletId(lesson: string): string {
  return `${OWN_ID}${lesson.replace(/[\]\s]+/gu, '-')}`;
}

/** Which part of a bank goes out. Retired lessons never do. */
export interface EntrySelection {
  /** Also lessons that are held for review, and what rests on them. Default false. */
  readonly held?: boolean;
  /** Also rules, each as an item of its own after the lessons of its group. Default false. */
  readonly rules?: boolean;
}

/** A lesson or rule of a bank with what formats of items may say of it. */
export interface BankEntry {
  readonly id: string;
  readonly rank: Rank;
  readonly content: LessonContent;
  /** null for a rule. */
  readonly lesson: Lesson | null;
  /** Groups from just below the root down to the one it lies in; none where it has no place. */
  readonly groups: readonly GroupOnPath[];
  readonly standing: Standing;
  /** The standing without what came from files of items, and what those files said. */
  readonly own: Standing;
  readonly claim: Claim;
  /** How often it was given to a later task, and how often that task succeeded. */
  readonly given: number;
  readonly succeeded: number;
}

export interface GroupOnPath {
  readonly id: string;
  readonly title: string;
  readonly rank: Rank;
}

/** What is found on a walk: a group before what lies in it, its lessons before its groups. */
export type BankStop =
  | { readonly type: 'group'; readonly group: Group; readonly groups: readonly GroupOnPath[] }
  | { readonly type: 'entry'; readonly entry: BankEntry };

/**
 * The tree, depth first; lessons in no group (right below the root, or without a place) come last.
 * Groups with nothing to show are there too.
 */
export function* walkBank(
  tree: Tree,
  selection: EntrySelection = {},
): Generator<BankStop, void, undefined> {
  for (const child of childrenOf(tree, ROOT_ID))
    yield* walkGroup(tree, child, { selection, groups: [] });
  for (const id of [...childrenOf(tree, ROOT_ID), ...unplacedLessons(tree)]) {
    yield* lessonStop(tree, id, { selection, groups: [] });
  }
}

interface Place {
  readonly selection: EntrySelection;
  readonly groups: readonly GroupOnPath[];
}

function* walkGroup(
  tree: Tree,
  id: string,
  { selection, groups: above }: Place,
): Generator<BankStop, void, undefined> {
  const group = getGroup(tree, id);
  if (group === undefined) return;
  const groups = [...above, { id, title: group.title, rank: rankOf(tree, id) }];
  yield { type: 'group', group, groups };
  const children = childrenOf(tree, id);
  for (const child of children) yield* lessonStop(tree, child, { selection, groups });
  if (selection.rules === true && isShown(tree, group, selection) && rankOf(tree, id) === 'rule') {
    yield { type: 'entry', entry: ruleEntry(tree, group, groups) };
  }
  for (const child of children) yield* walkGroup(tree, child, { selection, groups });
}

/** The lessons of a bank (and its rules, where asked for) in the order of `walkBank`. */
export function* bankEntries(
  tree: Tree,
  selection: EntrySelection = {},
): Generator<BankEntry, void, undefined> {
  for (const stop of walkBank(tree, selection)) if (stop.type === 'entry') yield stop.entry;
}

/** Whether a group's summary may be shown: nothing held is handed out, unless it is asked for. */
export function isShown(tree: Tree, { summary }: Group, { held }: EntrySelection): boolean {
  if (summary === null) return false;
  return (
    held === true || summary.supportedBy.every((id) => getLesson(tree, id)?.trust === 'trusted')
  );
}

function* lessonStop(
  tree: Tree,
  id: string,
  { selection, groups }: Place,
): Generator<BankStop, void, undefined> {
  const lesson = getLesson(tree, id);
  if (lesson === undefined || lesson.status !== 'active') return;
  if (lesson.trust === 'held' && selection.held !== true) return;
  const { content } = lesson;
  const entry: BankEntry = { ...evidenceOf(tree, id), rank: 'lesson', content, lesson, groups };
  yield { type: 'entry', entry };
}

function ruleEntry(tree: Tree, group: Group, groups: readonly GroupOnPath[]): BankEntry {
  const { id, title, scope, summary } = group;
  const content: LessonContent = {
    title,
    guidance: [
      summary?.text ?? '',
      ...(summary?.procedure ?? []).map((step, index) => `${index + 1}. ${step}`),
    ].join('\n'),
    appliesWhen: summary?.conditions ?? '',
    cautions: [],
    topic: '',
    scope,
    anchor: '',
    crop: null,
  };
  return { ...evidenceOf(tree, id), rank: 'rule', content, lesson: null, groups };
}

function evidenceOf(tree: Tree, id: string) {
  const outcomes = outcomesOf(tree, id);
  const succeeded = outcomes.filter(({ result }) => result === 'success').length;
  const own = standingOf(tree, id, ({ harness }) => harness !== IMPORT_HARNESS);
  const claim = claimOf(
    // A file that this very lesson was written to holds its own counts: they are not counted twice.
    (getLesson(tree, id)?.evidence ?? []).filter((item) => !isItemOf(id, item.claim?.id)),
  );
  return { id, standing: standingOf(tree, id), own, claim, given: outcomes.length, succeeded };
}

function isItemOf(lesson: string, item: string | undefined): boolean {
  return item === lesson || item === bulletId(lesson);
}
