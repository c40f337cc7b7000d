import { z } from 'zod';

/**
 * Agent Trajectory Interchange Format (ATIF 1.x). Field names are the format's own, so that import
 * and export are the identity; every object is loose, so that what a version adds passes through.
 */
export const ATIF_VERSION = 'ATIF-v1.5';

const extra = z.record(z.string(), z.unknown()).optional();

export const toolCallSchema = z.looseObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

export const observationSchema = z.looseObject({
  results: z.array(
    z.looseObject({
      source_call_id: z.string().nullish(),
      content: z.union([z.string(), z.array(z.unknown())]).nullish(),
    }),
  ),
});

export const stepMetricsSchema = z.looseObject({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  cached_tokens: z.number().nullish(),
  cost_usd: z.number().nullish(),
});

/**
 * A step. Grove's own harnesses put two things into `extra`: `role` (planner, solver, critic) and,
 * for a critic, `findings` (`findingSchema`); also `duration_ms`.
 */
export const stepSchema = z.looseObject({
  step_id: z.int(),
  timestamp: z.string().nullish(),
  source: z.enum(['system', 'user', 'agent']),
  model_name: z.string().nullish(),
  message: z.union([z.string(), z.array(z.unknown())]).nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
  observation: observationSchema.nullish(),
  metrics: stepMetricsSchema.nullish(),
  extra,
});
export type Step = z.infer<typeof stepSchema>;

export const trajectorySchema = z.looseObject({
  schema_version: z.string(),
  session_id: z.string(),
  agent: z.looseObject({
    name: z.string(),
    version: z.string(),
    model_name: z.string().nullish(),
    extra,
  }),
  steps: z.array(stepSchema),
  final_metrics: z.looseObject({}).nullish(),
  notes: z.string().nullish(),
  extra,
});
export type Trajectory = z.infer<typeof trajectorySchema>;

/** What a critic (or a check) found: what, where in which image, how sure, and what to do about it. */
export const findingSchema = z.object({
  /** One sentence: what is wrong or uncertain. */
  what: z.string(),
  /** One imperative sentence that would have prevented it, or null where the critic has none. */
  advice: z.string().nullable().default(null),
  /** When that advice applies, as a clause that completes "when …"; null where none. */
  appliesWhen: z.string().nullable().default(null),
  /** 0-based index into the task's images, null where no region is meant. */
  image: z.int().nonnegative().nullable().default(null),
  box: z.array(z.number()).length(4).nullable().default(null),
  /** 0 to 1. */
  confidence: z.number().min(0).max(1).default(0.5),
});
export type Finding = z.infer<typeof findingSchema>;

/** The findings that a step carries in `extra.findings`; entries that are not findings are left out. */
export function stepFindings(step: Step): readonly Finding[] {
  const list = step.extra?.['findings'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const parsed = findingSchema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
