import { z } from 'zod';
import { boxSchema } from './box.ts';
import { roleSchema, usageSchema } from './call.ts';
import { cropSchema, memoryInputSchema, questionMemorySchema } from './memory.ts';
import { stepSchema, trajectorySchema } from './trajectory.ts';
import {
  encoderIdSchema,
  recallCandidateSchema,
  recallModeSchema,
} from './recall/index/recall-types.ts';
import { lessonContentSchema, evidenceSchema } from './bank/node.ts';

/** Where feedback may come from (DESIGN.md §2). Recorded on every run, lesson and bank. */
export const feedbackTypeSchema = z.enum(['none', 'judged', 'user', 'reference']);
export type FeedbackType = z.infer<typeof feedbackTypeSchema>;

/** One piece of feedback on one attempt. `reason` is a person's own words where `type` is `user`. */
export const feedbackSchema = z.object({
  type: feedbackTypeSchema,
  verdict: z.enum(['right', 'wrong', 'unknown']),
  reason: z.string(),
  /** A region a person pointed at, with the 0-based image it lies on. */
  region: z.object({ image: z.int().nonnegative(), box: boxSchema }).nullable().default(null),
});
export type Feedback = z.infer<typeof feedbackSchema>;

export const NO_FEEDBACK: Feedback = { type: 'none', verdict: 'unknown', reason: '', region: null };

/** What a run was asked to do. Everything that can change the outcome is here. */
export const runConfigSchema = z.object({
  harness: z.enum(['direct', 'team']),
  /** Backbone id: `simulated`, `endpoint:<profile id>`, or `local:<model id>`. */
  backbone: z.string(),
  /** Model name at the endpoint; the backbone's own name otherwise. */
  model: z.string(),
  /** `rules`, `model` (the run's own backbone), or the id of another backbone. */
  controller: z.string(),
  organizer: z.string(),
  /** Model names, where those are other backbones. */
  controllerModel: z.string().exactOptional(),
  organizerModel: z.string().exactOptional(),
  feedback: feedbackTypeSchema,
  attemptLimit: z.int().min(1).max(20),
  /** Which bank is read (null: no retrieval) and whether R, W or both reach the solver. */
  bankId: z.string().nullable(),
  retrieve: z.boolean(),
  /** How candidates are found; runs of before there was a choice were by words. */
  recallMode: recallModeSchema.default('bm25'),
  evolve: z.boolean(),
  /** `inbox`: lessons wait for a person; `accept`: bank construction; `none`: nothing is distilled. */
  lessons: z.enum(['inbox', 'accept', 'none']),
  textBudgetChars: z.int().positive(),
  imageBudget: z.int().nonnegative(),
  temperature: z.number(),
  localOnly: z.boolean(),
  seed: z.int(),
});
export type RunConfig = z.infer<typeof runConfigSchema>;

export const DEFAULT_RUN_CONFIG: RunConfig = {
  harness: 'team',
  backbone: 'simulated',
  model: 'metro-simulator',
  controller: 'rules',
  organizer: 'rules',
  feedback: 'none',
  attemptLimit: 5,
  bankId: null,
  retrieve: true,
  recallMode: 'fused',
  evolve: true,
  lessons: 'inbox',
  textBudgetChars: 1200,
  imageBudget: 2,
  temperature: 0,
  localOnly: false,
  seed: 0,
};

/** One candidate of a retrieval, with what it scored. */
export const candidateSchema = z.object({
  nodeId: z.string(),
  kind: z.enum(['lesson', 'rule']),
  title: z.string(),
  /** What it was ordered by, in the retrieval's mode. */
  score: z.number(),
  matchedWords: z.array(z.string()),
  /** Its place on each side, from 1, and what it has there; null where it is not among that side's best. */
  found: recallCandidateSchema
    .pick({ vectorRank: true, similarity: true, bm25Rank: true, bm25Score: true })
    .exactOptional(),
});
export type Candidate = z.infer<typeof candidateSchema>;

/** What a retrieval leaves behind (DESIGN.md §4): candidates, scores, choice, reason, settings. */
export const retrievalRecordSchema = z.object({
  id: z.string(),
  bankId: z.string(),
  /** The log head the bank stood at. */
  head: z.string(),
  query: z.string(),
  mode: recallModeSchema,
  /** null: words alone. Absent in records of before there were encoders. */
  encoder: encoderIdSchema.nullable().exactOptional(),
  candidates: z.array(candidateSchema),
  chosen: z.array(
    z.object({
      nodeId: z.string(),
      title: z.string(),
      text: z.string(),
      crop: cropSchema.nullable(),
    }),
  ),
  reason: z.string(),
  /** The gate for retrieved visuals, and its reason. */
  inject: z.boolean(),
  injectReason: z.string(),
  textOnly: z.boolean(),
  fingerprint: z.string(),
  /** It gave of a bank that may not leave this device: no remote model is called after it. Else absent. */
  localOnly: z.literal(true).exactOptional(),
});
export type RetrievalRecord = z.infer<typeof retrievalRecordSchema>;

/** Costs of one attempt, or of one memory operation. Times are sums over its calls. */
export const costSchema = z.object({ durationMs: z.number(), usage: usageSchema, calls: z.int() });
export type Cost = z.infer<typeof costSchema>;

/** A lesson as drafted from a finished run, before anyone accepted it. */
export const lessonDraftSchema = z.object({
  id: z.string(),
  runId: z.string(),
  bankId: z.string(),
  content: lessonContentSchema,
  source: evidenceSchema,
  /** Why it waits for a person, or null. `from-outside`: imported, and nobody has vouched for it. */
  heldFor: z.enum(['quotes-answer', 'asked-for', 'from-outside']).nullable(),
});
export type LessonDraft = z.infer<typeof lessonDraftSchema>;

/** Why and how a finished run ended. */
export const runEndSchema = z.enum(['ready', 'attempt-limit', 'stopped', 'failed']);
export type RunEnd = z.infer<typeof runEndSchema>;

/**
 * What a run tells, in order. Noun-verb names, fixed here. Every event but `token-delta`,
 * `call-start` and `call-retry` is durable: replaying the journal yields the same durable events with
 * the same values.
 */
export const runEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run-start'), runId: z.string(), config: runConfigSchema }),
  z.object({
    type: z.literal('retrieval-finish'),
    record: retrievalRecordSchema.nullable(),
    cost: costSchema,
  }),
  z.object({
    type: z.literal('attempt-start'),
    attempt: z.int().positive(),
    memory: questionMemorySchema,
    input: memoryInputSchema,
  }),
  z.object({
    type: z.literal('call-start'),
    attempt: z.int(),
    role: roleSchema,
    ordinal: z.int(),
    backbone: z.string(),
  }),
  z.object({
    type: z.literal('call-retry'),
    attempt: z.int(),
    role: roleSchema,
    delayMs: z.number(),
    message: z.string(),
  }),
  z.object({
    type: z.literal('token-delta'),
    attempt: z.int(),
    role: roleSchema,
    text: z.string(),
    reasoning: z.boolean(),
  }),
  z.object({ type: z.literal('step-finish'), attempt: z.int(), step: stepSchema }),
  z.object({
    type: z.literal('attempt-finish'),
    attempt: z.int(),
    answer: z.string(),
    ready: z.boolean(),
    readyReason: z.string(),
    trajectory: trajectorySchema,
    cost: costSchema,
    feedback: feedbackSchema,
  }),
  z.object({
    type: z.literal('memory-update'),
    attempt: z.int(),
    before: questionMemorySchema,
    after: questionMemorySchema,
    changed: z.boolean(),
    /** Why the controller chose this, one sentence. */
    reason: z.string(),
    cost: costSchema,
  }),
  z.object({
    type: z.literal('proposal-reject'),
    attempt: z.int(),
    reason: z.string(),
    message: z.string(),
    proposal: z.unknown(),
    cost: costSchema,
  }),
  z.object({
    type: z.literal('lesson-draft'),
    draft: lessonDraftSchema,
    cost: costSchema,
    /** What is to be said of how it was distilled; absent where nothing is. */
    reason: z.string().exactOptional(),
  }),
  z.object({
    type: z.literal('run-finish'),
    end: runEndSchema,
    answer: z.string().nullable(),
    attempts: z.int(),
  }),
  z.object({
    type: z.literal('run-fail'),
    code: z.string(),
    message: z.string(),
    hint: z.string().nullable(),
  }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;

/** Whether an event is kept and replayed the same (see `runEventSchema`). */
export function isDurableEvent(event: RunEvent): boolean {
  return event.type !== 'token-delta' && event.type !== 'call-start' && event.type !== 'call-retry';
}

/** A run as the table of runs keeps it; what happened in it lies in its events and its journal. */
export const runRecordSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  config: runConfigSchema,
  status: z.enum(['running', 'interrupted', 'stopped', 'finished', 'failed']),
  answer: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Feedback a person gave on this run's attempts, by attempt; part of the replay's input. */
  userFeedback: z.array(z.object({ attempt: z.int(), feedback: feedbackSchema })),
  /** Which story or sample a run belongs to, for example `metro-sample`. */
  label: z.string().nullable(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;
