import type { QuestionMemory } from '../memory.ts';
import type { Task } from '../task.ts';
import type { Controller, UpdateInput, UpdateProposal } from './controller.ts';
import { checkBox } from '../box.ts';
import { distilContent } from './rules/distilled-lesson.ts';
import {
  clampBox,
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
  proposals: 2,
  async *distil({ task, memory, crop }) {
    return { content: distilContent(task, memory, crop), reason: '' };
  },
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

interface Choice {
  /** null keeps the visual as it is. */
  readonly region: ObservedRegion | null;
  readonly note: string;
}

/** The region to point at, and how the box came about. */
function chooseRegion(input: UpdateInput): Choice {
  const regions = observedRegions(input.trajectory, input.task, input.feedback);
  const [first] = regions;
  if (first === undefined) return { region: null, note: 'no region was pointed at' };
  const image = input.task.images[first.image];
  switch (input.rejected.at(-1)) {
    case 'no-such-image':
      return otherRegion(input, regions, first, 'the image pointed at first does not exist');
    case 'box-out-of-range': {
      const clamped = image === undefined ? null : clampBox(first.box, image);
      if (clamped === null) {
        return otherRegion(input, regions, first, 'the box pointed at first is not on its image');
      }
      return {
        region: { ...first, box: clamped },
        note: 'the box was cut off at the image’s edge',
      };
    }
    case 'box-too-small': {
      const enclosing = image && enclosingRegion(regions, first, image);
      if (enclosing !== undefined) {
        return { region: enclosing, note: 'the box is the whole region around the one refused' };
      }
      const grown = image === undefined ? null : growBox(first.box, image);
      if (grown === null) return { region: null, note: 'the box could not be grown' };
      return { region: { ...first, box: grown }, note: 'the box was grown around its centre' };
    }
    default:
      return { region: first, note: ORIGIN[first.from] };
  }
}

/** The next region whose box lies on an image of the task; none where there is no such region. */
function otherRegion(
  { task }: UpdateInput,
  regions: readonly ObservedRegion[],
  refused: ObservedRegion,
  note: string,
): Choice {
  const region = regions.find((candidate) => {
    const image = task.images[candidate.image];
    return candidate !== refused && image !== undefined && checkBox(candidate.box, image).ok;
  });
  return { region: region ?? null, note };
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
