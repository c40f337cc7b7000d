import { byteLevelTokenizer } from '../tokenizer.mjs';

/** A token's id is its place; `<|endoftext|>` is padding too. */
export const CHAT_SPECIALS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];

/** The ids of tokens as `config.json` and `generation_config.json` name them: a turn's end ends a text. */
export const CHAT_IDS = { pad_token_id: 0, bos_token_id: 1, eos_token_id: 2 };

/**
 * Turns as ChatML writes them. A message's content is a text, or parts of type `text` and `image`, of
 * which an image leaves its place only.
 */
const TEMPLATE = [
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}",
  "{% if message['content'] is string %}{{ message['content'] }}",
  "{% else %}{% for part in message['content'] %}",
  "{% if part['type'] == 'image' %}{{ '<image>' }}{% else %}{{ part['text'] }}{% endif %}",
  '{% endfor %}{% endif %}',
  "{{ '<|im_end|>\\n' }}{% endfor %}",
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
].join('');

/**
 * `tokenizer.json` and `tokenizer_config.json` of a model that chats. Padding goes before a text, as
 * generation needs it.
 *
 * @param {{ maximumLength: number, specials?: readonly string[] }} options tokens a text may have, and
 *   special ones besides those of turns
 */
export function chatTokenizer({ maximumLength, specials = [] }) {
  const [pad, start, end] = CHAT_SPECIALS;
  return {
    tokenizer: byteLevelTokenizer({
      specials: [...CHAT_SPECIALS, ...specials],
      unknown: null,
      postProcessor: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true },
    }),
    configuration: {
      tokenizer_class: 'GPT2Tokenizer',
      model_max_length: maximumLength,
      padding_side: 'left',
      add_prefix_space: false,
      clean_up_tokenization_spaces: false,
      pad_token: pad,
      bos_token: start,
      eos_token: end,
      chat_template: TEMPLATE,
    },
  };
}

/**
 * The tokens of `chatTokenizer`, by id.
 *
 * @param {readonly string[]} [specials]
 */
export function chatVocabulary(specials = []) {
  const { vocab } = chatTokenizer({ maximumLength: 0, specials }).tokenizer.model;
  // Not in the order of keys: those of digits come first.
  return Object.entries(vocab)
    .sort(([, first], [, second]) => first - second)
    .map(([token]) => token);
}
