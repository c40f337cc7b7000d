import { utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { claimSchema } from './claim.ts';
import { cropSchema } from '../memory.ts';
import { hashBytes, type Hash } from '../canonical.ts';

/** How strong a piece of evidence is: reference or user said so; a model or check said so; nobody did. */
export const evidenceStrengthSchema = z.enum(['verified', 'judged', 'unverified']);
export type EvidenceStrength = z.infer<typeof evidenceStrengthSchema>;

/** Where a lesson came from: the run and attempt whose trajectory it rests on, and who worked there. */
export const evidenceSchema = z.object({
  taskId: z.string(),
  runId: z.string(),
  attempt: z.int().nonnegative(),
  harness: z.string(),
  backbone: z.string(),
  model: z.string(),
  tool: z.string(),
  /** ISO 8601. */
  at: z.string(),
  feedback: z.enum(['none', 'judged', 'user', 'reference']),
  strength: evidenceStrengthSchema,
  /** false: the source contradicts the lesson, and counts as a failure. */
  supports: z.boolean(),
  /** Of an imported item only; absent elsewhere, so that no older entry's hash changes. */
  claim: claimSchema.exactOptional(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** What an imported item's evidence has as its harness: nothing was worked on here. */
export const IMPORT_HARNESS = 'import';

/** What a lesson says, without where it came from: the same content from two sources is one lesson. */
export const lessonContentSchema = z.object({
  title: z.string().min(1),
  guidance: z.string().min(1),
  appliesWhen: z.string(),
  cautions: z.array(z.string()),
  /** Index text (DESIGN.md §4): what it is about, where it holds, the question it came from. */
  topic: z.string(),
  scope: z.string(),
  anchor: z.string(),
  crop: cropSchema.nullable(),
});
export type LessonContent = z.infer<typeof lessonContentSchema>;

const nodeBase = {
  id: z.string(),
  /** null on the root only, and on a lesson that was added and not yet placed. */
  parent: z.string().nullable(),
};

/** A leaf of the tree. */
export const lessonSchema = z.object({
  kind: z.literal('lesson'),
  ...nodeBase,
  content: lessonContentSchema,
  contentHash: z.string(),
  evidence: z.array(evidenceSchema),
  status: z.enum(['active', 'retired']),
  /** `held`: from outside, until its source is trusted; never selectable while held. */
  trust: z.enum(['trusted', 'held']),
  /** The lesson this one revises. */
  revises: z.string().nullable(),
});
export type Lesson = z.infer<typeof lessonSchema>;

/** A conflict that a consolidation named, between two lessons below the group. */
export const conflictSchema = z.object({
  lessons: z.tuple([z.string(), z.string()]),
  about: z.string(),
  /** null while open; else the lesson that holds, or `both` where a condition tells them apart. */
  settled: z.union([z.string(), z.literal('both')]).nullable(),
});
export type Conflict = z.infer<typeof conflictSchema>;

/** What a consolidation wrote about a group. */
export const summarySchema = z.object({
  text: z.string().min(1),
  procedure: z.array(z.string()),
  conditions: z.string(),
  conflicts: z.array(conflictSchema),
  supportedBy: z.array(z.string()),
});
export type Summary = z.infer<typeof summarySchema>;

/** An internal node. The root is the group whose parent is null. Rank (rule) is derived, never stored. */
export const groupSchema = z.object({
  kind: z.literal('group'),
  ...nodeBase,
  title: z.string(),
  scope: z.string(),
  summary: summarySchema.nullable(),
});
export type Group = z.infer<typeof groupSchema>;

export const nodeSchema = z.discriminatedUnion('kind', [lessonSchema, groupSchema]);
export type Node = z.infer<typeof nodeSchema>;

/** The id of every bank's root group. */
export const ROOT_ID = 'root';

/**
 * A lesson's content address: text and crop, without provenance. The hash of the canonical JSON of
 * `{anchor, appliesWhen, cautions, crop: hash | null, guidance, scope, title, topic}`; written out here
 * member by member because replaying a log asks it of every lesson.
 */
export function lessonContentHash(content: LessonContent): Hash {
  const { anchor, appliesWhen, cautions, crop, guidance, scope, title, topic } = content;
  const json =
    `{"anchor":${quote(anchor)},"appliesWhen":${quote(appliesWhen)},` +
    `"cautions":[${cautions.map(quote).join(',')}],` +
    `"crop":${crop === null ? 'null' : quote(crop.hash)},"guidance":${quote(guidance)},` +
    `"scope":${quote(scope)},"title":${quote(title)},"topic":${quote(topic)}}`;
  return hashBytes(utf8ToBytes(json));
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('not JSON: a lone surrogate');
  return JSON.stringify(text);
}
