import { ROOT_ID, type Lesson, type Node } from '../../core/bank/node.ts';
import type { LogEntry, Operation } from '../../core/bank/operation.ts';
import { rankOf, standingOf, type Rank } from '../../core/bank/rank.ts';
import { childrenOf, getNode, lessonsBelow, titleOf, type Tree } from '../../core/bank/tree.ts';

/** What a person may narrow the explorer to. */
export interface Filter {
  readonly query: string;
  readonly rules: boolean;
  readonly crops: boolean;
  readonly held: boolean;
  readonly failing: boolean;
}

export const NO_FILTER: Filter = {
  query: '',
  rules: false,
  crops: false,
  held: false,
  failing: false,
};

/** One node as the explorer and the picture show it. */
export interface TreeRow {
  readonly id: string;
  readonly node: Node;
  readonly title: string;
  /** 1 just below the root. */
  readonly level: number;
  readonly parentId: string;
  readonly rank: Rank;
  readonly held: boolean;
  readonly lessons: number;
  readonly hasChildren: boolean;
}

/** The nodes below the root, depth first, groups before lessons; `open` says which groups show theirs. */
export function treeRows(
  tree: Tree,
  isOpen: (id: string) => boolean,
  filter: Filter = NO_FILTER,
): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const walk = (parentId: string, level: number) => {
    for (const node of sortedChildren(tree, parentId)) {
      if (!passes(tree, node, filter)) continue;
      const hasChildren = childrenOf(tree, node.id).length > 0;
      rows.push({
        id: node.id,
        node,
        title: titleOf(node),
        level,
        parentId,
        rank: rankOf(tree, node.id),
        held: node.kind === 'lesson' && node.trust === 'held',
        lessons: node.kind === 'lesson' ? 1 : [...lessonsBelow(tree, node.id)].length,
        hasChildren,
      });
      if (hasChildren && isOpen(node.id)) walk(node.id, level + 1);
    }
  };
  walk(ROOT_ID, 1);
  return rows;
}

function sortedChildren(tree: Tree, id: string): readonly Node[] {
  const nodes = childrenOf(tree, id).flatMap((child) => getNode(tree, child) ?? []);
  return nodes
    .filter((node) => node.kind === 'group' || node.status === 'active')
    .toSorted((one, other) => (one.kind === other.kind ? 0 : one.kind === 'group' ? -1 : 1));
}

/** A group passes by itself or with any node below it. */
function passes(tree: Tree, node: Node, filter: Filter): boolean {
  if (matches(tree, node, filter)) return true;
  return childrenOf(tree, node.id).some((id) => {
    const child = getNode(tree, id);
    return child !== undefined && passes(tree, child, filter);
  });
}

function matches(tree: Tree, node: Node, filter: Filter): boolean {
  const lesson: Lesson | null = node.kind === 'lesson' ? node : null;
  const words = filter.query.toLowerCase().split(/\s+/u).filter(Boolean);
  const text = textOf(node).toLowerCase();
  return (
    words.every((word) => text.includes(word)) &&
    (!filter.rules || rankOf(tree, node.id) === 'rule') &&
    (!filter.crops || (lesson !== null && lesson.content.crop !== null)) &&
    (!filter.held || lesson?.trust === 'held') &&
    (!filter.failing || standingOf(tree, node.id).failures > 0)
  );
}

function textOf(node: Node): string {
  if (node.kind === 'group') return `${node.title} ${node.scope} ${node.summary?.text ?? ''}`;
  const { title, guidance, appliesWhen, cautions, topic, scope } = node.content;
  return [title, guidance, appliesWhen, ...cautions, topic, scope].join(' ');
}

/** Whether an operation touched a node. */
function touches(operation: Operation, id: string): boolean {
  switch (operation.type) {
    case 'add-lesson':
      return operation.lesson.id === id;
    case 'revise-lesson':
      return operation.lesson.id === id || operation.predecessor === id;
    case 'support-lesson':
    case 'retire-lesson':
      return operation.lesson === id;
    case 'place':
      return (
        operation.groups.some((group) => group.id === id) ||
        operation.assignments.some(({ lesson, under }) => lesson === id || under === id)
      );
    case 'merge':
      return operation.into === id || operation.groups.includes(id);
    case 'split':
      return operation.group === id || operation.parts.some((part) => part.id === id);
    case 'consolidate':
    case 'settle-conflict':
    case 'revise-group':
      return operation.group === id;
    case 'record-outcome':
      return operation.outcome.nodeId === id;
    case 'set-trust':
    case 'erase':
      return operation.lessons.includes(id);
    case 'restore':
      return operation.records.some((record) => record.table === 'node' && record.id === id);
    case 'erased':
    case 'freeze':
    case 'unfreeze':
      return false;
  }
}

const WORDS: Readonly<Record<Operation['type'], string>> = {
  'add-lesson': 'lesson added',
  'revise-lesson': 'revised',
  'support-lesson': 'another source supports it',
  'retire-lesson': 'retired',
  place: 'placed',
  merge: 'merged',
  split: 'split',
  consolidate: 'summary written',
  'record-outcome': 'outcome recorded',
  'settle-conflict': 'conflict settled',
  'revise-group': 'renamed',
  'set-trust': 'trust changed',
  erased: 'erased',
  erase: 'erased',
  freeze: 'bank frozen',
  unfreeze: 'bank unfrozen',
  restore: 'a step was undone',
};

/** What happened to a node, newest first. */
export function historyOf(entries: readonly LogEntry[], id: string) {
  return entries
    .filter(({ operation }) => touches(operation, id))
    .toReversed()
    .map(({ seq, step, at, by, operation }) => ({
      seq,
      step,
      at,
      by,
      what: WORDS[operation.type],
    }));
}
