import { z } from 'zod';
import { canonicalJson } from '../canonical.ts';
import type { AttemptResult } from '../harness/harness.ts';
import { cropSchema, type Crop, type QuestionMemory } from '../memory.ts';
import type { Cost, Feedback, RunEvent } from '../run.ts';
import type { RefusedProposal, UpdateInput } from './controller.ts';
import { addCost, ZERO_COST } from './cost.ts';
import type { AttemptScope } from './run-scope.ts';
import { decodeUpdate } from './update-codec.ts';

/** W with the crop of its visual, cut; the crop is there whether or not W injects it. */
export interface MemoryState {
  readonly memory: QuestionMemory;
  readonly crop: Crop | null;
}

const proposalSchema = z.object({ json: z.unknown(), reason: z.string() });

/**
 * Asks the controller for W′, validates, cuts the crop, and gives the new state (EpiCon eq. 2). A
 * refused proposal is told, kept, and asked for again with its reason, as often as the controller may
 * propose; the last refusal leaves W as it was, and the run goes on.
 */
export async function* updateMemory(
  scope: AttemptScope,
  after: {
    readonly state: MemoryState;
    readonly result: AttemptResult;
    readonly feedback: Feedback;
  },
): AsyncGenerator<RunEvent, MemoryState> {
  const { task, config, attempt, ports } = scope;
  const { memory } = after.state;
  const { answer, trajectory } = after.result;
  const { feedback } = after;
  const rejected: string[] = [];
  const refused: RefusedProposal[] = [];
  while (rejected.length < ports.controller.proposals) {
    const input: UpdateInput = {
      memory,
      task,
      answer,
      trajectory,
      feedback,
      config,
      rejected: [...rejected],
    };
    const proposed = yield* scope.doWork({
      role: 'controller',
      name: `${ports.controller.id}-update@1`,
      input,
      result: proposalSchema,
      run: (caller) => ports.controller.update(input, caller, [...refused]),
    });
    const { json: proposal, reason } = proposed.value;
    const context = { task, memory, budgetChars: config.textBudgetChars };
    const decoded = decodeUpdate(proposal, context);
    if (decoded.ok) {
      const next = decoded.value;
      const changed = next !== memory;
      const cut = yield* cutCrop(scope, after.state, next);
      const cost = addCost(proposed.cost, cut.cost);
      yield { type: 'memory-update', attempt, before: memory, after: next, changed, reason, cost };
      return { memory: next, crop: cut.crop };
    }
    const { refusal } = decoded;
    rejected.push(refusal.reason);
    refused.push({ message: refusal.message });
    yield {
      type: 'proposal-reject',
      attempt,
      reason: refusal.reason,
      message: refusal.message,
      proposal: proposal ?? null,
      cost: proposed.cost,
    };
  }
  return after.state;
}

async function* cutCrop(
  { task, ports, signal, doWork }: AttemptScope,
  before: MemoryState,
  { visual }: QuestionMemory,
): AsyncGenerator<RunEvent, { readonly crop: Crop | null; readonly cost: Cost }> {
  if (visual === null) return { crop: null, cost: ZERO_COST };
  if (canonicalJson(visual) === canonicalJson(before.memory.visual)) {
    return { crop: before.crop, cost: ZERO_COST };
  }
  const image = task.images.find(({ hash }) => hash === visual.imageHash);
  if (image === undefined) throw new Error('the codec accepted an image that the task has not');
  const cut = yield* doWork({
    role: 'controller',
    name: 'harness-crop@1',
    input: visual,
    result: cropSchema,
    async *run() {
      return ports.cropper.crop(image, visual.box, signal);
    },
  });
  return { crop: cut.value, cost: cut.cost };
}
