import { ROOT_ID, type Node } from '../bank/node.ts';
import { rankOf } from '../bank/rank.ts';
import { sourceOf } from '../bank/source-of.ts';
import { getLesson, getNode, type Tree } from '../bank/tree.ts';
import { indexFields } from './index-text.ts';
import type { PutNode } from './index/recall-types.ts';

/** A node as recall sees it. */
export type RecalledNode = Pick<PutNode, 'fields' | 'isTrusted' | 'rank' | 'source'>;

/** A node that recall is to see otherwise from now on; null: no more. */
export interface RecallChange {
  readonly id: string;
  readonly node: RecalledNode | null;
}

/**
 * What became different between two trees in what recall sees: active lessons, held ones too, and
 * groups. Its cost grows with what differs, not with the trees.
 */
export function recallChanges(before: Tree, after: Tree): readonly RecallChange[] {
  return [...affectedIds(before, after)].flatMap((id) => {
    const [was, is] = [recalled(before, id), recalled(after, id)];
    return isSame(was, is) ? [] : [{ id, node: is }];
  });
}

/** Nodes that changed or were given an outcome, and the groups whose summary rests on them. */
function affectedIds(before: Tree, after: Tree): ReadonlySet<string> {
  const changed = new Set(after.nodes.differencesFrom(before.nodes).map(({ key }) => key));
  for (const { before: old, after: now } of after.outcomes.differencesFrom(before.outcomes)) {
    const outcome = now ?? old;
    if (outcome !== undefined) changed.add(outcome.nodeId);
  }
  const affected = new Set(changed);
  for (const id of changed) {
    for (const tree of [before, after]) {
      for (const group of tree.index.summarisedIn.get(id) ?? []) affected.add(group);
    }
  }
  return affected;
}

function recalled(tree: Tree, id: string): RecalledNode | null {
  const node = getNode(tree, id);
  if (node === undefined || id === ROOT_ID) return null;
  if (node.kind === 'lesson' && node.status !== 'active') return null;
  return {
    fields: indexFields(node),
    isTrusted: isTrusted(tree, node),
    rank: rankOf(tree, id),
    source: sourceOfNode(node),
  };
}

/** Where a lesson's first evidence came from; a group has no source of its own. */
function sourceOfNode(node: Node): string {
  const [first] = node.kind === 'lesson' ? node.evidence : [];
  return first === undefined ? '' : sourceOf(first);
}

/** A lesson that is trusted, or a group whose summary rests on such lessons alone. */
function isTrusted(tree: Tree, node: Node): boolean {
  if (node.kind === 'lesson') return node.trust === 'trusted';
  return (node.summary?.supportedBy ?? []).every(
    (lesson) => getLesson(tree, lesson)?.trust === 'trusted',
  );
}

function isSame(first: RecalledNode | null, second: RecalledNode | null): boolean {
  if (first === null || second === null) return first === second;
  return (
    first.isTrusted === second.isTrusted &&
    first.rank === second.rank &&
    first.source === second.source &&
    first.fields.topic === second.fields.topic &&
    first.fields.scope === second.fields.scope &&
    first.fields.anchor === second.fields.anchor
  );
}
