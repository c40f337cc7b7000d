import type { QuestionMemory } from '../memory.ts';
import type { Task } from '../task.ts';
import type { Controller, UpdateInput, UpdateProposal } from './controller.ts';
import {
  enclosingRegion,
  growBox,
  observedRegions,
  type ObservedRegion,
} from './rules/observed-region.ts';
import { rulesGate } from './rules/rules-gate.ts';
import { proposeText } from './rules/proposed-text.ts';
import { encodeUpdate, type EncodedUpdate } from './update-codec.ts';

/**
 * The controller without a model: text from findings, tool recoveries and typed feedback, the box
 * from where the agent or a person looked. Instant and deterministic. It proposes what was observed
 * to the letter; the codec judges it as it would a model's. Asked again after a refusal it proposes
 * something else.
 */
export const rulesController: Controller = {
  id: 'rules',
  label: 'Rules: no model',
  async *update(input) {
    return proposeUpdate(input);
  },
  async *gate({ task, chosen }) {
    return rulesGate(task, chosen);
  },
};

function proposeUpdate(input: UpdateInput): UpdateProposal {
  const overBudget = input.rejected.includes('over-budget');
  const budget = input.config.textBudgetChars;
  const text = proposeText(input, overBudget ? Math.floor(budget / 2) : budget);
  const { region, note } = chooseRegion(input);
  const json: EncodedUpdate = {
    // A region alone still needs words to stand beside: the state's text may not be empty.
    guidance: text.guidance === '' && region !== null ? LOOK_CLOSER : text.guidance,
    ...visualMembers(region, input.memory, input.task),
    applies_when: text.appliesWhen,
    cautions: text.cautions,
    remove: false,
  };
  return { json, reason: explain(text.sources, note) };
}

/** The region to point at, and how the box came about; null keeps the visual as it is. */
function chooseRegion(input: UpdateInput): {
  readonly region: ObservedRegion | null;
  readonly note: string;
} {
  const regions = observedRegions(input.trajectory, input.task, input.feedback);
  const first = regions[0];
  if (first === undefined) return { region: null, note: 'no region was pointed at' };
  const last = input.rejected.at(-1);
  if (last === undefined) return { region: first, note: ORIGIN[first.from] };
  if (last !== 'box-too-small' && last !== 'box-out-of-range' && last !== 'no-such-image') {
    return { region: first, note: ORIGIN[first.from] };
  }
  const image = input.task.images[first.image];
  if (last === 'no-such-image' || image === undefined) {
    const other = regions.find((region) => input.task.images[region.image] !== undefined);
    return { region: other ?? null, note: 'the image that was pointed at does not exist' };
  }
  const enclosing = enclosingRegion(regions, first, image);
  if (enclosing !== undefined) {
    return { region: enclosing, note: 'the box is the whole region around the one refused' };
  }
  const grown = growBox(first.box, image);
  return {
    region: grown === null ? null : { ...first, box: grown },
    note: 'the box refused was grown around its centre',
  };
}

const LOOK_CLOSER = 'Look closely at the part of the image that is shown before answering.';

const ORIGIN: Readonly<Record<ObservedRegion['from'], string>> = {
  person: 'the box is the one a person drew',
  zoom: "the box is the agent's own zoom",
  finding: "the box is the finding's region",
};

function visualMembers(
  region: ObservedRegion | null,
  memory: QuestionMemory,
  task: Task,
): Pick<EncodedUpdate, 'use_visual' | 'image' | 'box'> {
  if (region !== null) return { use_visual: true, image: region.image, box: region.box };
  const { use_visual, image, box } = encodeUpdate(memory, task, { extensions: false });
  return { use_visual, image, box };
}

function explain(sources: readonly string[], note: string): string {
  const text = sources.length === 0 ? 'Nothing new to say' : `Text from ${sources.join(' and ')}`;
  return `${text}; ${note}.`;
}
