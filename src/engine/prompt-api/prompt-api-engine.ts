import {
  EngineError,
  type EngineMessage,
  type GenerateEvent,
  type GenerateRequest,
  type LanguageEngine,
} from '../../core/models/engine.ts';
import type { LanguageEntry } from '../../core/models/model-entry.ts';
import { browserFailure, browserLoadFailure } from './prompt-api-failures.ts';
import {
  browserLanguageModel,
  modelOptions,
  type BrowserLanguageModel,
  type BrowserMessage,
  type BrowserSession,
} from './prompt-api-model.ts';
import { measuredTokens, promptTokensOf } from './prompt-api-tokens.ts';

/**
 * The browser's own model (Prompt API), in the page, for no worker is given it. A call has a session of
 * its own, so that none sees another's; one more is held so that the browser keeps the model loaded.
 */
export function promptApiEngine(): LanguageEngine {
  return {
    async load(entry, { signal, onPhase, onDownload }) {
      signal?.throwIfAborted();
      const model = browserLanguageModel();
      if (model === null) {
        throw new EngineError('not-loadable', 'This browser has no model of its own.');
      }
      onPhase?.('reading');
      try {
        const held = await model.create({
          ...modelOptions({ images: entry.language.images !== null }),
          ...(signal === undefined ? {} : { signal }),
          monitor: (monitor) => {
            monitor.addEventListener('downloadprogress', (event) => {
              onDownload?.(Number(Reflect.get(event, 'loaded')));
            });
          },
        });
        const loaded = new PromptApiModel(entry, { model, held });
        return {
          device: 'browser',
          generate: (request, aborting) => loaded.generate(request, aborting),
          score: async () => {
            throw new EngineError('not-askable', `${entry.name} does not say its logits.`);
          },
          unload: () => loaded.unload(),
          ended: loaded.ended,
        };
      } catch (error) {
        signal?.throwIfAborted();
        throw browserLoadFailure(entry.name, error);
      }
    },
  };
}

class PromptApiModel {
  readonly ended: Promise<EngineError>;
  readonly #entry: LanguageEntry;
  readonly #model: BrowserLanguageModel;
  readonly #held: BrowserSession;
  readonly #end = Promise.withResolvers<EngineError>();
  readonly #ending = new AbortController();
  #turn: Promise<void> = Promise.resolve();

  constructor(
    entry: LanguageEntry,
    parts: { readonly model: BrowserLanguageModel; readonly held: BrowserSession },
  ) {
    this.#entry = entry;
    this.#model = parts.model;
    this.#held = parts.held;
    this.ended = this.#end.promise;
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateEvent> {
    const either = AbortSignal.any([signal, this.#ending.signal]);
    const before = this.#turn;
    const turn = Promise.withResolvers<void>();
    // Whoever comes next waits for all that came before, even where this call goes away early.
    this.#turn = before.then(() => turn.promise);
    try {
      await orAborted(before, either);
      yield* this.#run(request, either);
    } catch (error) {
      const failure = this.#failureOf(error, signal);
      if (!['stopped', 'prompt-too-long', 'not-askable'].includes(failure.code))
        this.#stop(failure);
      throw failure;
    } finally {
      turn.resolve();
    }
  }

  unload(): void {
    this.#stop(new EngineError('stopped', `${this.#entry.name} was unloaded.`));
  }

  async *#run(
    { messages, schema, maxNewTokens, temperature }: GenerateRequest,
    signal: AbortSignal,
  ): AsyncGenerator<GenerateEvent> {
    const asked = messages.map((message) => this.#messageOf(message));
    const last = this.#checked(asked);
    const started = performance.now();
    const options = {
      ...modelOptions({ images: this.#entry.language.images !== null }),
      ...(await this.#sampling(temperature)),
      initialPrompts: asked.slice(0, -1),
      signal,
    };
    const session = await orAborted(this.#model.create(options), signal);
    try {
      const promptTokens = await promptTokensOf(session, asked);
      this.#checkLength(promptTokens, maxNewTokens, session);
      const enough = new AbortController();
      const stream = session.promptStreaming([last], {
        ...(schema === null ? {} : { responseConstraint: schema }),
        signal: AbortSignal.any([signal, enough.signal]),
      });
      let [text, pieces, firstAt] = ['', 0, started];
      let finishReason: 'stop' | 'length' = 'stop';
      for await (const piece of piecesOf(stream, signal)) {
        if (pieces === 0) firstAt = performance.now();
        pieces += 1;
        text += piece;
        yield { type: 'text', text: piece };
        // The browser has no limit of its own; a piece is about a token.
        if (pieces < maxNewTokens) continue;
        finishReason = 'length';
        enough.abort();
        break;
      }
      const decodeMs = performance.now() - firstAt;
      const completionTokens = await this.#replyTokens(session, text);
      const prefillMs = firstAt - started;
      yield {
        type: 'finish',
        generated: { text, finishReason, promptTokens, completionTokens, prefillMs, decodeMs },
      };
    } finally {
      session.destroy();
    }
  }

  #messageOf({ role, parts }: EngineMessage): BrowserMessage {
    return {
      role,
      content: parts.map((part) => {
        if (part.type === 'text') return { type: 'text', value: part.text };
        if (this.#entry.language.images === null) {
          throw new EngineError('not-askable', `${this.#entry.name} sees no images.`);
        }
        return { type: 'image', value: new Blob([part.bytes], { type: part.mediaType }) };
      }),
    };
  }

  /** The last message, where the browser takes messages in this order. */
  #checked(messages: readonly BrowserMessage[]): BrowserMessage {
    const last = messages.at(-1);
    const isOrdered = messages.every(({ role }, at) => role !== 'system' || at === 0);
    if (last?.role === 'user' && isOrdered) return last;
    throw new EngineError(
      'not-askable',
      `${this.#entry.name} takes at most one system message, first, and a user’s message last.`,
    );
  }

  #checkLength(tokens: number, maxNewTokens: number, session: BrowserSession): void {
    const { promptBudget, context } = this.#entry.language;
    const whole = session.contextWindow ?? session.inputQuota ?? context;
    const most = Math.min(promptBudget, whole - maxNewTokens);
    if (tokens <= most) return;
    throw new EngineError(
      'prompt-too-long',
      `The prompt has ${tokens} tokens; ${this.#entry.name} takes ${most} with a reply of up to ${maxNewTokens}.`,
    );
  }

  /** Both or none; most pages may not choose. */
  async #sampling(temperature: number): Promise<{ temperature?: number; topK?: number }> {
    const params = await this.#model.params?.().catch(() => null);
    if (params === null || params === undefined) return {};
    return temperature === 0
      ? { temperature: 0, topK: 1 }
      : { temperature: Math.min(temperature, params.maxTemperature), topK: params.defaultTopK };
  }

  async #replyTokens(session: BrowserSession, text: string): Promise<number> {
    if (text === '') return 0;
    const content = [{ type: 'text', value: text }] as const;
    return measuredTokens(session, [{ role: 'assistant', content }]);
  }

  #failureOf(error: unknown, signal: AbortSignal): EngineError {
    const { name } = this.#entry;
    if (signal.aborted) return new EngineError('stopped', `${name} was stopped.`);
    const ended: unknown = this.#ending.signal.reason;
    if (ended instanceof EngineError) return ended;
    return browserFailure(name, error);
  }

  #stop(error: EngineError): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort(error);
    this.#held.destroy();
    this.#end.resolve(error);
  }
}

/** A stream's pieces, no longer than the signal lets it. */
async function* piecesOf(
  stream: ReadableStream<string>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) return;
      if (value !== '') yield value;
    }
  } finally {
    // An aborted stream has failed by itself.
    reader.cancel().catch(() => undefined);
  }
}

/** Throws as soon as the signal fires; what was begun may still be at work. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    // Raced even where it is aborted by now, so that a failure of the work is heard.
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
