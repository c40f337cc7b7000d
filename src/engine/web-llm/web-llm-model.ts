import type {
  ChatCompletionChunk,
  ChatCompletionRequestStreaming,
  MLCEngine,
  ModelRecord,
} from '@mlc-ai/web-llm';
import { EngineError, type LoadPhase } from '../../core/models/engine.ts';
import type { Device, LanguageEntry, ModelFile } from '../../core/models/model-entry.ts';
import { checkGpu } from '../gpu.ts';
import { gpuFailure } from './web-llm-failures.ts';
import { MODEL_ADDRESS, openWebLlmFiles, serveFiles, type WebLlmFiles } from './web-llm-files.ts';
import type { WebLlmChat } from './web-llm-prompt.ts';

/** As much of WebLLM's engine, with a model in it, as a runtime needs. */
export interface WebLlmModel {
  readonly chat: WebLlmChat;
  complete(request: ChatCompletionRequestStreaming): Promise<AsyncIterable<ChatCompletionChunk>>;
  /** Ends what it writes at the next token. */
  interrupt(): void;
  /** Resolves where the GPU is gone. */
  readonly lost: Promise<EngineError>;
}

/** Loads a model. Throws `EngineError`, and what WebLLM throws. */
export type OpenWebLlm = (
  entry: LanguageEntry,
  device: Device,
  tell: (phase: LoadPhase) => void,
) => Promise<WebLlmModel>;

/** The name by which WebLLM is asked for the one model of a realm. */
export const MODEL = 'model';
const MANIFEST = 'mlc-model-manifest.json';

/** Loads a model in WebLLM itself, which is fetched only once all is there for it. */
export const openWebLlm: OpenWebLlm = async (entry, device, tell) => {
  if (device !== 'webgpu') {
    throw new EngineError('no-gpu', `${entry.name} runs on a GPU only, not on ${device}.`);
  }
  await checkGpu(entry, device);
  tell('reading');
  const opened = await openWebLlmFiles(entry);
  serveFiles(entry, opened.files);
  const lost = lostGpu().then((info) => gpuFailure(entry.name, info));
  const { MLCEngine } = await import('@mlc-ai/web-llm');
  let compiles = false;
  const engine = new MLCEngine({
    appConfig: { model_list: [recordOf(entry, opened)] },
    logLevel: 'SILENT',
    initProgressCallback: ({ progress }) => {
      if (progress < 1 || compiles) return;
      compiles = true;
      tell('compiling');
    },
  });
  await orLost(engine.reload(MODEL), lost);
  const { conversation, specials, thinks, files } = opened;
  const hasManifest = files.has(MANIFEST);
  return webLlmModel(
    engine,
    { name: entry.name, conversation, specials, thinks, hasManifest },
    lost,
  );
};

/** What a runtime needs of an engine of WebLLM that has its model, under the name `MODEL`. */
export function webLlmModel(
  engine: MLCEngine,
  chat: Omit<WebLlmChat, 'count'>,
  lost: Promise<EngineError>,
): WebLlmModel {
  const tokenizer = tokenizerIn(engine);
  return {
    chat: { ...chat, count: (text) => tokenizer.encode(text).length },
    complete: (request) => engine.chat.completions.create(request),
    interrupt: () => void engine.interruptGenerate(),
    lost,
  };
}

/** Waits for work of the GPU, but no longer than there is one. */
export function orLost<T>(work: Promise<T>, lost: Promise<EngineError>): Promise<T> {
  return Promise.race([work, lost.then((error) => Promise.reject(error))]);
}

/** What WebLLM is told of the model. */
function recordOf(
  { language, files: known }: LanguageEntry,
  { files, library, slidingWindow }: WebLlmFiles,
): ModelRecord {
  const hashOf = (path: string) => integrityOf(known.find((file) => file.path === path));
  const [config, modelLibrary] = [hashOf('mlc-chat-config.json'), hashOf(library)];
  const tokenizer = hashOf('tokenizer.json');
  return {
    model: MODEL_ADDRESS,
    model_id: MODEL,
    model_lib: MODEL_ADDRESS + library,
    ...(files.has(MANIFEST) ? { model_manifest: MANIFEST } : {}),
    // A history of one state, as WebLLM's own list has it: each more is as large as the model's memory.
    overrides: {
      max_history_size: 1,
      ...(slidingWindow ? {} : { context_window_size: language.context }),
    },
    integrity: {
      ...(config && { config }),
      ...(modelLibrary && { model_lib: modelLibrary }),
      ...(tokenizer && { tokenizer: { 'tokenizer.json': tokenizer } }),
    },
  };
}

/** A hash in the form of Subresource Integrity; undefined where none is known. */
function integrityOf(file: ModelFile | undefined): string | undefined {
  const hash = file?.sha256 ?? null;
  if (hash === null) return undefined;
  const bytes = (hash.match(/../gu) ?? []).map((pair) => String.fromCharCode(parseInt(pair, 16)));
  return `sha256-${btoa(bytes.join(''))}`;
}

interface Tokenizer {
  encode(text: string): { readonly length: number };
}

/** WebLLM counts for nobody, so its tokenizer is looked for where this version keeps it. */
function tokenizerIn(engine: MLCEngine): Tokenizer {
  const pipelines: unknown = Reflect.get(engine, 'loadedModelIdToPipeline');
  const pipeline: unknown = pipelines instanceof Map ? pipelines.get(MODEL) : undefined;
  const tokenizer: unknown = Reflect.get(Object(pipeline), 'tokenizer');
  if (!isTokenizer(tokenizer)) throw new Error('WebLLM keeps its tokenizer elsewhere');
  return tokenizer;
}

function isTokenizer(value: unknown): value is Tokenizer {
  return typeof Reflect.get(Object(value), 'encode') === 'function';
}

/** Resolves with why the GPU is gone that is asked for from now on: WebLLM shows it to nobody. */
function lostGpu(): Promise<GPUDeviceLostInfo> {
  const lost = Promise.withResolvers<GPUDeviceLostInfo>();
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (descriptor) {
    const device = await requestDevice.call(this, descriptor);
    void device.lost.then(lost.resolve);
    return device;
  };
  return lost.promise;
}
