import { canonicalJson } from '../../canonical.ts';
import type { Step, ToolCall, Trajectory } from '../../trajectory.ts';

/** A tool call that failed and, where the agent found one, the later call of that tool that worked. */
export interface ToolRecovery {
  readonly tool: string;
  /** The first line of what the tool said, white space folded. */
  readonly error: string;
  readonly failed: ToolCall;
  readonly worked: ToolCall | null;
}

/** Argument values longer than this say nothing useful in one sentence; the difference is then named only. */
const SHORT_VALUE_CHARS = 60;

/** The failed tool calls of a trajectory, each with what recovered from it. */
export function toolRecoveries(trajectory: Trajectory): readonly ToolRecovery[] {
  const calls = trajectory.steps.flatMap(stepCalls);
  return calls.flatMap(({ call, error }, index) => {
    if (error === null) return [];
    const later = calls.slice(index + 1).filter((other) => sameTool(other.call, call));
    // The same arguments again are a repeat, not a recovery, even where the repeat went through.
    const worked = later.find(
      (other) =>
        other.error === null &&
        canonicalJson(other.call.arguments) !== canonicalJson(call.arguments),
    );
    return [{ tool: call.function_name, error, failed: call, worked: worked?.call ?? null }];
  });
}

/** A recovery as advice; null where nothing worked. */
export function recoveryAdvice({ tool, error, failed, worked }: ToolRecovery): string | null {
  if (worked === null) return null;
  const changed = Object.entries(worked.arguments)
    .filter(
      ([name, value]) => canonicalJson(value) !== canonicalJson(failed.arguments[name] ?? null),
    )
    .map(([name, value]) => {
      const text = canonicalJson(value);
      return text.length <= SHORT_VALUE_CHARS ? `${name} = ${text}` : `another ${name}`;
    });
  const how = changed.length === 0 ? 'fewer arguments' : changed.join(', ');
  return `Where ${tool} fails with “${error}”, call it with ${how}.`;
}

/** What a failure without a recovery warns of. */
export function failureCaution({ tool, error }: ToolRecovery): string {
  return `${tool} failed with “${error}” and nothing that was tried worked.`;
}

function stepCalls(step: Step): readonly { call: ToolCall; error: string | null }[] {
  return (step.tool_calls ?? []).map((call, index) => {
    const results = step.observation?.results ?? [];
    const result =
      results.find((candidate) => candidate.source_call_id === call.tool_call_id) ??
      (results[index]?.source_call_id == null ? results[index] : undefined);
    const text = typeof result?.content === 'string' ? result.content : '';
    const flagged = result?.['is_error'] === true || result?.['error'] === true;
    const failed = flagged || /^\s*(?:error|exception|traceback|failed|fatal)\b/iu.test(text);
    const line = text.trim().split(/\r?\n/u)[0]?.replace(/\s+/gu, ' ').trim() ?? '';
    return { call, error: failed ? line.slice(0, 160) || 'an error' : null };
  });
}

function sameTool(a: ToolCall, b: ToolCall): boolean {
  return a.function_name === b.function_name;
}
