import { BYTE_CHARACTERS } from '../byte-pairs.mjs';

/** Never said where a grammar leaves anything else. */
const NEVER = -30;

/**
 * What is added to the logits of tokens that are not letters, which have 0. Logits deviate by about 2,
 * and the likeliest of all tokens without a bias has about 6.
 *
 * @type {Readonly<Record<string, number>>}
 */
const BIASES = {
  '"': 4.5,
  '}': 1,
  ']': 1,
  // Where a grammar is fulfilled nothing else is left; without one a text goes on to its limit.
  '<|im_end|>': -2,
  // A line's end ends a number too, where a grammar indents; white space must not go on for ever.
  '\n': -4,
  '\\': -4,
  ' ': -8,
  ...Object.fromEntries(Array.from('0123456789', (digit) => [digit, -6])),
};

/**
 * What is added to each token's logit, so that a decoder that knows nothing still writes readable text
 * and, held to a grammar, soon ends the JSON that it began: no byte beyond ASCII, no control character,
 * seldom white space, short numbers and short strings.
 *
 * @param {readonly string[]} vocabulary in byte-level characters, by id
 */
export function tokenBias(vocabulary) {
  return Float32Array.from(vocabulary, (token) => {
    const text = Array.from(token, (character) =>
      String.fromCharCode(BYTE_CHARACTERS.indexOf(character)),
    ).join('');
    const isReadable = /^(?!<.+>$)[ -~]+$/u.test(text);
    return BIASES[text] ?? (isReadable ? 0 : NEVER);
  });
}
