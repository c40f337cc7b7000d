import {
  AutoModel,
  AutoTokenizer,
  env,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  type Tensor,
} from '@huggingface/transformers';
import runtimeModule from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import runtimeWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { EngineError } from '../core/models/engine.ts';
import type { ModelEntry } from '../core/models/model-entry.ts';
import { modelFile, modelFolder } from './model-folder.ts';

/** Texts that go through the model together: padding to the longest costs more than it saves beyond. */
const BATCH = 8;
/** Where transformers.js is told that models are; nothing is ever asked of it. */
const ADDRESS = `${location.origin}/on-this-device/`;

env.allowLocalModels = false;
env.useBrowserCache = false;
// Its cache imports the runtime from a blob, which the page's policy refuses.
env.useWasmCache = false;
env.remoteHost = ADDRESS;
env.remotePathTemplate = '{model}';
Object.assign(env.backends.onnx.wasm ?? {}, {
  wasmPaths: { mjs: absolute(runtimeModule), wasm: absolute(runtimeWasm) },
});

/** An encoder in transformers.js, on WASM. One realm loads one model: a failure spoils it for the next. */
export class TransformersEncoder {
  readonly #model: PreTrainedModel;
  readonly #tokenizer: PreTrainedTokenizer;
  readonly #entry: ModelEntry;

  private constructor(entry: ModelEntry, model: PreTrainedModel, tokenizer: PreTrainedTokenizer) {
    this.#entry = entry;
    this.#model = model;
    this.#tokenizer = tokenizer;
  }

  /** Throws `EngineError` (`missing-file`, `not-loadable`). */
  static async load(entry: ModelEntry): Promise<TransformersEncoder> {
    const files = await filesOf(entry);
    env.fetch = (asked) => Promise.resolve(answer(files, String(asked)));
    try {
      const tokenizer = await AutoTokenizer.from_pretrained('model');
      const model = await AutoModel.from_pretrained('model', {
        dtype: entry.dtype,
        device: 'wasm',
      });
      const loaded = new TransformersEncoder(entry, model, tokenizer);
      const [vector] = await loaded.#embedFew(['warm']);
      const { dimension } = entry.encoder;
      if (vector?.length === dimension) return loaded;
      throw new Error(`it gives ${vector?.length ?? 0} dimensions where ${dimension} are said`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new EngineError(
        'not-loadable',
        `${entry.name} cannot be loaded: ${why}. Add or download its files again.`,
        { cause: error },
      );
    }
  }

  /** The vectors of texts, one after the other in one array; `tell` is told of every few. */
  async embed(texts: readonly string[], tell: () => void): Promise<Float32Array<ArrayBuffer>> {
    const { dimension } = this.#entry.encoder;
    const vectors = new Float32Array(texts.length * dimension);
    // Texts of one length together: a short one beside a long one is mostly padding.
    const order = texts.map((_, at) => at).sort((a, b) => length(texts, a) - length(texts, b));
    for (let from = 0; from < order.length; from += BATCH) {
      const few = order.slice(from, from + BATCH);
      const made = await this.#embedFew(few.map((at) => texts[at] ?? ''));
      for (const [at, vector] of made.entries()) {
        vectors.set(vector, (few[at] ?? 0) * dimension);
      }
      tell();
    }
    return vectors;
  }

  async #embedFew(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const { pooling } = this.#entry.encoder;
    const inputs = await this.#tokenise(texts);
    const outputs: unknown = await this.#model(inputs);
    if (pooling === 'own') return rowsOf(tensorIn(outputs, 'sentence_embedding')).map(toLengthOne);
    const states = tensorIn(outputs, 'last_hidden_state');
    const mask = tensorIn(inputs, 'attention_mask');
    return texts.map((_, row) => toLengthOne(pooled(states, mask, { row, pooling })));
  }

  /**
   * Texts as token ids, padded to the longest, cut to what the model takes. The library cuts the mark
   * that ends a text off too, and models were trained with it: it is put back.
   */
  async #tokenise(texts: readonly string[]): Promise<unknown> {
    const { context } = this.#entry.encoder;
    const inputs: unknown = await this.#tokenizer([...texts], {
      padding: true,
      truncation: true,
      max_length: context,
    });
    const { dims, data } = tensorIn(inputs, 'input_ids');
    if (dims[1] !== context) return inputs;
    const end = await this.#endMark();
    const mask = tensorIn(inputs, 'attention_mask');
    for (let last = context - 1; end !== null && last < data.length; last += context) {
      if (Number(mask.data[last]) === 1) data[last] = end;
    }
    return inputs;
  }

  /** The token that this model's texts end with; null where they end with none of their own. */
  async #endMark(): Promise<bigint | null> {
    const ids = tensorIn(await this.#tokenizer(['a']), 'input_ids').data;
    const last: unknown = ids[ids.length - 1];
    const isMark =
      typeof last === 'bigint' && this.#tokenizer.all_special_ids.includes(Number(last));
    return isMark ? last : null;
  }
}

/** The model's files as they lie here. Throws EngineError `missing-file`. */
async function filesOf({ id, name, files }: ModelEntry): Promise<ReadonlyMap<string, File>> {
  const folder = await modelFolder(id);
  const found = new Map<string, File>();
  for (const { path } of files) {
    const handle = folder && (await modelFile(folder, path));
    if (handle === undefined) {
      throw new EngineError(
        'missing-file',
        `${name} lacks its file ${path} on this device. Add or download it again.`,
      );
    }
    found.set(path, await handle.getFile());
  }
  return found;
}

/** A file as the library asks for it; what is not there is 404, and nothing is asked of any server. */
function answer(files: ReadonlyMap<string, File>, address: string): Response {
  const file = files.get(address.slice(`${ADDRESS}model/`.length));
  if (file === undefined) return new Response(null, { status: 404 });
  return new Response(file, { headers: { 'content-length': String(file.size) } });
}

function tensorIn(outputs: unknown, name: string): Tensor {
  const value: unknown =
    typeof outputs === 'object' && outputs !== null ? Reflect.get(outputs, name) : undefined;
  if (isTensor(value)) return value;
  throw new Error(`it gives no ${name}`);
}

function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'dims' in value && 'data' in value;
}

/** Rows of a tensor of two dimensions. */
function rowsOf({ dims, data }: Tensor): readonly Float32Array[] {
  const [rows = 0, width = 0] = dims;
  return Array.from({ length: rows }, (_, row) =>
    Float32Array.from({ length: width }, (_, at) => Number(data[row * width + at])),
  );
}

/** One text's vector out of its tokens' [rows, tokens, width]. */
function pooled(
  { dims, data }: Tensor,
  mask: Tensor,
  { row, pooling }: { readonly row: number; readonly pooling: 'cls' | 'mean' },
): Float32Array {
  const [, tokens = 0, width = 0] = dims;
  const vector = new Float32Array(width);
  let counted = 0;
  for (let token = 0; token < (pooling === 'cls' ? 1 : tokens); token += 1) {
    if (Number(mask.data[row * tokens + token]) === 0) continue;
    counted += 1;
    const start = (row * tokens + token) * width;
    for (let at = 0; at < width; at += 1) {
      vector[at] = (vector[at] ?? 0) + Number(data[start + at]);
    }
  }
  return vector.map((value) => value / Math.max(1, counted));
}

function toLengthOne(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function length(texts: readonly string[], at: number): number {
  return texts[at]?.length ?? 0;
}

function absolute(url: string): string {
  return new URL(url, location.href).href;
}
