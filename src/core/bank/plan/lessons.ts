import { changeAlias, changeNode, type Change, type NodeChange } from '../change.ts';
import { lessonContentHash, type Lesson } from '../node.ts';
import type { Operation } from '../operation.ts';
import { getGroup, getLesson, lessonByContent, outcomesOf, type Tree } from '../tree.ts';
import { no, yes, type OperationRefusal, type Plan } from './refusal.ts';

type Of<T extends Operation['type']> = Extract<Operation, { type: T }>;

/** R4, R5, R8, R9: a new lesson, not yet placed. */
export function planAddLesson(tree: Tree, { lesson }: Of<'add-lesson'>): Plan {
  const refusal = checkNewLesson(tree, lesson);
  if (refusal !== null) return refusal;
  if (lesson.revises !== null) {
    return no(
      'wrong-predecessor',
      'a lesson that revises another is added by revise-lesson',
      'lesson.revises',
    );
  }
  if (lesson.parent !== null) {
    return no(
      'already-placed',
      'a new lesson is placed by an operation of its own',
      'lesson.parent',
    );
  }
  return yes([changeNode(tree, lesson.id, lesson)]);
}

/** R5, R7: takes its predecessor's place; the predecessor is retired and its id still resolves. */
export function planReviseLesson(tree: Tree, { predecessor, lesson }: Of<'revise-lesson'>): Plan {
  const old = getLesson(tree, predecessor);
  if (old === undefined)
    return no('not-a-lesson', `there is no lesson ${predecessor}`, 'predecessor');
  if (old.status !== 'active') {
    return no('not-active', 'a lesson that was retired cannot be revised', 'predecessor');
  }
  if (lesson.revises !== predecessor) {
    return no('wrong-predecessor', 'the revision names another predecessor', 'lesson.revises');
  }
  const refusal = checkNewLesson(tree, lesson, predecessor);
  if (refusal !== null) return refusal;
  return yes([
    ...retire(tree, old),
    changeAlias(tree, predecessor, [lesson.id]),
    { table: 'node', id: lesson.id, from: null, to: { ...lesson, parent: old.parent } },
  ]);
}

/** R5, R10: the same content from another source. */
export function planSupportLesson(
  tree: Tree,
  { lesson: id, evidence }: Of<'support-lesson'>,
): Plan {
  const lesson = getLesson(tree, id);
  if (lesson === undefined) return no('not-a-lesson', `there is no lesson ${id}`, 'lesson');
  if (lesson.status !== 'active') return no('not-active', 'the lesson was retired', 'lesson');
  const known = lesson.evidence.some(
    ({ runId, attempt }) => runId === evidence.runId && attempt === evidence.attempt,
  );
  if (known) return no('already-recorded', 'this attempt is already evidence for it', 'evidence');
  const to: Lesson = { ...lesson, evidence: [...lesson.evidence, evidence] };
  return yes([changeNode(tree, id, to)]);
}

/** R5: leaves its place, and every summary that rests on it is void. */
export function planRetireLesson(tree: Tree, { lesson: id }: Of<'retire-lesson'>): Plan {
  const lesson = getLesson(tree, id);
  if (lesson === undefined) return no('not-a-lesson', `there is no lesson ${id}`, 'lesson');
  if (lesson.status !== 'active')
    return no('not-active', 'the lesson is retired already', 'lesson');
  return yes(retire(tree, lesson));
}

/** R3, R20: each lesson trusted or held, and at least one of them changed. */
export function planSetTrust(tree: Tree, { lessons, trust }: Of<'set-trust'>): Plan {
  const changes: NodeChange[] = [];
  for (const id of new Set(lessons)) {
    const lesson = getLesson(tree, id);
    if (lesson === undefined) return no('not-a-lesson', `there is no lesson ${id}`, 'lessons');
    if (lesson.trust !== trust) changes.push(changeNode(tree, id, { ...lesson, trust }));
  }
  return changes.length === 0
    ? no('already-so', `every one of them is ${trust} already`, 'lessons')
    : yes(changes);
}

/**
 * R3: the lessons go with all that rests on them. What it took cannot be put back. One that is nowhere
 * was erased with its entries: this is its tombstone.
 */
export function planErase(tree: Tree, { lessons }: Of<'erase'>): Plan {
  const gone = new Set(lessons);
  const changes: Change[] = [];
  const voided = new Set<string>();
  for (const id of gone) {
    if (!tree.nodes.has(id)) continue;
    if (getLesson(tree, id) === undefined) return no('not-a-lesson', `${id} is a group`, 'lessons');
    for (const change of voidSummaries(tree, id)) {
      if (!voided.has(change.id)) changes.push(change);
      voided.add(change.id);
    }
    for (const outcome of outcomesOf(tree, id)) {
      const key = `${outcome.retrievalId}/${outcome.nodeId}`;
      changes.push({ table: 'outcome', id: key, from: outcome, to: null });
    }
    changes.push(changeNode(tree, id, null));
  }
  const former = new Set([...gone].flatMap((id) => tree.index.formerIds.get(id) ?? []));
  for (const id of former) {
    const left = (tree.aliases.get(id) ?? []).filter((alias) => !gone.has(alias));
    changes.push(changeAlias(tree, id, left.length === 0 ? null : left));
  }
  return yes(changes);
}

function checkNewLesson(
  tree: Tree,
  lesson: Lesson,
  instead?: string,
): { readonly ok: false; readonly refusal: OperationRefusal } | null {
  if (tree.nodes.has(lesson.id) || tree.aliases.has(lesson.id)) {
    return no('id-taken', `the id ${lesson.id} is taken`, 'lesson.id');
  }
  if (lesson.status !== 'active') {
    return no('not-active', 'a new lesson is active', 'lesson.status');
  }
  if (lesson.contentHash !== lessonContentHash(lesson.content)) {
    return no('wrong-hash', 'the content hash is not that of the content', 'lesson.contentHash');
  }
  const same = lessonByContent(tree, lesson.contentHash);
  if (same !== undefined && same.id !== instead) {
    return no(
      'duplicate-content',
      `${same.id} says the same; support it instead`,
      'lesson.content',
    );
  }
  return null;
}

function retire(tree: Tree, lesson: Lesson): NodeChange[] {
  return [
    ...voidSummaries(tree, lesson.id),
    changeNode(tree, lesson.id, { ...lesson, status: 'retired', parent: null }),
  ];
}

function voidSummaries(tree: Tree, lessonId: string): NodeChange[] {
  return (tree.index.summarisedIn.get(lessonId) ?? []).flatMap((groupId) => {
    const group = getGroup(tree, groupId);
    return group === undefined ? [] : [changeNode(tree, groupId, { ...group, summary: null })];
  });
}
