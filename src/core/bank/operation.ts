import { z } from 'zod';
import {
  evidenceSchema,
  lessonContentSchema,
  lessonSchema,
  nodeSchema,
  summarySchema,
} from './node.ts';

/** An outcome of a later task that a node was given to. Names the retrieval it answers. */
export const outcomeSchema = z.object({
  retrievalId: z.string(),
  nodeId: z.string(),
  taskId: z.string(),
  result: z.enum(['success', 'failure']),
  strength: z.enum(['verified', 'judged', 'unverified']),
});
export type Outcome = z.infer<typeof outcomeSchema>;

const newGroup = z.object({
  id: z.string(),
  parent: z.string(),
  title: z.string().min(1),
  scope: z.string(),
});

/**
 * Every change a bank can take (DESIGN.md §3). The union is complete and closed: a new kind of
 * change is a new schema version. Ids of new nodes are inside the operation, so that replaying it
 * gives the same tree.
 */
export const operationSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('add-lesson'), lesson: lessonSchema }),
  /** Supersedes `predecessor` in its place; the predecessor is retired and still resolves. */
  z.object({ type: z.literal('revise-lesson'), predecessor: z.string(), lesson: lessonSchema }),
  /** Adds evidence to a lesson that exists: the same content from another source. */
  z.object({ type: z.literal('support-lesson'), lesson: z.string(), evidence: evidenceSchema }),
  z.object({ type: z.literal('retire-lesson'), lesson: z.string(), reason: z.string() }),
  z.object({
    type: z.literal('place'),
    /** Groups that do not exist yet, parents before children. */
    groups: z.array(newGroup),
    assignments: z.array(z.object({ lesson: z.string(), under: z.string() })).min(1),
  }),
  z.object({
    type: z.literal('merge'),
    groups: z.array(z.string()).min(2),
    into: z.string(),
    title: z.string().min(1),
    scope: z.string(),
  }),
  z.object({
    type: z.literal('split'),
    group: z.string(),
    parts: z
      .array(
        z.object({
          id: z.string(),
          title: z.string().min(1),
          scope: z.string(),
          children: z.array(z.string()).min(1),
        }),
      )
      .min(2),
    lift: z.boolean(),
    /** true where capacity forced it and the harness cut (deterministic partition). */
    forced: z.boolean(),
  }),
  z.object({ type: z.literal('consolidate'), group: z.string(), summary: summarySchema }),
  z.object({ type: z.literal('record-outcome'), outcome: outcomeSchema }),
  z.object({
    type: z.literal('settle-conflict'),
    group: z.string(),
    lessons: z.tuple([z.string(), z.string()]),
    settled: z.string(),
  }),
  z.object({
    type: z.literal('revise-group'),
    group: z.string(),
    title: z.string().min(1),
    scope: z.string(),
  }),
  z.object({
    type: z.literal('set-trust'),
    lessons: z.array(z.string()).min(1),
    trust: z.enum(['trusted', 'held']),
  }),
  /** What remains of an entry whose payload was erased: changes nothing when applied. */
  z.object({ type: z.literal('erased'), was: z.string() }),
  /** The tombstone of an erasure: which lessons went, and which entries lost their payload. */
  z.object({
    type: z.literal('erase'),
    lessons: z.array(z.string()),
    entries: z.array(z.int().positive()),
    reason: z.string(),
    /**
     * Marks of the tasks' evidence and outcomes (`erasure/cut-marks.ts`), and lessons that stay and lost
     * the question that led to them: a merge brings none of it back. Absent where there is none.
     */
    cut: z.array(z.string()).exactOptional(),
    reworded: z.array(z.string()).exactOptional(),
  }),
  z.object({ type: z.literal('freeze'), reason: z.string() }),
  z.object({ type: z.literal('unfreeze'), reason: z.string() }),
  /**
   * The exact inverse of any operation above, and of itself: each record goes from one value to
   * another (`null`: is not there). Valid only where every record still equals `from`.
   */
  z.object({
    type: z.literal('restore'),
    /** The log entry this takes back; null where it is not known. */
    of: z.int().nullable(),
    records: z
      .array(
        z.discriminatedUnion('table', [
          z.object({
            table: z.literal('node'),
            id: z.string(),
            from: nodeSchema.nullable(),
            to: nodeSchema.nullable(),
          }),
          z.object({
            table: z.literal('alias'),
            id: z.string(),
            from: z.array(z.string()).nullable(),
            to: z.array(z.string()).nullable(),
          }),
          z.object({
            table: z.literal('outcome'),
            id: z.string(),
            from: outcomeSchema.nullable(),
            to: outcomeSchema.nullable(),
          }),
          z.object({
            table: z.literal('state'),
            id: z.literal('frozen'),
            from: z.boolean(),
            to: z.boolean(),
          }),
        ]),
      )
      .min(1),
  }),
]);
export type Operation = z.infer<typeof operationSchema>;
export type OperationType = Operation['type'];

/** Who did it: a person, Grove's own memory harness, the organizer's accepted proposal, or an import. */
export const actorSchema = z.object({
  kind: z.enum(['person', 'harness', 'organizer', 'import', 'agent']),
  name: z.string(),
});
export type Actor = z.infer<typeof actorSchema>;

/** One entry of a bank's log. `hash` is of the entry without it; `prev` is the hash before. */
export const logEntrySchema = z.object({
  seq: z.int().positive(),
  prev: z.string(),
  /** Maintenance step k that it belongs to. */
  step: z.int().nonnegative(),
  at: z.string(),
  by: actorSchema,
  operation: operationSchema,
  hash: z.string(),
});
export type LogEntry = z.infer<typeof logEntrySchema>;

/** The `prev` of a first entry: 64 zeros. */
export const GENESIS_HASH = '0'.repeat(64);

/** The bank that another was forked from, and the entry up to which they share their log. */
export const forkedFromSchema = z.object({
  bankId: z.string(),
  head: z.object({ seq: z.int().nonnegative(), hash: z.string() }),
});

/** Settings that travel with a bank and are part of its fingerprint. */
export const bankManifestSchema = z.object({
  schemaVersion: z.literal(1),
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  maxChildren: z.int().min(2),
  maxDepth: z.int().min(1),
  summaryBudgetChars: z.int().positive(),
  rank: z.object({
    summarySupport: z.int(),
    ruleSupport: z.int(),
    ruleFailureRatio: z.number(),
    ruleVerified: z.int(),
    ruleJudged: z.int(),
  }),
  localOnly: z.boolean(),
  /** Absent in a bank that is no fork, so that its hash is what it was before there were forks. */
  forkedFrom: forkedFromSchema.exactOptional(),
});
export type BankManifest = z.infer<typeof bankManifestSchema>;

/** What a person may change of a bank after it began. */
export type BankSettings = Pick<BankManifest, 'name' | 'localOnly'>;

/** A bank's settings as DESIGN.md §3 gives them. */
export function defaultManifest(bank: {
  id: string;
  name: string;
  createdAt: string;
}): BankManifest {
  return {
    schemaVersion: 1,
    ...bank,
    maxChildren: 12,
    maxDepth: 6,
    summaryBudgetChars: 1200,
    rank: {
      summarySupport: 2,
      ruleSupport: 3,
      ruleFailureRatio: 0.25,
      ruleVerified: 1,
      ruleJudged: 3,
    },
    localOnly: false,
  };
}

export type LessonOperation = Extract<Operation, { type: 'add-lesson' }>;
export type NewGroup = z.infer<typeof newGroup>;
