import type { ChatCompletionChunk, ChatCompletionRequestStreaming } from '@mlc-ai/web-llm';
import { EngineError } from '../../core/models/engine.ts';
import type { Generated, GenerateRequest } from '../../core/models/engine.ts';
import { isLanguageEntry, type LanguageEntry } from '../../core/models/model-entry.ts';
import type { EngineRuntime, GenerateMeans } from '../protocol/engine-host.ts';
import { callFailure, loadFailure } from './web-llm-failures.ts';
import { openWebLlm, orLost, type OpenWebLlm, type WebLlmModel } from './web-llm-model.ts';
import { EMPTY_THOUGHT, webLlmPrompt, type WebLlmChat } from './web-llm-prompt.ts';

/** WebLLM as a runtime: one model, text alone. */
export function webLlmRuntime(open: OpenWebLlm = openWebLlm): EngineRuntime {
  let loaded: { readonly entry: LanguageEntry; readonly model: WebLlmModel } | null = null;
  return {
    async load(entry, device, { tell, lost }) {
      if (!isLanguageEntry(entry)) {
        throw new EngineError('not-loadable', `${entry.name} is no language model.`);
      }
      try {
        const model = await open(entry, device, tell);
        tell('warming');
        await warm(model);
        void model.lost.then(({ code, message }) => code === 'device-lost' && lost(message));
        loaded = { entry, model };
      } catch (error) {
        throw loadFailure(entry.name, error);
      }
    },
    async embed() {
      throw new EngineError('not-askable', 'WebLLM makes no vectors of texts here.');
    },
    async score() {
      throw new EngineError('not-askable', 'WebLLM does not say its logits.');
    },
    async generate(request, means) {
      if (loaded === null) throw new EngineError('failed', 'No language model is loaded.');
      means.signal.throwIfAborted();
      try {
        return await generate(loaded, request, means);
      } catch (error) {
        throw callFailure(loaded.entry.name, error);
      }
    },
  };
}

async function generate(
  { entry, model }: { readonly entry: LanguageEntry; readonly model: WebLlmModel },
  request: GenerateRequest,
  { signal, push }: GenerateMeans,
): Promise<Generated> {
  const { messages, tokens } = webLlmPrompt(request.messages, model.chat);
  checkLength(entry, tokens, request.maxNewTokens);
  const reply = new Reply(model.chat);
  const interrupt = () => model.interrupt();
  signal.addEventListener('abort', interrupt);
  try {
    for await (const chunk of chunksOf(
      model,
      completionOf(request, { messages, chat: model.chat }),
    )) {
      signal.throwIfAborted();
      const piece = reply.take(chunk);
      if (piece !== '') await push(piece);
    }
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
  signal.throwIfAborted();
  return reply.generated(tokens);
}

function completionOf(
  { schema, maxNewTokens, temperature }: Omit<GenerateRequest, 'messages'>,
  { messages, chat }: Pick<ChatCompletionRequestStreaming, 'messages'> & { chat: WebLlmChat },
): ChatCompletionRequestStreaming {
  return {
    messages,
    stream: true,
    stream_options: { include_usage: true },
    // WebLLM counts the thought that it puts there itself as a part of the reply.
    max_tokens: maxNewTokens + (chat.thinks ? chat.count(EMPTY_THOUGHT) : 0),
    temperature,
    repetition_penalty: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    ...(schema === null
      ? {}
      : { response_format: { type: 'json_object', schema: JSON.stringify(schema) } }),
    ...(chat.thinks ? { extra_body: { enable_thinking: false } } : {}),
  };
}

/** What WebLLM streams. Left early, it ends there and tidies up; where the GPU is gone, nothing does. */
async function* chunksOf(
  model: WebLlmModel,
  request: ChatCompletionRequestStreaming,
): AsyncGenerator<ChatCompletionChunk> {
  const stream = await orLost(model.complete(request), model.lost);
  const chunks = stream[Symbol.asyncIterator]();
  let waits = false;
  try {
    for (;;) {
      waits = true;
      const { done, value } = await orLost(chunks.next(), model.lost);
      waits = false;
      if (done === true) return;
      yield value;
    }
  } finally {
    if (!waits) await chunks.return?.();
  }
}

/** Compiles what is compiled at a first token only. */
async function warm(model: WebLlmModel): Promise<void> {
  const { messages } = webLlmPrompt(
    [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    model.chat,
  );
  const asked = { schema: null, maxNewTokens: 2, temperature: 0 };
  const request = completionOf(asked, { messages, chat: model.chat });
  for await (const _ of chunksOf(model, request));
}

function checkLength(
  { name, language }: LanguageEntry,
  tokens: number,
  maxNewTokens: number,
): void {
  const most = Math.min(language.promptBudget, language.context - maxNewTokens);
  if (tokens <= most) return;
  throw new EngineError(
    'prompt-too-long',
    `The prompt has ${tokens} tokens; ${name} takes ${most} with a reply of up to ${maxNewTokens}.`,
  );
}

/** Puts a reply together. */
class Reply {
  readonly #thinks: boolean;
  #all = '';
  #given = 0;
  #finish: 'stop' | 'length' = 'length';
  #usage: ChatCompletionChunk['usage'];

  constructor({ thinks }: WebLlmChat) {
    this.#thinks = thinks;
  }

  /** What is new of the text, often nothing. */
  take({ choices: [choice], usage }: ChatCompletionChunk): string {
    this.#usage = usage ?? this.#usage;
    if (choice?.finish_reason === 'stop') this.#finish = 'stop';
    this.#all += choice?.delta.content ?? '';
    const piece = this.#text.slice(this.#given);
    this.#given += piece.length;
    return piece;
  }

  generated(promptTokens: number): Generated {
    const usage = this.#usage;
    if (usage === undefined || usage === null) throw new Error('WebLLM did not say what it took');
    const { time_to_first_token_s, time_per_output_token_s } = usage.extra;
    // What is still known of an earlier turn it does not read again: then it counts less.
    return {
      text: this.#text,
      finishReason: this.#finish,
      promptTokens: Math.max(promptTokens, usage.prompt_tokens),
      completionTokens: usage.completion_tokens,
      prefillMs: time_to_first_token_s * 1000,
      decodeMs: Math.max(0, usage.completion_tokens - 1) * time_per_output_token_s * 1000,
    };
  }

  /** Without the empty thought before it. */
  get #text(): string {
    return this.#thinks ? this.#all.replace(/^\s*<think>\s*<\/think>\s*/u, '') : this.#all;
  }
}
