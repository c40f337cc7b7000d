import { ZERO_USAGE, type CallRecord, type Usage } from '../call.ts';
import type { Cost } from '../run.ts';

/** Nothing spent. */
export const ZERO_COST: Cost = { durationMs: 0, usage: ZERO_USAGE, calls: 0 };

/** The sum of two costs; estimated where either was. */
export function addCost(a: Cost, b: Cost): Cost {
  return {
    durationMs: a.durationMs + b.durationMs,
    usage: addUsage(a.usage, b.usage),
    calls: a.calls + b.calls,
  };
}

/** What a list of completed calls cost; a replayed call costs what it cost when it was made. */
export function costOfCalls(records: readonly CallRecord[]): Cost {
  return records.reduce<Cost>(
    (cost, { durationMs, response }) =>
      addCost(cost, { durationMs, usage: response.usage, calls: 1 }),
    ZERO_COST,
  );
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    images: a.images + b.images,
    estimated: a.estimated || b.estimated,
  };
}
