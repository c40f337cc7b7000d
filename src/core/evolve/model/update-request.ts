import type { ModelRequest, Part } from '../../call.ts';
import { promptRequest } from '../../harness/prompt-request.ts';
import { promptSchema } from '../../harness/prompt.ts';
import { section, taskImagePart } from '../../harness/sections.ts';
import { clipToTokens, estimateTokens } from '../../harness/token-estimate.ts';
import { questionMemoryText } from '../memory-input.ts';
import type { Task, TaskImage } from '../../task.ts';
import { stepFindings, type Step, type Trajectory } from '../../trajectory.ts';
import type { RefusedProposal, UpdateInput } from '../controller.ts';
import updateJson from '../prompts/update.json';
import { encodeUpdate } from '../update-codec.ts';
import {
  boxFromFractions,
  boxToFractions,
  describeBox,
  sentSize,
  type BoxConvention,
} from './box-convention.ts';

export const UPDATE_PROMPT = promptSchema.parse(updateJson);

/** How a model sees images, and how it writes where something is on them. */
export interface ImageSettings {
  /** Whether the model takes images at all. */
  readonly images: boolean;
  readonly boxes: BoxConvention;
  /** The longest side of an image as it is sent, in pixels. */
  readonly longestSidePx: number;
}

/** Shares of the 1,500 tokens of text that a 2B model's prompt holds, besides the system text. */
const TOKENS = { question: 240, memory: 330, answer: 60, trajectory: 300, feedback: 110 };
/** Images that a prompt holds. */
const IMAGES_MOST = 2;

/**
 * The JSON Schema of an update in the paper's form (EpiCon A.2) with Grove's conditions and cautions, for
 * a task of so many images.
 */
export function updateReplySchema(
  { images: sees, boxes }: ImageSettings,
  imageCount: number,
): Record<string, unknown> {
  const images = sees && imageCount > 0;
  const most = boxes === 'fraction' ? 1 : boxes === 'pixels' ? 20_000 : 1000;
  const number =
    boxes === 'fraction'
      ? { type: 'number', minimum: 0, maximum: most }
      : { type: 'integer', minimum: 0, maximum: most };
  const box = { type: 'array', items: number, minItems: 4, maxItems: 4 };
  return {
    type: 'object',
    properties: {
      guidance: { type: 'string', minLength: 1, maxLength: 900 },
      use_visual: images ? { type: 'boolean' } : { const: false },
      image: images
        ? { anyOf: [{ type: 'integer', minimum: 0, maximum: imageCount - 1 }, { type: 'null' }] }
        : { type: 'null' },
      box: images ? { anyOf: [box, { type: 'null' }] } : { type: 'null' },
      applies_when: { type: 'string', maxLength: 160 },
      cautions: { type: 'array', items: { type: 'string', maxLength: 160 }, maxItems: 3 },
    },
    required: ['guidance', 'use_visual', 'image', 'box', 'applies_when', 'cautions'],
    additionalProperties: false,
  };
}

/** What the controller's model is asked for W′: at most 1,500 tokens of text and two images. */
export function updateRequest(
  input: UpdateInput,
  refused: readonly RefusedProposal[],
  settings: ImageSettings,
): ModelRequest {
  const { task, answer, trajectory, feedback, config } = input;
  const shown = settings.images ? imagesShown(input) : [];
  const said = feedback.verdict === 'unknown' ? '' : `${feedback.verdict}: ${feedback.reason}`;
  const parts: Part[] = [
    ...shown.map(({ image }) => taskImagePart(image)),
    ...(shown.length === 0 ? [] : [section('images', imagesText(shown, task, settings))]),
    section('question', clip(questionText(task), TOKENS.question)),
    section('memory', memoryText(input, settings)),
    section('answer', clip(answer, TOKENS.answer)),
    section('trajectory', clip(trajectoryText(trajectory), TOKENS.trajectory)),
    ...(said === '' ? [] : [section('feedback', clip(said, TOKENS.feedback))]),
    ...refused
      .slice(-1)
      .map(({ message }) => section('feedback', clip(refusalText(message), TOKENS.feedback))),
  ];
  return promptRequest(UPDATE_PROMPT, parts, {
    temperature: config.temperature,
    responseSchema: updateReplySchema(settings, task.images.length),
  });
}

/** A reply's box in fractions of its image, whatever the model's convention; anything else as it is. */
export function withBoxInFractions(json: unknown, task: Task, settings: ImageSettings): unknown {
  if (typeof json !== 'object' || json === null || !('box' in json) || !('image' in json)) {
    return json;
  }
  const { box, image: index } = json;
  const image = typeof index === 'number' ? task.images[index] : undefined;
  const isBox =
    Array.isArray(box) && box.length === 4 && box.every((value) => typeof value === 'number');
  if (image === undefined || !isBox) return json;
  const size = sentSize(image, settings.longestSidePx);
  return { ...json, box: boxToFractions(box, settings.boxes, size) };
}

interface ShownImage {
  readonly image: TaskImage;
  readonly index: number;
}

/** The image that W points at, then the others in order. */
function imagesShown({ task, memory }: UpdateInput): readonly ShownImage[] {
  const all = task.images.map((image, index) => ({ image, index }));
  const pointed = all.filter(({ image }) => image.hash === memory.visual?.imageHash);
  const others = all.filter((one) => !pointed.includes(one));
  return [...pointed, ...others]
    .slice(0, IMAGES_MOST)
    .toSorted((first, second) => first.index - second.index);
}

function imagesText(
  shown: readonly ShownImage[],
  { images }: Task,
  { boxes, longestSidePx }: ImageSettings,
): string {
  const sizes = shown.map(({ image, index }) => {
    const { width, height } = sentSize(image, longestSidePx);
    return `${index} (${width} × ${height} pixels)`;
  });
  const more = images.length > shown.length ? ` of ${images.length}; the others are not shown` : '';
  return `You see image ${sizes.join(' and image ')}${more}. A box is ${describeBox(boxes)}.`;
}

function questionText({ question, publicInformation }: Task): string {
  return publicInformation.trim() === '' ? question : `${question}\n${publicInformation}`;
}

/** W as an update, its box as the model writes boxes; in words where that is too long. */
function memoryText({ memory, task }: UpdateInput, settings: ImageSettings): string {
  if (memory.guidance === '' && memory.visual === null) return 'There is none yet.';
  const update = encodeUpdate(memory, task);
  const image = task.images[update.image ?? -1];
  const [x0, y0, x1, y1] = update.box ?? [];
  const isBox =
    image !== undefined &&
    x0 !== undefined &&
    y0 !== undefined &&
    x1 !== undefined &&
    y1 !== undefined;
  const size = image && sentSize(image, settings.longestSidePx);
  const box = isBox && size ? boxFromFractions([x0, y0, x1, y1], settings.boxes, size) : update.box;
  const text = JSON.stringify({ ...update, box });
  return estimateTokens(text) <= TOKENS.memory
    ? text.toWellFormed()
    : clip(questionMemoryText(memory), TOKENS.memory);
}

/** What the agents did, the newest last, and what a critic found. */
function trajectoryText({ steps }: Trajectory): string {
  const lines = steps.flatMap((step) => (step.source === 'agent' ? stepLines(step) : []));
  const kept: string[] = [];
  let left = TOKENS.trajectory;
  for (const line of lines.toReversed()) {
    const text = clipToTokens(line, Math.floor(TOKENS.trajectory / 2));
    left -= estimateTokens(text) + 1;
    if (left < 0) break;
    kept.unshift(text);
  }
  return kept.length === 0 ? 'Nothing is known of how the answer came about.' : kept.join('\n');
}

function stepLines(step: Step): readonly string[] {
  const role = step.extra?.['role'];
  const name = typeof role === 'string' ? role : 'agent';
  const message = typeof step.message === 'string' ? step.message.replace(/\s+/gu, ' ').trim() : '';
  const calls = (step.tool_calls ?? []).map(
    ({ function_name, arguments: args }) =>
      `${name} called ${function_name} ${JSON.stringify(args)}`,
  );
  const findings = stepFindings(step).map(
    ({ what, advice, image, box }) =>
      `${name} found: ${what}${advice === null ? '' : ` Advice: ${advice}`}${
        box === null ? '' : ` (image ${image ?? 0}, box in fractions ${JSON.stringify(box)})`
      }`,
  );
  // What was found says more in fewer words than the reply it came in.
  const said = message === '' || findings.length > 0 ? [] : [`${name}: ${message}`];
  return [...said, ...calls, ...findings];
}

function refusalText(message: string): string {
  return `Your last proposal was refused: ${message}. Write it again, mended.`;
}

function clip(text: string, tokens: number): string {
  return clipToTokens(text.trim(), tokens).toWellFormed();
}
