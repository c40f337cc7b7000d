import type { ImagePart, ModelChunk, ModelRequest, Usage } from '../call.ts';
import { ModelCallError } from '../errors.ts';
import { readSection } from '../harness/sections.ts';
import type { Backbone } from '../ports.ts';
import { answerQuestion } from './solver/answer-question.ts';
import { criticise } from './solver/criticise.ts';
import { perceive, viewOf, viewsOf, type Percept } from './solver/perceive.ts';
import { parseQuestion, type QuestionForm } from './question-form.ts';
import { readMap } from './solver/read-map.ts';
import type { Scene } from './scene.ts';
import { slipsDespite } from './solver/slips.ts';

/** The model's name in records and settings. */
export const SIMULATED_MODEL = 'metro-simulator';

export interface SimulatedBackboneOptions {
  /** Works a reply out: `simulatedReply`, here or in a worker. Throws `ModelCallError`. */
  readonly reply: (request: ModelRequest, signal: AbortSignal) => Promise<string>;
  readonly pace: Pace;
}

/** The scene of a metro map by the hash of its image; undefined for any other image. */
export type Pictures = (hash: string) => Scene | undefined;

/** How fast the reply streams. */
export interface Pace {
  /** Resolves after that time. May reject or resolve early once the signal fires. */
  delay(durationMs: number, signal: AbortSignal): Promise<void>;
  readonly tokensPerSecond: number;
}

/** A pace without any waiting. */
export const INSTANT: Pace = { delay: async () => {}, tokensPerSecond: Infinity };

/** Words to a streamed piece. */
const WORDS_PER_CHUNK = 3;

/** Tokens are counted by rule: four characters of text, or 750 pixels of an image as shown, a token. */
const CHARS_PER_TOKEN = 4;
const PIXELS_PER_TOKEN = 750;

/**
 * A solver and critic for metro maps without a model (issue 2, metro world). It sees what is legible
 * in the request's images and nothing else, and makes the slips that the request's memory does not
 * warn of. The same request gives the same reply. Throws `ModelCallError`: `model-failed` for what is
 * no metro question or no map of the sample, `aborted` once the signal fires.
 */
export function makeSimulatedBackbone({ reply, pace }: SimulatedBackboneOptions): Backbone {
  return {
    id: 'simulated',
    label: 'Simulated solver: no model',
    device: 'this-device',
    async *generate(request, signal) {
      throwIfAborted(signal);
      const text = await reply(request, signal);
      throwIfAborted(signal);
      yield* stream(text, pace, signal);
      const usage = countUsage(request, text);
      yield {
        type: 'finish',
        response: { text, reasoning: '', finishReason: 'stop', usage, model: SIMULATED_MODEL },
      };
    },
  };
}

/** What a request and its reply cost by the rule of this file. */
export function countUsage(request: ModelRequest, reply: string): Usage {
  const parts = request.messages.flatMap((message) => message.parts);
  const images = imagesOf(request);
  const characters = parts.reduce(
    (sum, part) => sum + (part.type === 'text' ? part.text.length : 0),
    0,
  );
  const imageTokens = images.reduce((sum, { width, height }) => {
    const { scale } = viewOf({ x: 0, y: 0, width, height });
    return sum + Math.ceil((width * height * scale * scale) / PIXELS_PER_TOKEN);
  }, 0);
  return {
    promptTokens: Math.ceil(characters / CHARS_PER_TOKEN) + imageTokens,
    completionTokens: Math.ceil(reply.length / CHARS_PER_TOKEN),
    images: images.length,
    estimated: true,
  };
}

/** What the simulator works from: the request's map as far as it is seen, and the question. */
interface Sight {
  readonly percept: Percept;
  readonly form: QuestionForm;
  readonly seed: number;
  readonly crops: { readonly own: number; readonly foreign: number };
}

/** The whole reply to a request, at once. Throws `ModelCallError` as `makeSimulatedBackbone` says. */
export function simulatedReply(request: ModelRequest, pictures: Pictures): string {
  const [prompt] = request.prompt.split('@');
  const sight = look(request, pictures);
  switch (prompt) {
    case 'direct-solver':
      return solverReply(request, sight, true);
    case 'team-solver':
      return solverReply(request, sight, false);
    case 'team-critic': {
      const answer = readSection(request, 'answer') ?? '';
      return JSON.stringify(criticise({ ...sight, answer, hasCrop: sight.crops.own > 0 }));
    }
    default:
      throw new ModelCallError(
        'model-failed',
        'The simulated solver can only solve and criticise.',
        {
          hint: 'Set an endpoint in Settings.',
        },
      );
  }
}

function look(request: ModelRequest, pictures: Pictures): Sight {
  const images = imagesOf(request);
  const map = images.find(({ hash, source }) => source === undefined && pictures(hash));
  const scene = map === undefined ? undefined : pictures(map.hash);
  const form = parseQuestion((readSection(request, 'question') ?? '').trim());
  if (map === undefined || scene === undefined || form === null) {
    throw new ModelCallError(
      'model-failed',
      'The simulated solver only knows the metro maps of the sample and the questions that go with them.',
      { hint: 'Set an endpoint in Settings, or try the metro sample.' },
    );
  }
  const crops = images.flatMap(({ source }) => source ?? []);
  const own = crops.filter(({ hash }) => hash === map.hash).length;
  return {
    percept: perceive(scene, viewsOf(images, map.hash, scene.size)),
    form,
    seed: scene.seed,
    crops: { own, foreign: crops.length - own },
  };
}

function solverReply(
  request: ModelRequest,
  { percept, form, crops }: Sight,
  direct: boolean,
): string {
  const memory = readSection(request, 'memory') ?? '';
  const { log, answer, doubts } = answerQuestion(readMap(percept), form, slipsDespite(memory));
  const [doubt] = doubts;
  return [
    ...(crops.own > 0 ? ['I look at the enlarged part of this map first.'] : []),
    ...(crops.foreign > 0
      ? ['One part shown is of another map; I read nothing of this map in it.']
      : []),
    ...log,
    ...(direct && doubt !== undefined ? [`Uncertain: ${doubt.why}`] : []),
    `Answer: ${answer}`,
  ].join('\n');
}

async function* stream(text: string, pace: Pace, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const pieces = text.match(new RegExp(`(?:\\S+\\s*){1,${WORDS_PER_CHUNK}}`, 'gu')) ?? [];
  for (const piece of pieces) {
    const durationMs = (piece.length / CHARS_PER_TOKEN / pace.tokensPerSecond) * 1000;
    try {
      await pace.delay(durationMs, signal);
    } catch (cause) {
      throwIfAborted(signal);
      throw cause;
    }
    throwIfAborted(signal);
    yield { type: 'text-delta', text: piece };
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelCallError('aborted', 'The call was stopped.');
}

function imagesOf(request: ModelRequest): readonly ImagePart[] {
  return request.messages
    .flatMap((message) => message.parts)
    .filter((part): part is ImagePart => part.type === 'image');
}
