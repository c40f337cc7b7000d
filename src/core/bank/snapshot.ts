import { z } from 'zod';
import type { BankSnapshot, LogHead } from '../ports.ts';
import { accept, refuse, type Refusal, type Result } from '../result.ts';
import { makeChanges, type Change } from './change.ts';
import {
  conflictSchema,
  groupSchema,
  lessonContentSchema,
  lessonSchema,
  ROOT_ID,
  summarySchema,
  type Group,
  type Lesson,
  type Node,
} from './node.ts';
import { outcomeSchema, type BankManifest } from './operation.ts';
import { emptyTree, getGroup, type Tree } from './tree.ts';

const lessonRecord = lessonSchema.omit({ content: true });
const groupRecord = groupSchema.omit({ title: true, scope: true, summary: true }).extend({
  summary: summarySchema
    .pick({ supportedBy: true })
    .extend({ conflicts: z.array(conflictSchema.omit({ about: true })) })
    .nullable(),
});
const groupText = groupSchema.pick({ title: true, scope: true }).extend({
  summary: summarySchema
    .omit({ supportedBy: true, conflicts: true })
    .extend({ about: z.array(z.string()) })
    .nullable(),
});
type GroupText = z.infer<typeof groupText>;

/** Everything but words: what a tree's shape, ranks and counts need. */
const structureSchema = z.object({
  version: z.literal(1),
  frozen: z.boolean(),
  nodes: z.array(z.discriminatedUnion('kind', [lessonRecord, groupRecord])),
  aliases: z.array(z.tuple([z.string(), z.array(z.string())])),
  outcomes: z.array(z.tuple([z.string(), outcomeSchema])),
});
type Structure = z.infer<typeof structureSchema>;

/** A tree as it stood at `head`, structure apart from text (DESIGN.md §3); `fromSnapshot` reads it. */
export function toSnapshot(tree: Tree, head: LogHead): BankSnapshot {
  const text = new Map<string, unknown>();
  const nodes = [...tree.nodes.entries()].map(([id, node]): Structure['nodes'][number] => {
    if (node.kind === 'lesson') {
      const { content, ...record } = node;
      text.set(id, content);
      return record;
    }
    text.set(id, textOfGroup(node));
    return recordOfGroup(node);
  });
  const structure: Structure = {
    version: 1,
    frozen: tree.frozen,
    nodes,
    aliases: [...tree.aliases.entries()].map(([id, to]) => [id, [...to]]),
    outcomes: [...tree.outcomes.entries()].map(([key, outcome]) => [key, outcome]),
  };
  return { head, structure, text };
}

function recordOfGroup({ kind, id, parent, summary }: Group): z.infer<typeof groupRecord> {
  if (summary === null) return { kind, id, parent, summary };
  const { supportedBy } = summary;
  const conflicts = summary.conflicts.map(({ lessons, settled }) => ({ lessons, settled }));
  return { kind, id, parent, summary: { supportedBy, conflicts } };
}

function textOfGroup({ title, scope, summary }: Group): GroupText {
  if (summary === null) return { title, scope, summary };
  const { text, procedure, conditions } = summary;
  const about = summary.conflicts.map((conflict) => conflict.about);
  return { title, scope, summary: { text, procedure, conditions, about } };
}

/**
 * The tree that a snapshot tells of. Refused `bad-shape` where it does not parse or a node has no
 * text, `dangling` where a node hangs from no group; the log then tells it all. Whether the log passes
 * through the snapshot's head is for the caller to check.
 */
export function fromSnapshot(
  manifest: BankManifest,
  snapshot: BankSnapshot,
): Result<Tree, Refusal<'bad-shape' | 'dangling'>> {
  const parsed = structureSchema.safeParse(snapshot.structure);
  if (!parsed.success) return unread(parsed.error, 'structure');
  const { frozen, nodes, aliases, outcomes } = parsed.data;
  const changes: Change[] = [];
  for (const record of nodes) {
    const node = withText(record, snapshot.text.get(record.id));
    if (!node.ok) return node;
    changes.push({ table: 'node', id: record.id, from: null, to: node.value });
  }
  for (const [id, to] of aliases) changes.push({ table: 'alias', id, from: null, to });
  for (const [id, to] of outcomes) changes.push({ table: 'outcome', id, from: null, to });
  const bare = emptyTree(manifest);
  const tree = makeChanges({ ...bare, nodes: bare.nodes.delete(ROOT_ID), frozen }, changes);
  const lost = nodes.find(({ parent }) => parent !== null && getGroup(tree, parent) === undefined);
  if (lost !== undefined || getGroup(tree, ROOT_ID) === undefined) {
    return refuse('dangling', `${lost?.id ?? ROOT_ID} hangs from nothing`, 'structure.nodes');
  }
  return accept(tree);
}

function withText(
  record: Structure['nodes'][number],
  text: unknown,
): Result<Node, Refusal<'bad-shape'>> {
  if (record.kind === 'lesson') {
    const content = lessonContentSchema.safeParse(text);
    if (!content.success) return unread(content.error, `text.${record.id}`);
    return accept<Lesson>({ ...record, content: content.data });
  }
  const parsed = groupText.safeParse(text);
  if (!parsed.success) return unread(parsed.error, `text.${record.id}`);
  const { title, scope, summary: words } = parsed.data;
  if (words === null || record.summary === null) {
    return accept<Group>({ ...record, title, scope, summary: null });
  }
  const { about, ...rest } = words;
  const { supportedBy } = record.summary;
  const conflicts = record.summary.conflicts.map((conflict, at) => ({
    ...conflict,
    about: about[at] ?? '',
  }));
  return accept<Group>({ ...record, title, scope, summary: { ...rest, conflicts, supportedBy } });
}

function unread(error: z.ZodError, at: string) {
  const issue = error.issues[0];
  const path = [at, ...(issue?.path ?? [])].join('.');
  return refuse('bad-shape', `${path}: ${issue?.message ?? ''}`, path);
}
