import { choice, literal, oneOf, sequence, type ByteRange, type Rule } from './rule.ts';

/** Characters that a string may hold as they are: their bytes, and how many UTF-16 units they count. */
export interface CharacterForm {
  readonly first: ByteRange;
  readonly rest: readonly ByteRange[];
  readonly units: number;
}

const NEXT: ByteRange = [0x80, 0xbf];

/** Well-formed UTF-8 (Unicode 16, table 3-7) without control characters, `"` and `\`. */
export const CHARACTER_FORMS: readonly CharacterForm[] = [
  { first: [0x20, 0x21], rest: [], units: 1 },
  { first: [0x23, 0x5b], rest: [], units: 1 },
  { first: [0x5d, 0x7e], rest: [], units: 1 },
  { first: [0xc2, 0xc2], rest: [[0xa0, 0xbf]], units: 1 },
  { first: [0xc3, 0xdf], rest: [NEXT], units: 1 },
  { first: [0xe0, 0xe0], rest: [[0xa0, 0xbf], NEXT], units: 1 },
  { first: [0xe1, 0xec], rest: [NEXT, NEXT], units: 1 },
  { first: [0xed, 0xed], rest: [[0x80, 0x9f], NEXT], units: 1 },
  { first: [0xee, 0xef], rest: [NEXT, NEXT], units: 1 },
  { first: [0xf0, 0xf0], rest: [[0x90, 0xbf], NEXT, NEXT], units: 2 },
  { first: [0xf1, 0xf3], rest: [NEXT, NEXT, NEXT], units: 2 },
  { first: [0xf4, 0xf4], rest: [[0x80, 0x8f], NEXT, NEXT], units: 2 },
];

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;

/** What fills a string that must not be empty and has no room for more. */
export const FILLER = '-';

const HEX = oneOf('0-9', 'a-f', 'A-F');

/**
 * What follows a backslash; each counts one unit. Not all that JSON knows: of control characters only
 * the line feed (what a model means by `\t` or `\f` is more often LaTeX's `\times` or `\frac`, which a
 * backslash must go before), and no surrogates.
 */
export const ESCAPE: Rule = choice(
  oneOf('"', '\\', '/', 'n'),
  sequence(
    literal('u'),
    choice(
      sequence(literal('00'), oneOf('2-7', 'a-f', 'A-F'), HEX),
      sequence(literal('0'), oneOf('1-9', 'a-f', 'A-F'), HEX, HEX),
      sequence(oneOf('1-9', 'a-c', 'A-C', 'e-f', 'E-F'), HEX, HEX, HEX),
      sequence(oneOf('d', 'D'), oneOf('0-7'), HEX, HEX),
    ),
  ),
);
