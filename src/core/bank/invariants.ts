import { ROOT_ID, lessonContentHash, type Group } from './node.ts';
import { getGroup, getLesson, isBelow, lineageOf, type Tree } from './tree.ts';

/** An invariant that does not hold: its number in SPEC.md, the node, and a sentence. */
export interface Violation {
  readonly rule: `I${number}`;
  readonly id: string;
  readonly message: string;
}

/** Checks every invariant of SPEC.md over the whole tree. Empty where all hold. */
export function checkInvariants(tree: Tree): readonly Violation[] {
  const found: Violation[] = [];
  const say = (rule: Violation['rule'], id: string, message: string) =>
    found.push({ rule, id, message });
  const { maxChildren, maxDepth } = tree.manifest;
  const children = new Map<string, number>();
  const contents = new Map<string, string>();
  for (const [id, node] of tree.nodes.entries()) {
    const { parent } = node;
    if (node.id !== id) say('I4', id, `the record of ${id} calls itself ${node.id}`);
    if (parent === null && node.kind === 'group' && id !== ROOT_ID) {
      say('I1', id, `${id} is a second root`);
    }
    if (parent !== null) {
      children.set(parent, (children.get(parent) ?? 0) + 1);
      if (getGroup(tree, parent) === undefined) say('I4', id, `${id} hangs from no group`);
      const depth = lineageOf(tree, id).length;
      if (depth === 0) say('I2', id, `${id} does not lead to the root`);
      if (depth > maxDepth) say('I6', id, `${id} lies ${depth} steps deep`);
    }
    if (node.kind === 'lesson') {
      if (node.status === 'retired' && parent !== null)
        say('I3', id, `${id} is retired and placed`);
      if (node.contentHash !== lessonContentHash(node.content)) {
        say('I8', id, `the content hash of ${id} is wrong`);
      }
      if (node.status === 'active') {
        const same = contents.get(node.contentHash);
        if (same !== undefined) say('I9', id, `${id} and ${same} say the same`);
        contents.set(node.contentHash, id);
      }
    } else if (!restsBelow(tree, node)) {
      say('I7', id, `the summary of ${id} rests on a lesson that is not below it`);
    }
  }
  const root = tree.nodes.get(ROOT_ID);
  if (root?.kind !== 'group' || root.parent !== null) say('I1', ROOT_ID, 'there is no root');
  for (const [id, count] of children) {
    if (count > maxChildren) say('I5', id, `${id} has ${count} children`);
  }
  for (const [id, aliases] of tree.aliases.entries()) {
    if (tree.nodes.get(id)?.kind === 'group') say('I4', id, `${id} is a node and an alias`);
    for (const alias of aliases) {
      if (!tree.nodes.has(alias) && !tree.aliases.has(alias)) {
        say('I4', id, `${id} resolves to ${alias}, which is nothing`);
      }
    }
  }
  for (const [key, outcome] of tree.outcomes.entries()) {
    if (!tree.nodes.has(outcome.nodeId) && !tree.aliases.has(outcome.nodeId)) {
      say('I4', key, `an outcome names ${outcome.nodeId}, which is nothing`);
    }
  }
  return found;
}

/** I7: a group's summary has support, and names active lessons below the group. True without one. */
export function restsBelow(tree: Tree, { id, summary }: Group): boolean {
  if (summary === null) return true;
  const { supportedBy, conflicts } = summary;
  const named = [...supportedBy, ...conflicts.flatMap(({ lessons }) => lessons)];
  return (
    supportedBy.length > 0 &&
    named.every(
      (lesson) => getLesson(tree, lesson)?.status === 'active' && isBelow(tree, lesson, id),
    )
  );
}
