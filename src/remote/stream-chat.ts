import type { ModelChunk, ModelRequest, ModelResponse, Usage } from '../core/call.ts';
import { ModelCallError } from '../core/errors.ts';
import { orAbort } from './abort.ts';
import {
  checkedFetch,
  notJsonFailure,
  RequestFailed,
  type CheckedFetchOptions,
} from './checked-fetch.ts';
import { estimateUsage, imagesOf, type ChatModel, type ChatPrompt } from './chat-prompt.ts';
import { classifyStreamError } from './classify-error.ts';
import type { Dialect } from './dialect.ts';
import { hostOf } from './endpoint-profile.ts';
import { asEventStream, truncatedError, type EventStream } from './event-stream.ts';
import { requestHeaders } from './probe.ts';

/** One try of a call. */
export interface ChatTry extends CheckedFetchOptions {
  readonly request: ModelRequest;
  readonly prompt: ChatPrompt;
  readonly dialect: Dialect;
}

type SdkResult = Awaited<ReturnType<ChatModel['doStream']>>;
type SdkPart = SdkResult['stream'] extends ReadableStream<infer Part> ? Part : never;
type SdkFinish = Extract<SdkPart, { type: 'finish' }>;

/**
 * One try, streamed: deltas, then one `finish`. Throws `RequestFailed` with what went wrong, within
 * 200 ms of an abort. Leaving the loop early hangs up.
 */
export async function* streamChat(chat: ChatTry): AsyncGenerator<ModelChunk> {
  const own = new AbortController();
  const signal = AbortSignal.any([chat.signal, own.signal]);
  let reader: ReadableStreamDefaultReader<SdkPart> | undefined;
  try {
    const { stream, events } = await open({ ...chat, signal });
    reader = stream.getReader();
    yield* readParts(reader, events, { ...chat, signal });
  } finally {
    own.abort();
    reader?.cancel().catch(() => {});
  }
}

async function open(
  chat: ChatTry,
): Promise<{ stream: SdkResult['stream']; events: () => EventStream | undefined }> {
  const { signal, request, prompt, dialect } = chat;
  let events: EventStream | undefined;
  // The SDK may wrap what its fetch throws, so the failure is kept here.
  let failure: unknown;
  const model = await loadModel(chat, async (url, init) => {
    try {
      const response = await checkedFetch(url, init, chat);
      events = await asEventStream(response, chat, signal);
      return events.response;
    } catch (cause) {
      failure = cause;
      throw cause;
    }
  });
  const { responseSchema } = request;
  try {
    const { stream } = await orAbort(
      Promise.resolve(
        model.doStream({
          prompt,
          maxOutputTokens: request.maxOutputTokens,
          ...(dialect.temperature ? { temperature: request.temperature } : {}),
          ...(dialect.responseSchema && responseSchema !== undefined
            ? { responseFormat: { type: 'json', schema: responseSchema, name: 'reply' } }
            : {}),
          includeRawChunks: true,
          abortSignal: signal,
        }),
      ),
      signal,
    );
    return { stream, events: () => events };
  } catch (cause) {
    throw failure ?? cause;
  }
}

/** Loads the SDK when the first call needs it, so that opening the app does not. */
async function loadModel(
  { profile, secret, dialect, signal }: ChatTry,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<ChatModel> {
  const sdk = await orAbort(import('@ai-sdk/openai-compatible'), signal).catch((cause: unknown) => {
    if (cause instanceof ModelCallError) throw cause;
    throw new ModelCallError('model-failed', 'The code that talks to endpoints could not load.', {
      cause,
      hint: 'Reload the page.',
    });
  });
  const provider = sdk.createOpenAICompatible({
    name: 'endpoint',
    baseURL: profile.baseUrl,
    includeUsage: dialect.usage,
    supportsStructuredOutputs: true,
    transformRequestBody: ({ max_tokens, ...body }) => ({
      ...body,
      [dialect.maxTokensField]: max_tokens,
    }),
    // The SDK's own headers go: a User-Agent would make browsers ask servers for leave they refuse.
    fetch: (url, init) => fetch(String(url), { ...init, headers: requestHeaders(secret) }),
  });
  return provider.chatModel(profile.model);
}

async function* readParts(
  reader: ReadableStreamDefaultReader<SdkPart>,
  events: () => EventStream | undefined,
  chat: ChatTry,
): AsyncGenerator<ModelChunk> {
  const { signal, profile } = chat;
  let text = '';
  let reasoning = '';
  let model = profile.model;
  let raw: unknown;
  for (;;) {
    const part = await nextPart(reader, chat);
    switch (part?.type) {
      case 'raw':
        raw = part.rawValue;
        break;
      case 'response-metadata':
        model = part.modelId ?? model;
        break;
      case 'text-delta':
        text += part.delta;
        yield { type: 'text-delta', text: part.delta };
        break;
      case 'reasoning-delta':
        reasoning += part.delta;
        yield { type: 'reasoning-delta', text: part.delta };
        break;
      case 'error':
        throwStreamError(raw, part.error, chat);
        break;
      case 'finish': {
        const finishReason = endOf(part, events(), chat);
        const usage = usageOf(part, chat, text + reasoning);
        checkNotEmpty({ text, reasoning, finishReason, usage, model }, chat);
        signal.throwIfAborted();
        yield { type: 'finish', response: { text, reasoning, finishReason, usage, model } };
        return;
      }
      case undefined:
        throw new RequestFailed({ error: truncatedError(chat), retriable: true });
    }
  }
}

async function nextPart(
  reader: ReadableStreamDefaultReader<SdkPart>,
  chat: ChatTry,
): Promise<SdkPart | undefined> {
  try {
    return (await orAbort(reader.read(), chat.signal)).value;
  } catch (cause) {
    if (cause instanceof ModelCallError) throw cause;
    throw new RequestFailed({ error: truncatedError(chat), retriable: true });
  }
}

/** Throws what an error part means; returns where the end of the stream will tell. */
function throwStreamError(raw: unknown, error: unknown, chat: ChatTry): void {
  if (typeof raw === 'object' && raw !== null && 'error' in raw) {
    throw new RequestFailed(classifyStreamError(raw, chat));
  }
  // The SDK reports a stream without a finish as an error too; `endOf` judges that one.
  if (error instanceof Error && error.name === 'AI_InvalidResponseDataError') return;
  throw new RequestFailed({
    error: new ModelCallError(
      'not-json',
      `A piece of the reply from ${hostOf(chat.profile)} is damaged: it is no chat completion chunk.`,
      { hint: 'Try again; if it stays, look at a proxy in between.' },
    ),
    retriable: false,
  });
}

/** How the reply ended. Throws where it did not end, or never was a stream of events. */
function endOf(
  { finishReason }: SdkFinish,
  events: EventStream | undefined,
  chat: ChatTry,
): ModelResponse['finishReason'] {
  const { unified, raw } = finishReason;
  if (raw === undefined) {
    const head = events?.head() ?? '';
    const type = events?.response.headers.get('content-type') ?? null;
    if (head.trim() !== '' && !/^\s*(data|event|id|retry|):/u.test(head)) {
      throw new RequestFailed(notJsonFailure(head, type, chat));
    }
    if (!/data:\s*\[DONE\]\s*$/u.test(events?.tail() ?? '')) {
      throw new RequestFailed({ error: truncatedError(chat), retriable: true });
    }
    return 'other';
  }
  return unified === 'stop' || unified === 'length' || unified === 'content-filter'
    ? unified
    : 'other';
}

function usageOf({ usage }: SdkFinish, chat: ChatTry, reply: string): Usage {
  const prompt = usage.inputTokens.total;
  const completion = usage.outputTokens.total;
  const estimate = estimateUsage(chat.request, reply, chat.profile.maxImageSidePx);
  if (prompt === undefined || completion === undefined) return estimate;
  return {
    promptTokens: prompt,
    completionTokens: completion,
    images: imagesOf(chat.request).length,
    estimated: false,
  };
}

function checkNotEmpty(response: ModelResponse, { profile, request }: ChatTry): void {
  if (response.text.trim() !== '') return;
  const name = `“${profile.model}” at ${hostOf(profile)}`;
  const spent = response.finishReason === 'length' || response.reasoning !== '';
  const error =
    response.finishReason === 'content-filter'
      ? new ModelCallError('empty-reply', `${name} withheld its reply by a content filter.`)
      : spent
        ? new ModelCallError(
            'empty-reply',
            `${name} stopped before its answer: it used up to ${request.maxOutputTokens} tokens thinking.`,
            { hint: 'Allow longer replies, or turn the model’s thinking off.' },
          )
        : new ModelCallError('empty-reply', `${name} replied with nothing.`, {
            hint: 'Try again, or choose another model.',
          });
  throw new RequestFailed({ error, retriable: false });
}
