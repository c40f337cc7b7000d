import { cutWord } from './cut-word.ts';
import { foldText } from './fold-text.ts';
import { latexWord } from './latex.ts';
import {
  classAt,
  DIGIT,
  isMarkAt,
  LOWER,
  SEPARATOR,
  SPACELESS,
  UPPER,
  widthAt,
} from './letter-class.ts';
import { readNumber } from './read-number.ts';
import { splitCompound } from './split-compound.ts';

/** Takes the words of a text, in order, in lower case. */
export interface WordSink {
  /** A word, or a pair of characters of a script without spaces. */
  word(word: string): void;
  /** A number as digits with a decimal point at most: `1,250.50` is `1250.5`; versions stay: `1.2.3`. */
  number(digits: string): void;
  /** A name written as one, of several words: `parseHTTPReply`, `utf8`. Of its parts, some are digits. */
  compound(joined: string, parts: readonly string[]): void;
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const SPACE = 0x20;
/** Signs that are said as words wherever they stand, and per cent after a number. */
const SIGNS: ReadonlyMap<number, string> = new Map([
  [0xb0, 'degree'],
  [0x20ac, 'euro'],
  [0xa3, 'pound'],
]);
/** What is left of a word's end after its apostrophe: “line’s” is about a line. */
const ENDING = /^(?:s|re|ve|ll|d|m)$/u;

/**
 * Reads a text once, from left to right. Notation is read as its words: LaTeX commands, camelCase,
 * snake_case, kebab-case, numbers with their units and signs. Half surrogate pairs part words.
 */
export function scanWords(source: string, sink: WordSink): void {
  const text = foldText(source);
  let at = 0;
  while (at < text.length) {
    const kind = classAt(text, at);
    if (kind === SEPARATOR) at = scanSign(text, at, sink);
    else if (kind === SPACELESS) at = scanPairs(text, at, sink);
    else if (kind === DIGIT) at = scanNumber(text, at, sink);
    else at = scanWord(text, at, sink);
  }
}

function scanSign(text: string, at: number, sink: WordSink): number {
  const code = text.charCodeAt(at);
  if (code === BACKSLASH) {
    const end = lettersEnd(text, at + 1);
    if (end === at + 1) return end;
    const word = latexWord(text.slice(at + 1, end));
    if (word !== null && word !== '') sink.word(cutWord(word));
    return end;
  }
  if (code > 0x7f) {
    const sign = SIGNS.get(code);
    if (sign !== undefined) sink.word(sign);
  }
  return at + 1;
}

/** Neighbouring characters two by two; one that stands alone is itself. Marks stay with their letter. */
function scanPairs(text: string, start: number, sink: WordSink): number {
  let before = '';
  let count = 0;
  let at = start;
  while (at < text.length && classAt(text, at) === SPACELESS) {
    let end = at + widthAt(text, at);
    while (isMarkAt(text, end)) end += 1;
    const character = text.slice(at, end);
    if (count > 0) sink.word(before + character);
    before = character;
    count += 1;
    at = end;
  }
  if (count === 1) sink.word(before);
  return at;
}

/** A number, its unit or what else is written to it, and a per cent sign after it. */
function scanNumber(text: string, start: number, sink: WordSink): number {
  const { digits, end } = readNumber(text, start);
  const tail = wordEnd(text, end);
  if (tail > end) {
    const written = text.slice(end, tail);
    if (/^(?:st|nd|rd|th)$/iu.test(written)) sink.number(digits);
    else scanAttached(digits, written, sink);
    return tail;
  }
  sink.number(digits);
  const next = text.charCodeAt(end) === BACKSLASH ? end + 1 : end;
  if (text.charCodeAt(next) === PERCENT) sink.word('percent');
  else if (text.charCodeAt(next) === SPACE && text.charCodeAt(next + 1) === PERCENT) {
    sink.word('percent');
  }
  return end;
}

/** `12km` is a number and a unit; `3d` a name of its own as well. */
function scanAttached(digits: string, written: string, sink: WordSink): void {
  const parts = splitCompound(written);
  if (written.length > 1 && parts.length === 1) {
    sink.number(digits);
    sink.word(parts[0] ?? '');
  } else {
    sink.compound(cutWord(digits + written), [digits, ...parts]);
  }
}

function scanWord(text: string, start: number, sink: WordSink): number {
  const plain = plainEnd(text, start);
  const end = wordEnd(text, plain);
  const next = text.charCodeAt(end);
  if (next === 0x27 || next === 0x2019) {
    const tail = lettersEnd(text, end + 1);
    const ending = text.slice(end + 1, tail).toLowerCase();
    // “doesn’t” says nothing of what a text is about.
    if (ending === 't' && /n$/iu.test(text.slice(start, end))) return tail;
    emit(text.slice(start, end), plain === end, sink);
    return ENDING.test(ending) ? tail : end;
  }
  emit(text.slice(start, end), plain === end, sink);
  return end;
}

function emit(written: string, isPlain: boolean, sink: WordSink): void {
  const parts = isPlain ? [] : splitCompound(written);
  if (parts.length > 1) sink.compound(cutWord(written), parts);
  else sink.word(parts[0] ?? cutWord(written));
}

/** The end of a letter and the small letters after it: of most words, their end. */
function plainEnd(text: string, start: number): number {
  let at = start + widthAt(text, start);
  while (at < text.length && classAt(text, at) === LOWER) at += widthAt(text, at);
  return at;
}

/** The end of a run of letters and digits. */
function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const kind = classAt(text, at);
    if (kind !== LOWER && kind !== UPPER && kind !== DIGIT) break;
    at += widthAt(text, at);
  }
  return at;
}

/** The end of a run of letters. */
function lettersEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const kind = classAt(text, at);
    if (kind !== LOWER && kind !== UPPER) break;
    at += widthAt(text, at);
  }
  return at;
}
