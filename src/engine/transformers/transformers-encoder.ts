import {
  AutoModel,
  AutoTokenizer,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  type Tensor,
} from '@huggingface/transformers';
import type { EncoderEntry } from '../../core/models/model-entry.ts';
import { MODEL, notLoadable, openModel, tensorIn } from './transformers-files.ts';

/** Texts that go through the model together: padding to the longest costs more than it saves beyond. */
const BATCH = 8;

/** An encoder in transformers.js, on WASM. One realm loads one model: a failure spoils it for the next. */
export class TransformersEncoder {
  readonly #model: PreTrainedModel;
  readonly #tokenizer: PreTrainedTokenizer;
  readonly #entry: EncoderEntry;

  private constructor(entry: EncoderEntry, model: PreTrainedModel, tokenizer: PreTrainedTokenizer) {
    this.#entry = entry;
    this.#model = model;
    this.#tokenizer = tokenizer;
  }

  /** Throws `EngineError` (`missing-file`, `not-loadable`). */
  static async load(entry: EncoderEntry): Promise<TransformersEncoder> {
    try {
      await openModel(entry, 'wasm');
      const tokenizer = await AutoTokenizer.from_pretrained(MODEL);
      const model = await AutoModel.from_pretrained(MODEL, { dtype: entry.dtype, device: 'wasm' });
      const loaded = new TransformersEncoder(entry, model, tokenizer);
      const [vector] = await loaded.#embedFew(['warm']);
      const { dimension } = entry.encoder;
      if (vector?.length === dimension) return loaded;
      throw new Error(`it gives ${vector?.length ?? 0} dimensions where ${dimension} are said`);
    } catch (error) {
      throw notLoadable(entry, error);
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
