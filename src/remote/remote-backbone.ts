import type { ModelChunk, ModelRequest } from '../core/call.ts';
import { ModelCallError } from '../core/errors.ts';
import type { Backbone } from '../core/ports.ts';
import { abortedError, orAbort } from './abort.ts';
import { imagesOf, toChatPrompt, type RenderImage } from './chat-prompt.ts';
import { RequestFailed } from './checked-fetch.ts';
import type { FailureContext, TryFailure } from './classify-error.ts';
import { concede, FULL_DIALECT } from './dialect.ts';
import { hostOf, type EndpointProfile } from './endpoint-profile.ts';
import { listModels } from './list-models.ts';
import type { Fetch } from './probe.ts';
import { DEFAULT_RETRY_POLICY, retryDelayMs, type RetryPolicy } from './retry-policy.ts';
import { streamChat } from './stream-chat.ts';

/** What a remote backbone is built from. Clock, waiting and randomness come from outside. */
export interface RemoteBackboneOptions {
  readonly profile: EndpointProfile;
  /** Asked at each call, so that a key typed later counts. Undefined where there is none. */
  readonly apiKey: () => string | undefined;
  /** The gate's fetch. */
  readonly fetch: Fetch;
  readonly render: RenderImage;
  /** Resolves after that time. May reject once the signal fires. */
  readonly delay: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** 0 to 1, spreads retries. */
  readonly random: () => number;
  /** Milliseconds since 1970, to read a Retry-After date. */
  readonly nowMs: () => number;
  /** This page's origin, for hints on CORS: `http://localhost:4747`. */
  readonly pageOrigin?: string | undefined;
  readonly retry?: RetryPolicy;
}

/** Longest wait for the list of models that explains an unknown one, in milliseconds. */
const LIST_MS = 5_000;
const LISTED = 20;

/**
 * A model behind an OpenAI-compatible endpoint. Streams; tries again by the retry policy while nothing
 * of the reply has arrived; asks without what a server refuses (the reply's schema, temperature).
 * Throws `ModelCallError`, `aborted` within 200 ms of the signal. The key is in no message.
 */
export function makeRemoteBackbone(options: RemoteBackboneOptions): Backbone {
  const { profile } = options;
  let dialect = FULL_DIALECT;
  return {
    id: `endpoint:${profile.id}`,
    label: `${profile.model} at ${hostOf(profile)}`,
    device: 'remote',
    async *generate(request, signal) {
      const policy = options.retry ?? DEFAULT_RETRY_POLICY;
      const call = await prepare(request, signal, options);
      let triesMade = 0;
      for (let next = 2; ; next++) {
        let streamed = false;
        try {
          for await (const chunk of streamChat({ ...call, dialect })) {
            streamed = true;
            yield chunk;
          }
          return;
        } catch (cause) {
          const failure = failureOf(cause, signal);
          const concession =
            failure.error.code === 'bad-request' &&
            failure.serverError !== undefined &&
            !failure.retriable &&
            !streamed
              ? concede(dialect, failure.serverError, request.responseSchema !== undefined)
              : null;
          if (concession !== null) {
            dialect = concession.dialect;
            yield retryChunk(next, 0, concession.message);
            continue;
          }
          triesMade++;
          const facts = { streamed, triesMade, retryAfterMs: undefined, ...failure };
          const delayMs = retryDelayMs(policy, facts, options.random());
          if (delayMs === null) throw await explain(failure.error, triesMade, { options, signal });
          yield retryChunk(next, delayMs, failure.error.message);
          await orAbort(options.delay(delayMs, signal), signal);
        }
      }
    },
  };
}

async function prepare(
  request: ModelRequest,
  signal: AbortSignal,
  { profile, apiKey, fetch, render, nowMs, pageOrigin }: RemoteBackboneOptions,
) {
  const hasImages = imagesOf(request).length > 0;
  if (hasImages && profile.imageSupport === 'no') {
    throw new ModelCallError(
      'no-image-support',
      `“${profile.model}” at ${hostOf(profile)} is set up as taking no images: nothing was sent.`,
      { hint: 'Choose a model with vision, or change this in Settings.' },
    );
  }
  const prompt = await orAbort(toChatPrompt(request.messages, render, signal), signal).catch(
    (cause: unknown) => {
      throw failureOf(cause, signal).error;
    },
  );
  const context: FailureContext = { profile, hasImages, secret: apiKey(), nowMs: nowMs() };
  return { ...context, request, prompt, fetch, signal, pageOrigin };
}

function failureOf(cause: unknown, signal: AbortSignal): TryFailure {
  if (signal.aborted) return { error: abortedError(), retriable: false };
  if (cause instanceof RequestFailed) return cause.failure;
  if (cause instanceof ModelCallError) return { error: cause, retriable: false };
  const message = 'The call failed inside Grove. This is a bug.';
  return { error: new ModelCallError('model-failed', message, { cause }), retriable: false };
}

function retryChunk(attempt: number, delayMs: number, message: string): ModelChunk {
  return { type: 'retry', attempt, delayMs, message };
}

/** The error as it ends the call: with how often it was tried, or the models there are. */
async function explain(
  error: ModelCallError,
  tries: number,
  { options, signal }: { options: RemoteBackboneOptions; signal: AbortSignal },
): Promise<ModelCallError> {
  const models = error.code === 'unknown-model' ? await modelsSeen(options, signal) : undefined;
  if (signal.aborted) return abortedError();
  const message = tries > 1 ? `${error.message} Tried ${tries} times.` : error.message;
  const hint = models ?? error.hint;
  return new ModelCallError(error.code, message, {
    ...(error.cause === undefined ? {} : { cause: error.cause }),
    ...(hint === undefined ? {} : { hint }),
    ...(error.status === undefined ? {} : { status: error.status }),
  });
}

async function modelsSeen(
  { profile, apiKey, fetch, nowMs, pageOrigin }: RemoteBackboneOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]);
  try {
    const options = { profile, apiKey: apiKey(), fetch, nowMs, pageOrigin, signal: limit };
    const models = await listModels(options);
    if (models.length === 0) return undefined;
    const more = models.length > LISTED ? ` and ${models.length - LISTED} more` : '';
    return `The server lists: ${models.slice(0, LISTED).join(', ')}${more}.`;
  } catch {
    return undefined;
  }
}
