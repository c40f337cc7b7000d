import { cutWord } from './cut-word.ts';
import { classAt, DIGIT, LOWER, UPPER, widthAt } from './letter-class.ts';
import { plainNumber } from './read-number.ts';

/** A name of more parts than this is no name: a hash, an encoded picture. It stays whole. */
const MOST_PARTS = 8;

/** Capitals that are one word with their plural: `PDFs`. */
const PLURAL_CAPITALS = /^\p{Lu}{2,}s$/u;

/**
 * The parts of a name in lower case: at changes between letters and digits, before a capital after a
 * small letter, and before the last of several capitals where a small letter follows (`HTTPReply`).
 */
export function splitCompound(written: string): readonly string[] {
  if (PLURAL_CAPITALS.test(written)) return [cutWord(written)];
  const parts: string[] = [];
  let start = 0;
  let before = classAt(written, 0);
  for (let at = widthAt(written, 0); at < written.length; at += widthAt(written, at)) {
    const kind = classAt(written, at);
    const next = at + widthAt(written, at);
    const endsCapitals =
      kind === UPPER &&
      before === UPPER &&
      next < written.length &&
      classAt(written, next) === LOWER &&
      !PLURAL_CAPITALS.test(written.slice(start));
    const isBoundary =
      (kind === DIGIT) !== (before === DIGIT) ||
      (kind === UPPER && before === LOWER) ||
      endsCapitals;
    if (isBoundary && at > start) {
      parts.push(part(written.slice(start, at), before));
      if (parts.length >= MOST_PARTS) return [cutWord(written)];
      start = at;
    }
    before = kind;
  }
  parts.push(part(written.slice(start), before));
  return parts;
}

function part(written: string, kind: number): string {
  return kind === DIGIT ? plainNumber(written) : cutWord(written);
}
