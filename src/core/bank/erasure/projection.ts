import { unreachable } from '../../result.ts';
import type { Change } from '../change.ts';
import {
  lessonContentHash,
  ROOT_ID,
  type Group,
  type Lesson,
  type Node,
  type Summary,
} from '../node.ts';
import type { Outcome } from '../operation.ts';
import { TITLE_INSTEAD } from './erased-words.ts';
import { withoutQuestion, type WhatGoes } from './what-goes.ts';

/**
 * What is left of each record of a tree: itself where nothing of it goes, `null` where all of it does.
 * It depends on the record alone, so the tree after an erasure is, entry by entry, what this makes of
 * the tree before it.
 */
export interface Projection {
  node(node: Node | null): Node | null;
  lesson(lesson: Lesson): Lesson;
  summary(summary: Summary): Summary | null;
  alias(id: string, targets: readonly string[] | null): readonly string[] | null;
  outcome(outcome: Outcome | null): Outcome | null;
  record(record: Change): Change;
}

/** The projection of an erasure. */
export function projectionOf(goes: WhatGoes): Projection {
  const { lessons, groups, tasks, words } = goes;
  const isGone = (id: string) => lessons.has(id) || groups.has(id);
  const lesson = (whole: Lesson): Lesson => leftOfLesson(goes, whole);
  const summary = (whole: Summary): Summary | null => {
    const { text, procedure, conditions, conflicts, supportedBy } = whole;
    const named = [...supportedBy, ...conflicts.flatMap((conflict) => conflict.lessons)];
    const said = [text, ...procedure, conditions, ...conflicts.map(({ about }) => about)];
    return named.some(isGone) || said.some(words.quotes) ? null : whole;
  };
  const group = (whole: Group): Group => {
    const left = {
      title: isOwnTitle(whole) ? whole.title : words.label(whole.title, TITLE_INSTEAD),
      scope: words.label(whole.scope, ''),
      summary: whole.summary === null ? null : summary(whole.summary),
    };
    const isWhole =
      left.title === whole.title && left.scope === whole.scope && left.summary === whole.summary;
    return isWhole ? whole : { ...whole, ...left };
  };
  const node = (whole: Node | null) => {
    if (whole === null || isGone(whole.id)) return null;
    return whole.kind === 'lesson' ? lesson(whole) : group(whole);
  };
  const alias = (id: string, targets: readonly string[] | null) => {
    if (targets === null || isGone(id)) return null;
    const left = targets.filter((target) => !isGone(target));
    if (left.length === targets.length) return targets;
    // A lesson whose revisions went stands for itself; a group that was is told from nothing.
    return left.length === 0 && targets.some((target) => lessons.has(target)) ? null : left;
  };
  const outcome = (whole: Outcome | null) =>
    whole === null || isGone(whole.nodeId) || tasks.has(whole.taskId) ? null : whole;
  const record = (change: Change): Change => {
    switch (change.table) {
      case 'node':
        return { ...change, from: node(change.from), to: node(change.to) };
      case 'alias': {
        const [from, to] = [alias(change.id, change.from), alias(change.id, change.to)];
        return { ...change, from: from && [...from], to: to && [...to] };
      }
      case 'outcome':
        return { ...change, from: outcome(change.from), to: outcome(change.to) };
      case 'state':
        return change;
      default:
        return unreachable(change);
    }
  };
  return { node, lesson, summary, alias, outcome, record };
}

function leftOfLesson({ lessons, tasks, questions, cut }: WhatGoes, whole: Lesson): Lesson {
  const revises = whole.revises !== null && lessons.has(whole.revises) ? null : whole.revises;
  if (!cut.has(whole.id)) return revises === whole.revises ? whole : { ...whole, revises };
  const evidence = whole.evidence.filter(({ taskId }) => !tasks.has(taskId));
  const content = withoutQuestion(whole.content, questions);
  const contentHash = content === whole.content ? whole.contentHash : lessonContentHash(content);
  return { ...whole, evidence, content, contentHash, revises };
}

/** The title of every root, which no one wrote. */
function isOwnTitle({ id, title }: Group): boolean {
  return id === ROOT_ID && title === 'All lessons';
}
