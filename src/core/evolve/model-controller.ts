import { z } from 'zod';
import { askForJson } from '../harness/ask-for-json.ts';
import { extractJson, readShape } from '../harness/json-reply.ts';
import { promptSchema } from '../harness/prompt.ts';
import { cropPart, section, taskImagePart } from '../harness/sections.ts';
import { clipToTokens } from '../harness/token-estimate.ts';
import type { RetrievalRecord } from '../run.ts';
import type { Task } from '../task.ts';
import type { Controller, DistilInput } from './controller.ts';
import {
  DISTIL_PROMPT,
  distilParts,
  distilReplySchema,
  lessonOfReply,
} from './model/distil-question.ts';
import { updateRequest, withBoxInFractions, type ImageSettings } from './model/update-request.ts';
import gateJson from './prompts/gate.json';
import { rulesController } from './rules-controller.ts';

export interface ModelControllerOptions extends ImageSettings {
  readonly label: string;
  readonly temperature: number;
  /** One more try that quotes why the first was refused, then the rules: the app's way (DESIGN.md §2). */
  readonly fallback: boolean;
}

const GATE_PROMPT = promptSchema.parse(gateJson);
/** What the model may propose after one attempt: once, and once more with why that was refused. */
const OWN_TRIES = 2;
const QUESTION_TOKENS = 300;
const CHOSEN_TOKENS = 120;

const gateReplySchema = z.object({ inject: z.boolean(), reason: z.string().max(300) });

/**
 * The controller on a language model (EpiCon 4.2, appendix B): update and gate see images where the
 * model takes them, distillation is text. What cannot be used is refused by name, tried once more with
 * the reason, and then done by the rules, which say that they stood in.
 */
export function makeModelController(options: ModelControllerOptions): Controller {
  const { label, temperature, fallback, images } = options;
  const ask = { role: 'controller', temperature, repair: fallback } as const;
  return {
    id: 'model',
    label,
    proposals: fallback ? OWN_TRIES + rulesController.proposals : 1,
    async *update(input, caller, refused = []) {
      const last = refused[OWN_TRIES - 1];
      if (last !== undefined) {
        const rejected = input.rejected.slice(OWN_TRIES);
        const byRules = yield* rulesController.update({ ...input, rejected }, caller);
        const reason = `The model’s proposals were refused (${last.message}), so the rules stood in. ${byRules.reason}`;
        return { ...byRules, reason };
      }
      const request = updateRequest(input, refused, options);
      const { text } = (yield* caller.call('controller', request)).response;
      const json = extractJson(text);
      const reason = 'The model’s proposal.';
      return json.ok
        ? { json: withBoxInFractions(json.value, input.task, options), reason }
        : { json: text, reason };
    },
    async *gate({ task, chosen, config }, caller) {
      const withCrop = chosen.filter(({ crop }) => crop !== null);
      if (withCrop.length === 0) {
        return { inject: false, reason: 'What was chosen has no crop.' };
      }
      const reply = yield* askForJson(
        {
          ...ask,
          prompt: GATE_PROMPT,
          parts: gateParts(task, withCrop, images),
          schema: z.toJSONSchema(gateReplySchema, { io: 'input' }),
          read: (json) => readShape(gateReplySchema, json),
        },
        caller,
      );
      if (reply.ok) return reply.value.value;
      const { message } = reply.refusal;
      if (!fallback) return { inject: false, reason: `The reply could not be used: ${message}.` };
      const byRules = yield* rulesController.gate({ task, chosen, config }, caller);
      const reason = `The model’s reply could not be used (${message}), so the rules decided: ${byRules.reason}`;
      return { ...byRules, reason };
    },
    async *distil(input: DistilInput, caller) {
      const reply = yield* askForJson(
        {
          ...ask,
          prompt: DISTIL_PROMPT,
          parts: distilParts(input),
          schema: z.toJSONSchema(distilReplySchema, { io: 'input' }),
          read: (json) => readShape(distilReplySchema, json),
        },
        caller,
      );
      if (reply.ok) return { content: lessonOfReply(reply.value.value, input), reason: '' };
      const { message } = reply.refusal;
      if (!fallback) return { content: null, reason: `The reply could not be used: ${message}.` };
      const byRules = yield* rulesController.distil(input, caller);
      const reason = `The model’s reply could not be used (${message}), so the rules wrote it.`;
      return { ...byRules, reason };
    },
  };
}

/** The question with its first image, and each chosen memory with its crop: two images at most. */
function gateParts(task: Task, chosen: RetrievalRecord['chosen'], images: boolean) {
  const [first] = chosen;
  const pictures = images
    ? [
        ...task.images.slice(0, 1).map(taskImagePart),
        ...(first?.crop == null ? [] : [cropPart(first.crop)]),
      ]
    : [];
  const lines = chosen.slice(0, 3).map(({ title, text }) => `${title}. ${text}`);
  return [
    ...pictures,
    section('question', clipToTokens(task.question, QUESTION_TOKENS).toWellFormed()),
    section(
      'candidates',
      lines.map((line) => clipToTokens(line, CHOSEN_TOKENS).toWellFormed()).join('\n'),
    ),
  ];
}
