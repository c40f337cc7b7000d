import { applyOperation } from '../apply.ts';
import { lessonContentHash, ROOT_ID, type LessonContent } from '../node.ts';
import type { BankManifest, LogEntry } from '../operation.ts';
import { emptyTree } from '../tree.ts';
import { erasedWords, fold, type ErasedWords } from './erased-words.ts';
import { loggedLessons, type LoggedLesson } from './log-lessons.ts';

/** What a person wants erased from a bank. */
export interface ErasureTarget {
  /** Lessons, with all their revisions and whatever else has their content. */
  readonly lessonIds?: readonly string[] | undefined;
  /** Tasks: lessons that rest on nothing else, and their evidence and outcomes everywhere. */
  readonly taskIds?: readonly string[] | undefined;
  /** Questions of the tasks, where they are known and no other task asks the same. */
  readonly questions?: readonly string[] | undefined;
}

/** What goes from a log, worked out once over all of it, so that every entry is judged alike. */
export interface WhatGoes {
  readonly lessons: ReadonlySet<string>;
  /** Groups that never held, at any depth, a lesson that stays. */
  readonly groups: ReadonlySet<string>;
  readonly tasks: ReadonlySet<string>;
  /** Questions, folded, that no anchor of a lesson with the tasks' evidence may hold. */
  readonly questions: ReadonlySet<string>;
  /** Content hashes of the lessons that go. */
  readonly contents: ReadonlySet<string>;
  /** Evidence items that go from lessons that stay. */
  readonly evidence: number;
  /** Lessons that stay and lose evidence. */
  readonly cut: ReadonlySet<string>;
  /** Those of them whose anchor asked one of the questions; ascending. */
  readonly reworded: readonly string[];
  readonly words: ErasedWords;
}

/** Works out what goes. The log must replay; entries that do not are passed over. */
export function whatGoes(
  manifest: BankManifest,
  log: readonly LogEntry[],
  target: ErasureTarget,
): WhatGoes {
  const all = loggedLessons(log);
  const tasks = new Set(target.taskIds);
  const questions = new Set(target.questions?.map(fold));
  const lessons = withSame(all, target.lessonIds ?? []);
  for (const lesson of all.values()) {
    if (restsOnlyOn(all, lesson, tasks)) lessons.add(lesson.id);
  }
  const cutOf = ({ id, evidence }: LoggedLesson) =>
    lessons.has(id) ? [] : [...evidence.values()].filter(({ taskId }) => tasks.has(taskId));
  for (const id of collisions(
    [...all.values()].filter((one) => cutOf(one).length > 0),
    {
      all,
      questions,
    },
  )) {
    lessons.add(id);
  }
  const cut = [...all.values()].filter((lesson) => cutOf(lesson).length > 0);
  const contentsOf = (goes: boolean) =>
    [...all.values()]
      .filter(({ id }) => lessons.has(id) === goes)
      .flatMap(({ contents }) => [...contents]);
  const going = contentsOf(true);
  const textsOf = (contents: readonly (readonly [string, LessonContent])[]) =>
    contents.flatMap(([, content]) => words(content));
  const erased = [...textsOf(going), ...questions];
  return {
    lessons,
    groups: lessons.size === 0 ? new Set() : emptiedGroups(manifest, log, lessons),
    tasks,
    questions,
    contents: new Set(going.map(([hash]) => hash)),
    evidence: cut.reduce((sum, lesson) => sum + cutOf(lesson).length, 0),
    cut: new Set(cut.map(({ id }) => id)),
    reworded: cut
      .filter(({ contents }) =>
        [...contents.values()].some((content) => withoutQuestion(content, questions) !== content),
      )
      .map(({ id }) => id)
      .sort(),
    words: erasedWords(erased, textsOf(contentsOf(false))),
  };
}

/** A lesson's content without an anchor that asks one of the questions. */
export function withoutQuestion(
  content: LessonContent,
  questions: ReadonlySet<string>,
): LessonContent {
  return content.anchor !== '' && questions.has(fold(content.anchor))
    ? { ...content, anchor: '' }
    : content;
}

/** The lessons with all that revise them or are revised by them, or have the same content. */
function withSame(all: ReadonlyMap<string, LoggedLesson>, ids: readonly string[]): Set<string> {
  const near = new Map<string, Set<string>>();
  const join = (first: string, second: string) => {
    near.set(first, (near.get(first) ?? new Set()).add(second));
    near.set(second, (near.get(second) ?? new Set()).add(first));
  };
  for (const { id, revises, contents } of all.values()) {
    for (const other of revises) join(id, other);
    // A content hash stands between all that have it.
    for (const hash of contents.keys()) join(id, `content/${hash}`);
  }
  const found = new Set(ids.filter((id) => all.has(id)));
  for (const id of found) for (const other of near.get(id) ?? []) found.add(other);
  for (const id of found) if (!all.has(id)) found.delete(id);
  return found;
}

/** Whether all evidence of a lesson is of the tasks; one without any rests on what it revises. */
function restsOnlyOn(
  all: ReadonlyMap<string, LoggedLesson>,
  lesson: LoggedLesson,
  tasks: ReadonlySet<string>,
): boolean {
  const seen = new Set<LoggedLesson>();
  let resting: readonly LoggedLesson[] = [lesson];
  while (resting.length > 0) {
    const evidence = resting.flatMap((each) => [...each.evidence.values()]);
    if (evidence.length > 0) return evidence.every(({ taskId }) => tasks.has(taskId));
    resting.forEach((each) => seen.add(each));
    resting = resting
      .flatMap(({ revises }) => [...revises].flatMap((id) => all.get(id) ?? []))
      .filter((each) => !seen.has(each));
  }
  return false;
}

/** Lessons that would say what another says once their anchor went: they go, and the other stays. */
function collisions(
  lessons: readonly LoggedLesson[],
  {
    all,
    questions,
  }: { readonly all: ReadonlyMap<string, LoggedLesson>; readonly questions: ReadonlySet<string> },
): readonly string[] {
  if (questions.size === 0) return [];
  /** What each hash was, before the anchor went. */
  const known = new Map<string, string>();
  for (const { contents } of all.values())
    for (const hash of contents.keys()) known.set(hash, hash);
  return lessons.flatMap(({ id, contents }) => {
    const collides = [...contents].some(([hash, content]) => {
      const left = withoutQuestion(content, questions);
      if (left === content) return false;
      const after = lessonContentHash(left);
      const was = known.get(after) ?? hash;
      known.set(after, was);
      return was !== hash;
    });
    return collides ? [id] : [];
  });
}

/** Groups that held lessons that go, and never one that stays, with the empty groups below them. */
function emptiedGroups(
  manifest: BankManifest,
  log: readonly LogEntry[],
  lessons: ReadonlySet<string>,
): ReadonlySet<string> {
  const { parents, children, stay } = placesEver(manifest, log, lessons);
  const isAlive = reach(stay, parents);
  const goes = new Set([...reach(lessons, parents)].filter((id) => !isAlive.has(id)));
  goes.delete(ROOT_ID);
  const groups = [...reach(goes, children), ...goes].filter((id) => !lessons.has(id));
  return new Set(groups.filter((id) => id !== ROOT_ID));
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

/** Every place that every node ever had, and the lessons that stay. */
function placesEver(
  manifest: BankManifest,
  log: readonly LogEntry[],
  lessons: ReadonlySet<string>,
): { readonly parents: Edges; readonly children: Edges; readonly stay: ReadonlySet<string> } {
  const parents = new Map<string, Set<string>>();
  const children = new Map<string, Set<string>>();
  const stay = new Set<string>();
  let tree = emptyTree(manifest);
  for (const { operation, by } of log) {
    const applied = applyOperation(tree, operation, by);
    if (!applied.ok) continue;
    const before = tree;
    ({ tree } = applied.value);
    for (const { key, after } of tree.nodes.differencesFrom(before.nodes)) {
      if (after?.kind === 'lesson' && !lessons.has(key)) stay.add(key);
      const parent = after?.parent ?? null;
      if (parent === null) continue;
      parents.set(key, (parents.get(key) ?? new Set()).add(parent));
      children.set(parent, (children.get(parent) ?? new Set()).add(key));
    }
  }
  return { parents, children, stay };
}

/** All that the edges lead to, from any of `ids`; those themselves only where an edge leads back. */
function reach(ids: ReadonlySet<string>, edges: Edges): ReadonlySet<string> {
  const found = new Set<string>();
  for (const id of ids) for (const next of edges.get(id) ?? []) found.add(next);
  for (const id of found) for (const next of edges.get(id) ?? []) found.add(next);
  return found;
}

function words(content: LessonContent): readonly string[] {
  const { title, guidance, appliesWhen, cautions, topic, scope, anchor } = content;
  return [title, guidance, appliesWhen, ...cautions, topic, scope, anchor];
}
