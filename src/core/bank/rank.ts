import type { Evidence, Group, Lesson } from './node.ts';
import { childrenOf, getLesson, getNode, outcomesOf, type Tree } from './tree.ts';

/** Evidence for and against a node, counted by distinct tasks (DESIGN.md §3). */
export interface Standing {
  /** Distinct tasks that it rests on, or that it was given to and that succeeded. */
  readonly support: number;
  /** Distinct tasks that it was given to and that failed, or that contradict it. */
  readonly failures: number;
  readonly verified: number;
  readonly judged: number;
}

export type Rank = 'lesson' | 'group' | 'summary' | 'rule';

/**
 * How a node stands, from its evidence and its outcomes; a group's is that of the lessons it names.
 * `counts` says which evidence to go by: all of it where it is left out.
 */
export function standingOf(
  tree: Tree,
  id: string,
  counts: (evidence: Evidence) => boolean = () => true,
): Standing {
  const node = getNode(tree, id);
  const lessons =
    node?.kind === 'lesson'
      ? [node]
      : (node?.summary?.supportedBy ?? []).flatMap((lesson) => getLesson(tree, lesson) ?? []);
  const outcomes = [...new Set([id, ...lessons.map((lesson) => lesson.id)])].flatMap((of) =>
    outcomesOf(tree, of),
  );
  const evidence = lessons.flatMap((lesson: Lesson) => lesson.evidence).filter(counts);
  const supports = evidence.filter((item) => item.supports);
  const succeeded = outcomes.filter(({ result }) => result === 'success');
  const failed = outcomes.filter(({ result }) => result === 'failure');
  const unverified = distinct(supports.filter(isAgreeing));
  return {
    support: distinct([...supports, ...succeeded]),
    failures: distinct([...evidence.filter((item) => !item.supports), ...failed]),
    verified: distinct(
      [...supports, ...succeeded].filter(({ strength }) => strength === 'verified'),
    ),
    // Three sources that agree without feedback count as judged.
    judged:
      distinct([...supports, ...succeeded].filter(({ strength }) => strength === 'judged')) +
      (unverified >= 3 ? unverified : 0),
  };
}

/** What a node is, derived from evidence by the manifest's thresholds; nothing sets it. */
export function rankOf(tree: Tree, id: string): Rank {
  const node = getNode(tree, id);
  if (node?.kind === 'lesson') return 'lesson';
  const summary = node?.summary ?? null;
  if (summary === null) return 'group';
  const { rank } = tree.manifest;
  const { support, failures, verified, judged } = standingOf(tree, id);
  if (support < rank.summarySupport) return 'group';
  const isOpen = summary.conflicts.some(({ settled }) => settled === null);
  const isRule =
    support >= rank.ruleSupport &&
    failures / support <= rank.ruleFailureRatio &&
    !isOpen &&
    (verified >= rank.ruleVerified || judged >= rank.ruleJudged);
  return isRule ? 'rule' : 'summary';
}

/** 0 for a lesson; 1 for a summary or rule over lessons; n + 1 over two or more of level n. */
export function levelOf(tree: Tree, id: string): number {
  const node = getNode(tree, id);
  if (node === undefined || node.kind === 'lesson' || !isEligible(tree, node)) return 0;
  const counts = new Map<number, number>();
  for (const child of childrenOf(tree, id)) {
    const level = levelOf(tree, child);
    if (level > 0) counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  const doubled = [...counts].flatMap(([level, count]) => (count >= 2 ? [level] : []));
  return Math.max(0, ...doubled) + 1;
}

function isEligible(tree: Tree, group: Group): boolean {
  const rank = rankOf(tree, group.id);
  return rank === 'summary' || rank === 'rule';
}

function isAgreeing({ feedback, strength }: Evidence): boolean {
  return feedback === 'none' && strength === 'unverified';
}

function distinct(items: readonly { readonly taskId: string }[]): number {
  return new Set(items.map(({ taskId }) => taskId)).size;
}
