import {
  AutoModelForCausalLM,
  AutoModelForImageTextToText,
  env,
  InterruptableStoppingCriteria,
  LogitsProcessor,
  LogitsProcessorList,
  type PreTrainedModel,
  type Tensor,
} from '@huggingface/transformers';
import { EngineError } from '../../core/models/engine.ts';
import type {
  EngineMessage,
  Generated,
  GenerateRequest,
  LoadPhase,
} from '../../core/models/engine.ts';
import type { Device, LanguageEntry } from '../../core/models/model-entry.ts';
import type { GenerateMeans } from '../protocol/engine-host.ts';
import { isTimeToYield, nextTask } from './next-task.ts';
import { Reply } from './reply.ts';
import { TokenText } from './token-text.ts';
import { MODEL, notLoadable, openModel } from './transformers-files.ts';
import { TransformersPrompt } from './transformers-prompt.ts';
import { transformersGrammars, type TransformersGrammars } from './transformers-grammars.ts';

export interface LoadMeans {
  tell(phase: LoadPhase): void;
  lost(message: string): void;
}

/** A language model in transformers.js. One realm loads one model: a failure spoils it for the next. */
export class TransformersLanguage {
  readonly #entry: LanguageEntry;
  readonly #prompt: TransformersPrompt;
  readonly #model: PreTrainedModel;
  readonly #ends: readonly number[];
  readonly #grammars: TransformersGrammars;
  /** Called before each token. */
  #beforeToken: () => Promise<void> = nextTask;

  private constructor(entry: LanguageEntry, prompt: TransformersPrompt, model: PreTrainedModel) {
    this.#entry = entry;
    this.#prompt = prompt;
    this.#model = model;
    this.#ends = endTokensOf(model);
    this.#grammars = transformersGrammars(prompt.tokenizer, this.#ends);
    // Between two tokens the library awaits nothing that lets a message in.
    const forward = model.forward.bind(model);
    model.forward = async (inputs) => {
      await this.#beforeToken();
      return forward(inputs);
    };
  }

  /** Throws `EngineError`. */
  static async load(
    entry: LanguageEntry,
    device: Device,
    { tell, lost }: LoadMeans,
  ): Promise<TransformersLanguage> {
    const dtype = entry.dtype[device];
    if (dtype === undefined || dtype === 'compiled' || device === 'browser') {
      throw new EngineError('no-gpu', `${entry.name} has no weights that run on ${device}.`);
    }
    try {
      tell('reading');
      const files = await openModel(entry, device);
      const prompt = await TransformersPrompt.open(entry, files);
      tell('compiling');
      const kind =
        entry.language.architecture === 'causal'
          ? AutoModelForCausalLM
          : AutoModelForImageTextToText;
      const model = await kind.from_pretrained(MODEL, { dtype, device });
      if (device === 'webgpu') void watchGpu(lost);
      const loaded = new TransformersLanguage(entry, prompt, model);
      tell('warming');
      await loaded.#warm();
      return loaded;
    } catch (error) {
      throw notLoadable(entry, error);
    }
  }

  async generate(request: GenerateRequest, means: GenerateMeans): Promise<Generated> {
    const { signal } = means;
    signal.throwIfAborted();
    const { inputs, tokens } = await this.#prompt.inputsOf(request.messages);
    this.#checkLength(tokens, request.maxNewTokens);
    signal.throwIfAborted();
    return this.#run(request, { ...means, inputs, promptTokens: tokens });
  }

  async score(messages: readonly EngineMessage[]): Promise<Float32Array<ArrayBuffer>> {
    const { inputs, tokens } = await this.#prompt.inputsOf(messages);
    this.#checkLength(tokens, 1);
    const seen = new SeenLogits();
    const processors = new LogitsProcessorList();
    processors.push(seen);
    await this.#model.generate({
      ...Object(inputs),
      max_new_tokens: 1,
      do_sample: false,
      repetition_penalty: 1,
      logits_processor: processors,
    });
    return seen.values;
  }

  async #run(
    { schema, maxNewTokens, temperature }: GenerateRequest,
    means: GenerateMeans & { readonly inputs: unknown; readonly promptTokens: number },
  ): Promise<Generated> {
    const { signal, push, inputs, promptTokens } = means;
    const constraint =
      schema === null ? null : await this.#grammars.constrain(schema, maxNewTokens);
    const stopping = new InterruptableStoppingCriteria();
    const interrupt = () => stopping.interrupt();
    signal.addEventListener('abort', interrupt);
    const reply = new Reply(new TokenText(this.#decode));
    this.#beforeToken = async () => {
      if (!isTimeToYield()) return;
      await nextTask();
      const piece = reply.takePiece();
      // An abort ends it by the criteria, so that the library tidies up.
      if (piece !== '') await push(piece).catch(() => undefined);
    };
    const processors = new LogitsProcessorList();
    if (constraint !== null) processors.push(constraint.processor);
    const started = performance.now();
    try {
      await this.#model.generate({
        ...Object(inputs),
        max_new_tokens: maxNewTokens,
        ...(temperature > 0 ? { do_sample: true, temperature, top_k: 50 } : { do_sample: false }),
        repetition_penalty: 1,
        eos_token_id: [...this.#ends],
        logits_processor: processors,
        stopping_criteria: stopping,
        streamer: reply,
      });
      signal.throwIfAborted();
      const last = reply.ids.at(-1);
      if (last !== undefined) constraint?.accept(last);
      const rest = reply.finish();
      if (rest !== '') await push(rest);
      const ended = last !== undefined && this.#ends.includes(last);
      return {
        text: constraint?.text ?? reply.text,
        finishReason: (constraint?.isComplete ?? ended) ? 'stop' : 'length',
        promptTokens,
        completionTokens: reply.ids.length,
        prefillMs: Math.max(0, reply.firstAt - started),
        decodeMs: Math.max(0, performance.now() - reply.firstAt),
      };
    } finally {
      signal.removeEventListener('abort', interrupt);
      this.#beforeToken = nextTask;
      constraint?.dispose();
    }
  }

  async #warm(): Promise<void> {
    const warm = { type: 'text', text: 'Hi' } as const;
    const { inputs } = await this.#prompt.inputsOf([{ role: 'user', parts: [warm] }]);
    await this.#model.generate({ ...Object(inputs), max_new_tokens: 2, do_sample: false });
  }

  #checkLength(tokens: number, maxNewTokens: number): void {
    const { name, language } = this.#entry;
    const { promptBudget, context } = language;
    const most = Math.min(promptBudget, context - maxNewTokens);
    if (tokens <= most) return;
    throw new EngineError(
      'prompt-too-long',
      `The prompt has ${tokens} tokens; ${name} takes ${most} with a reply of up to ${maxNewTokens}.`,
    );
  }

  readonly #decode = (ids: readonly number[]): string =>
    ids.length === 0 ? '' : this.#prompt.tokenizer.decode([...ids], { skip_special_tokens: true });
}

/** Keeps the logits that it is shown. */
class SeenLogits extends LogitsProcessor {
  values = new Float32Array(0);

  override _call(_ids: bigint[][], logits: Tensor): Tensor {
    this.values = Float32Array.from(logits.data, Number);
    return logits;
  }
}

function endTokensOf({ generation_config, config }: PreTrainedModel): readonly number[] {
  const said: unknown = generation_config?.eos_token_id ?? Reflect.get(config, 'eos_token_id');
  const ends = (Array.isArray(said) ? said : [said]).filter((id) => typeof id === 'number');
  if (ends.length === 0) throw new Error('it does not say which token ends a reply');
  return ends;
}

async function watchGpu(lost: (message: string) => void): Promise<void> {
  const device: GPUDevice | undefined = await env.backends.onnx.webgpu?.device;
  const { reason, message } = (await device?.lost) ?? {};
  if (reason !== 'destroyed')
    lost(message === undefined || message === '' ? 'no reason given' : message);
}
