import { z } from 'zod';
import { roleSchema } from '../call.ts';
import { retrievalRecordSchema, type RetrievalRecord, type RunEvent } from '../run.ts';
import { addCost, ZERO_COST } from './cost.ts';
import type { AttemptScope } from './run-scope.ts';

const gateSchema = z.object({ inject: z.boolean(), reason: z.string() });

/**
 * Retrieval before the first attempt, then the controller's gate for its visuals (DESIGN.md §2 and
 * §4). Both are recorded, so that a replay has the bank as it was. Null where the run retrieves nothing.
 */
export async function* retrieveOnce(
  scope: AttemptScope,
): AsyncGenerator<RunEvent, RetrievalRecord | null> {
  const { task, config, runId, signal, ports } = scope;
  const { bankId } = config;
  const { retrieve, controller } = ports;
  if (!config.retrieve || bankId === null || retrieve === null) {
    yield { type: 'retrieval-finish', record: null, cost: ZERO_COST };
    return null;
  }
  const retrievalId = `${runId}-retrieval`;
  const retrieved = yield* scope.doWork({
    role: 'organizer',
    name: `${config.organizer}-retrieve@1`,
    input: { taskId: task.id, bankId, config },
    result: retrievalRecordSchema,
    run: (caller) => {
      const isRemote = isAnyRemote(ports);
      return retrieve({ task, bankId, retrievalId, config, signal, isRemote }, caller);
    },
  });
  if (retrieved.value.localOnly === true) scope.caller.keepHere();
  const { chosen } = retrieved.value;
  if (chosen.length === 0) {
    const record = { ...retrieved.value, inject: false, injectReason: 'Nothing was chosen.' };
    yield { type: 'retrieval-finish', record, cost: retrieved.cost };
    return record;
  }
  const gated = yield* scope.doWork({
    role: 'controller',
    name: `${controller.id}-gate@1`,
    input: { task, chosen, config },
    result: gateSchema,
    run: (caller) => controller.gate({ task, chosen, config }, caller),
  });
  const { inject, reason } = gated.value;
  const record = { ...retrieved.value, inject, injectReason: reason };
  yield { type: 'retrieval-finish', record, cost: addCost(retrieved.cost, gated.cost) };
  return record;
}

/** Whether any role of the run is served from elsewhere: what is retrieved may reach each of them. */
function isAnyRemote({ backbone }: AttemptScope['ports']): boolean {
  return roleSchema.options.some((role) => backbone(role).device === 'remote');
}
