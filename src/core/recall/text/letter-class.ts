/** What a character is to the scanner. */
export const SEPARATOR = 1;
export const LOWER = 2;
export const UPPER = 3;
export const DIGIT = 4;
/** Of a script without spaces between words: cut into pairs. */
export const SPACELESS = 5;

const IS_SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}々ー]/u;
const IS_UPPER = /[\p{Lu}\p{Lt}]/u;
/** Digits of scripts that folding does not know are letters of a word. */
const IS_WORD = /[\p{L}\p{M}\p{N}]/u;
const IS_DIGIT = /[0-9]/u;

/** Classes of the code units met so far; 0 is not met. */
const met = new Uint8Array(65_536);

/** The class of the character at `at`; half a surrogate pair is a separator, and so is the text's end. */
export function classAt(text: string, at: number): number {
  if (at >= text.length) return SEPARATOR;
  const unit = text.charCodeAt(at);
  const known = met[unit] ?? 0;
  if (known !== 0) return known;
  const point = text.codePointAt(at) ?? 0;
  if (point > 0xffff) return classOf(String.fromCodePoint(point));
  const isHalf = unit >= 0xd800 && unit <= 0xdfff;
  if (isHalf) return SEPARATOR;
  return (met[unit] = classOf(text[at] ?? ''));
}

/** Code units of the character at `at`: 2 for a surrogate pair. */
export function widthAt(text: string, at: number): number {
  return text.charCodeAt(at) >= 0xd800 && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** Whether the character at `at` is a mark, part of the letter before it. */
export function isMarkAt(text: string, at: number): boolean {
  return at < text.length && text.charCodeAt(at) > 0x7f && /^\p{M}$/u.test(text[at] ?? '');
}

function classOf(character: string): number {
  if (IS_DIGIT.test(character)) return DIGIT;
  if (!IS_WORD.test(character)) return SEPARATOR;
  if (IS_SPACELESS.test(character)) return SPACELESS;
  return IS_UPPER.test(character) ? UPPER : LOWER;
}
