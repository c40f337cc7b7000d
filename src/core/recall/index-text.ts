import type { Group, LessonContent, Node } from '../bank/node.ts';
import type { Task } from '../task.ts';
import type { IndexFields } from './index/recall-types.ts';

/** What a task looks for: the question, and what every solver may know. */
export function queryText({ question, publicInformation }: Task): string {
  return publicInformation === '' ? question : `${question}\n${publicInformation}`;
}

/** What recall finds a node by (DESIGN.md §4): its topic, its scope, and the question it came from. */
export function indexFields(node: Node): IndexFields {
  if (node.kind === 'lesson') {
    const { title, topic, scope, anchor, appliesWhen } = node.content;
    return { topic: lines(title, topic), scope: lines(scope, appliesWhen), anchor };
  }
  const { title, scope, summary } = node;
  return { topic: title, scope: lines(scope, summary?.conditions ?? ''), anchor: '' };
}

/** The fields as one text, for an encoder. */
export function fieldsText({ topic, scope, anchor }: IndexFields): string {
  return lines(topic, scope, anchor);
}

function lines(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** All that a node says, for the likeness of nodes. */
export function indexText(node: Node): string {
  return node.kind === 'lesson' ? lessonIndexText(node.content) : groupIndexText(node);
}

export function lessonIndexText(content: LessonContent): string {
  const { title, topic, scope, anchor, appliesWhen, guidance } = content;
  return [title, topic, scope, anchor, appliesWhen, guidance].join('\n');
}

function groupIndexText({ title, scope, summary }: Group): string {
  const said = summary === null ? [] : [summary.text, summary.conditions, ...summary.procedure];
  return [title, scope, ...said].join('\n');
}

/** A lesson as a solver is given it: guidance, when it applies, cautions. */
export function lessonText({ guidance, appliesWhen, cautions }: LessonContent): string {
  return [
    guidance,
    ...(appliesWhen === '' ? [] : [`Applies when ${appliesWhen}`]),
    ...cautions.map((caution) => `Caution: ${caution}`),
  ].join('\n');
}

/** A rule or summary as a solver is given it. */
export function groupText({ summary }: Group): string {
  if (summary === null) return '';
  return [
    summary.text,
    ...summary.procedure.map((step, index) => `${index + 1}. ${step}`),
    ...(summary.conditions === '' ? [] : [`Applies when ${summary.conditions}`]),
  ].join('\n');
}
