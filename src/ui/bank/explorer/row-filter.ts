import type { EvidenceStrength, Lesson, Node } from '../../../core/bank/node.ts';
import { rankOf, standingOf } from '../../../core/bank/rank.ts';
import { sourceOf } from '../../../core/bank/source-of.ts';
import { treeFacts } from '../../../core/bank/tree-facts.ts';
import { getNode, type Tree } from '../../../core/bank/tree.ts';

/** What a person may narrow the explorer to. */
export interface Filter {
  readonly query: string;
  readonly rules: boolean;
  readonly crops: boolean;
  readonly held: boolean;
  readonly failing: boolean;
  /** Who worked where a lesson came from, as `sourceOf` names it; empty for anyone. */
  readonly source: string;
  /** The strength that a piece of its evidence must have; empty for any. */
  readonly strength: EvidenceStrength | '';
  /** Its newest evidence is no older than this many days; 0 for any age. */
  readonly days: number;
}

export const NO_FILTER: Filter = {
  query: '',
  rules: false,
  crops: false,
  held: false,
  failing: false,
  source: '',
  strength: '',
  days: 0,
};

const DAY_MS = 86_400_000;

/** Whether a filter leaves anything out. */
export function isNarrow(filter: Filter): boolean {
  return JSON.stringify(filter) !== JSON.stringify(NO_FILTER);
}

/** Every source that active lessons have, in order. */
export function sourcesIn(tree: Tree): readonly string[] {
  const sources = new Set<string>();
  for (const [, node] of tree.nodes.entries()) {
    if (node.kind !== 'lesson' || node.status !== 'active') continue;
    for (const evidence of node.evidence) sources.add(sourceOf(evidence));
  }
  return [...sources].sort();
}

/** Tells whether a node is like the filter, for a whole walk; what is cheap is asked first. */
export function makeMatcher(
  tree: Tree,
  filter: Filter,
  nowMs: number = Date.now(),
): (node: Node) => boolean {
  const words = filter.query.toLowerCase().split(/\s+/u).filter(Boolean);
  const since = filter.days === 0 ? '' : new Date(nowMs - filter.days * DAY_MS).toISOString();
  return (node) => {
    const lesson = node.kind === 'lesson' ? node : null;
    return (
      (!filter.rules || isInRule(tree, node)) &&
      (!filter.crops || (lesson !== null && lesson.content.crop !== null)) &&
      (!filter.held || lesson?.trust === 'held') &&
      hasEvidence(lesson, filter, since) &&
      says(node, words) &&
      (!filter.failing || standingOf(tree, node.id).failures > 0)
    );
  };
}

/** A rule, or a lesson that a rule rests on. */
function isInRule(tree: Tree, node: Node): boolean {
  if (node.kind === 'group') return treeFacts(tree).rankOf(node.id) === 'rule';
  if (node.parent === null) return false;
  const parent = getNode(tree, node.parent);
  return (
    parent?.kind === 'group' &&
    parent.summary?.supportedBy.includes(node.id) === true &&
    rankOf(tree, parent.id) === 'rule'
  );
}

function hasEvidence(lesson: Lesson | null, filter: Filter, since: string): boolean {
  const { source, strength } = filter;
  if (source === '' && strength === '' && since === '') return true;
  return (
    lesson?.evidence.some(
      (evidence) =>
        (source === '' || sourceOf(evidence) === source) &&
        (strength === '' || evidence.strength === strength) &&
        evidence.at >= since,
    ) === true
  );
}

function says(node: Node, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = textOf(node).toLowerCase();
  return words.every((word) => text.includes(word));
}

function textOf(node: Node): string {
  if (node.kind === 'group') return `${node.title} ${node.scope} ${node.summary?.text ?? ''}`;
  const { title, guidance, appliesWhen, cautions, topic, scope } = node.content;
  return [title, guidance, appliesWhen, ...cautions, topic, scope].join(' ');
}
