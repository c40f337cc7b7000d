import { z } from 'zod';

/** What a node is found by (DESIGN.md §4). */
export const indexFieldsSchema = z.object({
  topic: z.string(),
  scope: z.string(),
  anchor: z.string(),
});
export type IndexFields = z.infer<typeof indexFieldsSchema>;

/** Which encoder made a vector. Vectors of different encoders are never compared. */
export const encoderIdSchema = z.object({
  id: z.string().min(1),
  dimension: z.int().min(1).max(1024),
  revision: z.string(),
});
export type EncoderId = z.infer<typeof encoderIdSchema>;

/** A vector in int8: `value × scale` is the number that was meant. No value is −128. */
export const quantisedVectorSchema = z.object({
  values: z.instanceof(Int8Array),
  scale: z.number().nonnegative(),
});
export type QuantisedVector = z.infer<typeof quantisedVectorSchema>;

/** In the order of their codes in a stored index. */
export const NODE_RANKS = ['lesson', 'group', 'summary', 'rule'] as const;
export const nodeRankSchema = z.enum(NODE_RANKS);
export type NodeRank = z.infer<typeof nodeRankSchema>;

/** A maintenance step, or any other count that only grows as the bank does. */
export const stepSchema = z.int().min(0).max(0xfffffffe);

const nodeIdSchema = z
  .string()
  .min(1)
  .refine((id) => id.isWellFormed(), 'not an id: a lone surrogate');

/** A node that is new, or that is now otherwise: what it was before stays for recall as of earlier steps. */
const putNodeSchema = z.object({
  type: z.literal('put'),
  id: nodeIdSchema,
  step: stepSchema,
  fields: indexFieldsSchema,
  isTrusted: z.boolean(),
  rank: nodeRankSchema,
  /** Where it came from: a filter's name for it. */
  source: z.string(),
  /** null: this node has no vector, and is found by its words alone. */
  vector: quantisedVectorSchema.nullable(),
});
export type PutNode = z.infer<typeof putNodeSchema>;

const removeNodeSchema = z.object({
  type: z.literal('remove'),
  id: nodeIdSchema,
  step: stepSchema,
});

/** A change of what can be recalled, in the log's order: steps never go back. */
export const nodeChangeSchema = z.discriminatedUnion('type', [putNodeSchema, removeNodeSchema]);
export type NodeChange = z.infer<typeof nodeChangeSchema>;

/** Which nodes take part. A member that is null asks nothing. */
export const recallFilterSchema = z.object({
  trustedOnly: z.boolean(),
  ranks: z.array(nodeRankSchema).nullable(),
  sources: z.array(z.string()).nullable(),
  /** The bank as it was once this step had been taken: its nodes, their words, and how rare those were. */
  asOfStep: stepSchema.nullable(),
});
export type RecallFilter = z.infer<typeof recallFilterSchema>;

/** Every node as it is now. */
export const NO_FILTER: RecallFilter = {
  trustedOnly: false,
  ranks: null,
  sources: null,
  asOfStep: null,
};

export const recallModeSchema = z.enum(['encoder', 'bm25', 'fused']);
export type RecallMode = z.infer<typeof recallModeSchema>;

export const recallQuerySchema = z.object({
  text: z.string(),
  /** null: there is no encoder, and words alone decide. */
  vector: quantisedVectorSchema.extend({ encoder: encoderIdSchema }).nullable(),
  mode: recallModeSchema,
  filter: recallFilterSchema,
  limit: z.int().min(1).max(1000),
});
export type RecallQuery = z.infer<typeof recallQuerySchema>;

/** A node that was found, and why. Ranks count from 1; null: not among that side's best. */
export const recallCandidateSchema = z.object({
  nodeId: z.string(),
  rank: z.int().positive(),
  /** What it was ordered by: the cosine, the BM25 score, or the sum of reciprocal ranks. */
  score: z.number(),
  vectorRank: z.int().positive().nullable(),
  /** Cosine of the quantised vectors, above 0. */
  similarity: z.number().nullable(),
  bm25Rank: z.int().positive().nullable(),
  bm25Score: z.number().nullable(),
  /** Words of the query that the node holds, in the query's order. */
  matchedWords: z.array(z.string()),
});
export type RecallCandidate = z.infer<typeof recallCandidateSchema>;

/** What recall depends on besides the nodes; part of a retrieval's fingerprint and of a stored index. */
export const recallSettingsSchema = z.object({
  k1: z.number().positive(),
  b: z.number().min(0).max(1),
  /** How often a word of a field counts. */
  weights: z.object({
    topic: z.int().min(0).max(255),
    scope: z.int().min(0).max(255),
    anchor: z.int().min(0).max(255),
  }),
  /** How many of each side's best are fused. */
  depth: z.int().min(1),
  /** The constant of reciprocal rank fusion: 1 ÷ (constant + rank). */
  fusion: z.number().positive(),
});
export type RecallSettings = z.infer<typeof recallSettingsSchema>;

export const RECALL_SETTINGS: RecallSettings = {
  k1: 1.2,
  b: 0.75,
  weights: { topic: 2, scope: 1, anchor: 2 },
  depth: 200,
  fusion: 60,
};

/** Cuts text into words. `id` names the way it does, so that an index made another way is not used. */
export interface Tokenizer {
  readonly id: string;
  tokenize(text: string): readonly string[];
}

/** Whether two vectors may be compared. */
export function isSameEncoder(first: EncoderId, second: EncoderId): boolean {
  return (
    first.id === second.id &&
    first.revision === second.revision &&
    first.dimension === second.dimension
  );
}
