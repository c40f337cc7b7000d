import type { ImagePart, ModelRequest } from '../core/call.ts';
import { ModelCallError } from '../core/errors.ts';
import { encodePng } from '../core/metro/png.ts';
import { blankPicture } from '../core/metro/raster.ts';
import { abortedError, orAbort } from './abort.ts';
import { hostOf } from './endpoint-profile.ts';
import { listModels, type ListModelsOptions } from './list-models.ts';
import { probe, unreachableError } from './probe.ts';
import { makeRemoteBackbone } from './remote-backbone.ts';
import { DEFAULT_RETRY_POLICY } from './retry-policy.ts';
import { shorten } from './server-error.ts';

/** One thing that was tried, and what was seen. A later step of the same `tried` replaces it. */
export interface ConnectionStep {
  readonly tried: string;
  readonly outcome: 'trying' | 'ok' | 'failed' | 'skipped';
  readonly seen: string;
  readonly hint?: string | undefined;
}

const SIDE_PX = 64;
const RED = '#ff0000';
/** Enough for a model that thinks before it answers. */
const MAX_TOKENS = 512;

/**
 * Tries an endpoint: reach it, list its models, one short chat, one small picture. Each step is told
 * when it begins and when it ends; what no longer makes sense is skipped. Nothing is tried twice.
 * Throws `ModelCallError` `aborted` only.
 */
export async function* testConnection(options: ListModelsOptions): AsyncGenerator<ConnectionStep> {
  const steps: readonly (readonly [tried: string, run: () => Promise<Seen>])[] = [
    ['Reach the server', () => reachServer(options)],
    ['List its models', () => seeModels(options)],
    ['Ask a short question', () => askWord(options)],
    ['Show a small picture', () => showPicture(options)],
  ];
  let needed = true;
  for (const [tried, run] of steps) {
    if (!needed) {
      yield { tried, outcome: 'skipped', seen: '' };
      continue;
    }
    yield { tried, outcome: 'trying', seen: '' };
    const seen = await settle(run, options.signal);
    yield { tried, ...seen };
    // A server need not list its models to answer.
    needed = seen.outcome === 'ok' || run === steps[1]?.[1];
  }
}

type Seen = Omit<ConnectionStep, 'tried'>;

async function settle(run: () => Promise<Seen>, signal: AbortSignal): Promise<Seen> {
  try {
    const seen = await run();
    if (signal.aborted) throw abortedError();
    return seen;
  } catch (cause) {
    if (signal.aborted) throw abortedError();
    if (!(cause instanceof ModelCallError)) throw cause;
    return { outcome: 'failed', seen: cause.message, hint: cause.hint };
  }
}

async function reachServer(options: ListModelsOptions): Promise<Seen> {
  const { profile, pageOrigin } = options;
  const reach = await orAbort(probe(options), options.signal);
  if (reach !== 'up') throw unreachableError(reach, { profile, pageOrigin });
  return { outcome: 'ok', seen: `${hostOf(profile)} answers and lets this page read.` };
}

async function seeModels(options: ListModelsOptions): Promise<Seen> {
  const models = await listModels(options);
  const { model } = options.profile;
  const count = models.length === 1 ? '1 model' : `${models.length} models`;
  if (models.includes(model)) return { outcome: 'ok', seen: `${count}, “${model}” among them.` };
  return {
    outcome: 'failed',
    seen: `${count}, “${model}” not among them.`,
    hint: models.length === 0 ? undefined : `Listed: ${models.slice(0, 20).join(', ')}.`,
  };
}

async function askWord(options: ListModelsOptions): Promise<Seen> {
  const reply = await ask(options, 'Reply with the single word: ready');
  return { outcome: 'ok', seen: `It replied: “${reply}”` };
}

async function showPicture(options: ListModelsOptions): Promise<Seen> {
  const image: ImagePart = {
    type: 'image',
    hash: 'connection-test',
    mediaType: 'image/png',
    width: SIDE_PX,
    height: SIDE_PX,
  };
  const question = 'Which colour is this picture? Reply with one word.';
  const reply = await ask(options, question, image);
  if (/\bred\b/iu.test(reply)) {
    return { outcome: 'ok', seen: `It saw the red picture and replied: “${reply}”` };
  }
  return {
    outcome: 'failed',
    seen: `It took a red picture but replied: “${reply}”`,
    hint: 'The server may drop images. Check that the model has vision.',
  };
}

async function ask(options: ListModelsOptions, text: string, image?: ImagePart): Promise<string> {
  const backbone = makeRemoteBackbone({
    ...options,
    // The test finds out for itself, whatever the profile says so far.
    profile: { ...options.profile, imageSupport: 'unknown' },
    apiKey: () => options.apiKey,
    render: async () => ({ mediaType: 'image/png', bytes: redSquare() }),
    delay: async () => {},
    random: () => 0,
    retry: { ...DEFAULT_RETRY_POLICY, maxTries: 1 },
  });
  const request: ModelRequest = {
    prompt: 'connection-test@1',
    messages: [
      { role: 'user', parts: [{ type: 'text', text }, ...(image === undefined ? [] : [image])] },
    ],
    maxOutputTokens: MAX_TOKENS,
    temperature: 0,
    sample: 0,
  };
  for await (const chunk of backbone.generate(request, options.signal)) {
    if (chunk.type === 'finish') return shorten(chunk.response.text);
  }
  throw new ModelCallError('empty-reply', 'The model replied with nothing.');
}

function redSquare(): Uint8Array {
  return encodePng(blankPicture({ width: SIDE_PX, height: SIDE_PX }, RED));
}
