import {
  AutoProcessor,
  AutoTokenizer,
  RawImage,
  type PreTrainedTokenizer,
  type Processor,
} from '@huggingface/transformers';
import { z } from 'zod';
import { EngineError, type EngineMessage } from '../../core/models/engine.ts';
import type { LanguageEntry } from '../../core/models/model-entry.ts';
import { MODEL, tensorIn } from './transformers-files.ts';

const tokenizerFileSchema = z.object({
  added_tokens: z.array(z.object({ content: z.string(), special: z.boolean() })),
});

/** Makes of messages what a model of transformers.js takes. */
export class TransformersPrompt {
  readonly tokenizer: PreTrainedTokenizer;
  readonly #processor: Processor | null;
  readonly #entry: LanguageEntry;
  /** Tokens that mean something to the model and must not come out of a text that it is given. */
  readonly #specials: readonly string[];

  private constructor(
    entry: LanguageEntry,
    parts: {
      readonly tokenizer: PreTrainedTokenizer;
      readonly processor: Processor | null;
      readonly specials: readonly string[];
    },
  ) {
    this.#entry = entry;
    this.tokenizer = parts.tokenizer;
    this.#processor = parts.processor;
    this.#specials = parts.specials;
  }

  /** Reads the tokenizer and, of a model that sees, the processor of images. */
  static async open(
    entry: LanguageEntry,
    files: ReadonlyMap<string, File>,
  ): Promise<TransformersPrompt> {
    const tokenizerFile = tokenizerFileSchema.parse(
      JSON.parse((await files.get('tokenizer.json')?.text()) ?? 'null'),
    );
    const specials = tokenizerFile.added_tokens
      .filter(({ special }) => special)
      .map(({ content }) => content);
    const { images } = entry.language;
    if (images === null) {
      const tokenizer = await AutoTokenizer.from_pretrained(MODEL);
      return new TransformersPrompt(entry, { tokenizer, processor: null, specials });
    }
    const processor = await AutoProcessor.from_pretrained(MODEL);
    const { tokenizer } = processor;
    if (tokenizer === undefined) throw new Error('its processor has no tokenizer');
    boundImages(processor.image_processor, images.longestSidePx);
    return new TransformersPrompt(entry, { tokenizer, processor, specials });
  }

  /** Inputs of `generate`, and how many tokens they are. Throws `EngineError` `not-askable`. */
  async inputsOf(messages: readonly EngineMessage[]) {
    const hasImage = messages.some(({ parts }) => parts.some(({ type }) => type === 'image'));
    if (hasImage && this.#processor === null) {
      throw new EngineError('not-askable', `${this.#entry.name} sees no images.`);
    }
    const images = await imagesOf(messages);
    const template = {
      tokenize: false,
      add_generation_prompt: true,
      enable_thinking: false,
    } as const;
    const text = this.tokenizer.apply_chat_template(this.#conversation(messages), template);
    const inputs: unknown =
      this.#processor === null || images.length === 0
        ? await this.tokenizer([text], { add_special_tokens: false })
        : await this.#processor(text, images);
    const tokens = tensorIn(inputs, 'input_ids').dims[1] ?? 0;
    return { inputs, tokens };
  }

  #conversation(messages: readonly EngineMessage[]) {
    const sees = this.#processor !== null;
    return messages.map(({ role, parts }) => {
      const texts = parts.flatMap((part) => (part.type === 'text' ? [this.#plain(part.text)] : []));
      if (!sees) return { role, content: texts.join('\n\n') };
      const content = parts.map((part) =>
        part.type === 'text'
          ? { type: 'text' as const, text: `${this.#plain(part.text)}\n` }
          : { type: 'image' as const },
      );
      return { role, content };
    });
  }

  /** A text in which no special token can be read. */
  #plain(text: string): string {
    return this.#specials.reduce(
      (kept, token) => kept.replaceAll(token, `${token.slice(0, 1)} ${token.slice(1)}`),
      text,
    );
  }
}

function imagesOf(messages: readonly EngineMessage[]): Promise<RawImage[]> {
  return Promise.all(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'image'
          ? [RawImage.fromBlob(new Blob([part.bytes], { type: part.mediaType }))]
          : [],
      ),
    ),
  );
}

/** Keeps an image to one tile or to a number of pixels, whichever way the family counts. */
function boundImages(processor: object | undefined, longestSidePx: number): void {
  if (processor === undefined) return;
  if ('do_image_splitting' in processor) {
    Object.assign(processor, { do_image_splitting: false, size: { longest_edge: longestSidePx } });
  }
  if ('max_pixels' in processor) {
    const most = longestSidePx ** 2;
    const least = 'min_pixels' in processor ? Number(processor.min_pixels) : 0;
    Object.assign(processor, { max_pixels: most, min_pixels: Math.min(least, most) });
  }
}
