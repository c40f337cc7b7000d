import { BYTE_CHARACTERS, learnMerges } from './byte-pairs.mjs';

/** Special tokens of the encoder; a token's id is its place. */
const ENCODER_SPECIALS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];

/** Tokens of every tokenizer here: special ones, the 256 bytes, and merges for the rest. */
export const VOCABULARY_SIZE = 512;
/** The id of `[PAD]`. */
export const PADDING_ID = 0;

/**
 * `tokenizer.json` and `tokenizer_config.json` of the encoder: a text becomes `[CLS] text [SEP]`. Named
 * a BertTokenizer, as those of real encoders are, so that transformers.js gives `token_type_ids` too.
 *
 * @param {{ maximumLength: number }} options tokens a text may have, with `[CLS]` and `[SEP]`
 */
export function encoderTokenizer({ maximumLength }) {
  const [pad, unknown, cls, sep, mask] = ENCODER_SPECIALS;
  return {
    tokenizer: byteLevelTokenizer({
      specials: ENCODER_SPECIALS,
      unknown: '[UNK]',
      postProcessor: clsAndSep(),
    }),
    configuration: {
      tokenizer_class: 'BertTokenizer',
      model_max_length: maximumLength,
      padding_side: 'right',
      do_lower_case: false,
      clean_up_tokenization_spaces: false,
      pad_token: pad,
      unk_token: unknown,
      cls_token: cls,
      sep_token: sep,
      mask_token: mask,
    },
  };
}

/**
 * The content of a `tokenizer.json` as Hugging Face's tokenizers 0.20 and later write it: byte-level
 * pairs, so that any text can be said and read back.
 *
 * @param {{ specials: readonly string[], unknown: string | null, postProcessor: object }} parts
 */
export function byteLevelTokenizer({ specials, unknown, postProcessor }) {
  const merges = learnMerges(VOCABULARY_SIZE - specials.length - BYTE_CHARACTERS.length);
  const tokens = [...specials, ...BYTE_CHARACTERS, ...merges.map((pair) => pair.join(''))];
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { ...byteLevel, use_regex: true },
    post_processor: postProcessor,
    decoder: { ...byteLevel, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: unknown,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  };
}

/** One text, or a pair whose second text is of type 1. */
function clsAndSep() {
  const cls = { SpecialToken: { id: '[CLS]', type_id: 0 } };
  const sep = { SpecialToken: { id: '[SEP]', type_id: 0 } };
  const text = { Sequence: { id: 'A', type_id: 0 } };
  return {
    type: 'TemplateProcessing',
    single: [cls, text, sep],
    pair: [
      cls,
      text,
      sep,
      { Sequence: { id: 'B', type_id: 1 } },
      { SpecialToken: { id: '[SEP]', type_id: 1 } },
    ],
    special_tokens: Object.fromEntries(
      ['[CLS]', '[SEP]'].map((token) => [
        token,
        { id: token, ids: [ENCODER_SPECIALS.indexOf(token)], tokens: [token] },
      ]),
    ),
  };
}
