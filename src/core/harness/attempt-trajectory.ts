import type { CallRecord, Role } from '../call.ts';
import { ATIF_VERSION, type Finding, type Step, type Trajectory } from '../trajectory.ts';
import type { Harness, SolveInput } from './harness.ts';

/**
 * A completed call as an ATIF step. Times come from the record, so that a replay gives the same step.
 * `extra` carries `role`, `duration_ms`, and what the harness adds (`findings`, `invalid_reply`).
 */
export function callStep(
  record: CallRecord,
  step: {
    readonly id: number;
    readonly role: Role;
    readonly findings?: readonly Finding[];
    readonly extra?: Readonly<Record<string, unknown>>;
  },
): Step {
  const { response } = record;
  return {
    step_id: step.id,
    timestamp: record.startedAt,
    source: 'agent',
    model_name: response.model,
    message: response.text,
    ...(response.reasoning === '' ? {} : { reasoning_content: response.reasoning }),
    metrics: {
      prompt_tokens: response.usage.promptTokens,
      completion_tokens: response.usage.completionTokens,
    },
    extra: {
      role: step.role,
      duration_ms: record.durationMs,
      ...(response.usage.estimated ? { tokens_estimated: true } : {}),
      ...(step.findings === undefined ? {} : { findings: step.findings }),
      ...step.extra,
    },
  };
}

/** The question as the user's step, first in each trajectory of Grove's own harnesses. */
export function questionStep(input: SolveInput): Step {
  return {
    step_id: 1,
    source: 'user',
    message: input.task.question,
    extra: { images: input.task.images.map((image) => image.hash) },
  };
}

/** The trajectory of a finished attempt, with its totals in ATIF's own names. */
export function attemptTrajectory(
  harness: Pick<Harness, 'id'>,
  input: SolveInput,
  steps: readonly Step[],
): Trajectory {
  const sum = (pick: (step: Step) => number | null | undefined) =>
    steps.reduce((total, step) => total + (pick(step) ?? 0), 0);
  return {
    schema_version: ATIF_VERSION,
    session_id: input.sessionId,
    agent: { name: `grove-${harness.id}`, version: '1', model_name: input.config.model },
    steps: [...steps],
    final_metrics: {
      total_prompt_tokens: sum((step) => step.metrics?.prompt_tokens),
      total_completion_tokens: sum((step) => step.metrics?.completion_tokens),
      total_steps: steps.length,
    },
  };
}
