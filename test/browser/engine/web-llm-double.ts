import { MLCEngine } from '@mlc-ai/web-llm';
import { z } from 'zod';
import type { EngineError, LoadedModel } from '../../../src/core/models/engine.ts';
import type { LanguageEntry } from '../../../src/core/models/model-entry.ts';
import { EngineConnection } from '../../../src/engine/protocol/engine-connection.ts';
import { serveEngine } from '../../../src/engine/protocol/engine-host.ts';
import { loadModel } from '../../../src/engine/protocol/engine-worker.ts';
import type { WebLlmConversation } from '../../../src/engine/web-llm/web-llm-files.ts';
import { MODEL, webLlmModel } from '../../../src/engine/web-llm/web-llm-model.ts';
import { EMPTY_THOUGHT } from '../../../src/engine/web-llm/web-llm-prompt.ts';
import { webLlmRuntime } from '../../../src/engine/web-llm/web-llm-runtime.ts';

/** A conversation of WebLLM's own making, as far as its pipeline uses it. */
interface Conversation {
  appendMessage(role: unknown, message: unknown, name: unknown): void;
  appendReplyHeader(role: string): void;
  appendEmptyThinkingReplyHeader(role: string, thought: string): void;
  getPromptArray(config: object): string[];
  finishReply(message: string): void;
}

export const CONVERSATION: WebLlmConversation = {
  system_template: '<|im_start|>system\n{system_message}<|im_end|>\n',
  system_message: 'You help.',
  roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant' },
  role_templates: { user: '{user_message}', assistant: '{assistant_message}' },
  seps: ['<|im_end|>\n'],
  role_content_sep: '\n',
  role_empty_sep: '\n',
};
const CONFIG = {
  conv_template: { ...CONVERSATION, roles: { ...CONVERSATION.roles, tool: 'tool' }, stop_str: [] },
  context_window_size: 2000,
};
const WORDS = 'and again and again, the red line goes on '.repeat(20);

const askedSchema = z.object({
  max_tokens: z.number(),
  enable_thinking: z.boolean().optional(),
  response_format: z.object({ schema: z.string() }).optional(),
});

/**
 * A double of what WebLLM runs on the GPU, a character a token: everything around it is WebLLM's own
 * engine. Replies are always the same, and to a schema its first value.
 */
class PipelineDouble {
  /** Prompts as they were written down for the model. */
  readonly prompts: string[] = [];
  readonly tokenizer = { encode: (text: string) => ({ length: text.length }) };
  /** Tokens it was let make, all calls together. */
  made = 0;
  /** Thrown at the next prompt. */
  fails: Error | null = null;
  #conversation: Conversation | null = null;
  #asked: z.infer<typeof askedSchema> = { max_tokens: 1 };
  #before = '';
  #reply = '';
  #tokens = 0;
  #finish: string | undefined;

  getConversationObject = () => this.#conversation ?? { messages: [null] };
  getFinishReason = () => this.#finish;
  getSupportedInputKinds = () => undefined;
  getTokenLogprobArray = () => [];
  getMessage = () => this.#before + this.#reply.slice(0, this.#tokens);
  getCurRoundCompletionTotalTokens = () => this.#tokens;
  getCurRoundDecodingTotalTokens = () => this.#tokens - 1;
  getCurRoundPrefillTotalTokens = () => this.prompts.at(-1)?.length ?? 0;
  getCurRoundPrefillTotalTime = () => 0.02;
  getCurRoundDecodingTotalTime = () => 0.01 * (this.#tokens - 1);
  getCurRoundPrefillTokensPerSec = () => 1;
  getCurRoundDecodingTokensPerSec = () => 1;
  getCurRoundGrammarInitTotalTime = () => 0;
  getCurRoundGrammarPerTokenTotalTime = () => 0;
  stopped = () => this.#finish !== undefined;
  resetChat = () => undefined;
  setConversation = (conversation: Conversation) => void (this.#conversation = conversation);

  triggerStop = () => {
    if (this.stopped()) return;
    this.#end('abort');
  };

  async prefillStep(message: unknown, role: unknown, name: unknown, asked: unknown): Promise<void> {
    this.#asked = askedSchema.parse(asked);
    this.#finish = undefined;
    this.#tokens = 0;
    this.#conversation?.appendMessage(role, message, name);
    this.#before = this.#asked.enable_thinking === false ? EMPTY_THOUGHT : '';
    if (this.#before === '') this.#conversation?.appendReplyHeader('assistant');
    else this.#conversation?.appendEmptyThinkingReplyHeader('assistant', this.#before);
    this.prompts.push(this.#conversation?.getPromptArray(CONFIG).join('') ?? '');
    const failure = this.fails;
    this.fails = null;
    if (failure !== null) throw failure;
    const { response_format } = this.#asked;
    this.#reply =
      response_format === undefined
        ? WORDS
        : JSON.stringify(firstValueOf(JSON.parse(response_format.schema)));
    this.decodeStep = this.decodeStep.bind(this);
    await this.decodeStep();
  }

  async decodeStep(): Promise<void> {
    // As the GPU's queue: messages are heard in between.
    await new Promise((resolve) => setTimeout(resolve));
    this.made += 1;
    this.#tokens += 1;
    const isWhole = this.#tokens > this.#reply.length;
    if (isWhole) this.#end('stop');
    else if (this.#before.length + this.#tokens >= this.#asked.max_tokens) this.#end('length');
  }

  #end(reason: string): void {
    this.#finish = reason;
    this.#conversation?.finishReply(this.getMessage());
  }
}

const schemaSchema = z.object({
  enum: z.array(z.unknown()).optional(),
  type: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
});

function firstValueOf(schema: unknown): unknown {
  const { enum: values, type, properties } = schemaSchema.parse(schema);
  if (values !== undefined) return values[0];
  if (type === 'boolean') return false;
  const members = Object.entries(properties).map(([name, inner]) => [name, firstValueOf(inner)]);
  return Object.fromEntries(members);
}

/** A language model of WebLLM by its entry alone. */
export function webLlmEntry(id: string): LanguageEntry {
  return {
    ...{ id, name: `WebLLM ${id}`, source: null, approximateBytes: 1, licence: 'MIT', notes: '' },
    ...{ roles: ['text'], runtime: 'web-llm', dtype: { webgpu: 'compiled' }, requires: [] },
    ...{ memoryBytes: 1, otherwise: null, files: [{ path: 'a', bytes: null, sha256: null }] },
    language: {
      ...{ architecture: 'causal', context: 2000, promptBudget: 600 },
      ...{ images: null, library: 'library.wasm', selfTest: null },
    },
  };
}

export interface WebLlmDouble {
  readonly model: LoadedModel;
  readonly pipeline: PipelineDouble;
  /** Takes the GPU away. */
  lose(error: EngineError): void;
}

/** A model in WebLLM's own engine over a double of its pipeline, behind Grove's runtime and protocol. */
export async function loadWebLlmDouble({ thinks = false } = {}): Promise<WebLlmDouble> {
  const pipeline = new PipelineDouble();
  const lost = Promise.withResolvers<EngineError>();
  const engine = new MLCEngine({ logLevel: 'SILENT' });
  const lock = { acquire: async () => undefined, release: async () => undefined };
  for (const [member, value] of [
    ['loadedModelIdToPipeline', pipeline],
    ['loadedModelIdToChatConfig', CONFIG],
    ['loadedModelIdToModelType', 0],
    ['loadedModelIdToLock', lock],
  ] as const) {
    const map: unknown = Reflect.get(engine, member);
    if (!(map instanceof Map)) throw new Error(`WebLLM has no ${member}`);
    map.set(MODEL, value);
  }
  // It asks whether its pipeline is one of its own class, which it gives to nobody.
  Reflect.set(engine, 'getLLMStates', () => [MODEL, pipeline, CONFIG]);
  const entry = webLlmEntry('double');
  const specials = ['<|im_start|>', '<|im_end|>'];
  const chat = { name: entry.name, conversation: CONVERSATION, specials, thinks };
  const { port1, port2 } = new MessageChannel();
  serveEngine(
    port2,
    webLlmRuntime(async () => webLlmModel(engine, { ...chat, hasManifest: false }, lost.promise)),
  );
  port2.start();
  port1.start();
  const connection = new EngineConnection(
    {
      postMessage: (message) => port1.postMessage(message),
      addEventListener: (type, listen) => port1.addEventListener(type, listen),
      close: () => port1.close(),
    },
    { name: entry.name },
  );
  const model = await loadModel(connection, entry, { device: 'webgpu' });
  return { model, pipeline, lose: lost.resolve };
}
