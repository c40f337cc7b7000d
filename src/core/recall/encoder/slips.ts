import { mix } from './word-table.ts';
import type { WordTable } from './word-table.ts';

/** Shorter words are too near each other, longer ones too rare to matter. */
const SHORTEST = 5;
const LONGEST = 20;

const BASE = 0x01000193;

/**
 * Finds the word that one slip of the keyboard makes unknown: a letter left out, added, changed, or two
 * neighbours swapped. Words with one letter left out are kept by hash, so a slip costs one look for
 * each of its letters.
 */
export class Slips {
  readonly #words: WordTable;
  /** Word number + 1 by the hash of the word without one letter; 0 is empty. */
  readonly #slots: Uint32Array;

  /** Reads all words once; about 60 ms. */
  constructor(words: WordTable) {
    this.#words = words;
    const meant: { readonly number: number; readonly word: string }[] = [];
    let count = 0;
    for (let number = 0; number < words.size; number += 1) {
      const word = words.word(number);
      if (word.length < SHORTEST || word.length > LONGEST) continue;
      meant.push({ number, word });
      count += word.length;
    }
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(count * 2 + 2)));
    for (const { number, word } of meant) this.#enterAll(number, word);
  }

  /** The number of the most frequent word that is one slip away; -1 where there is none. */
  find(word: string): number {
    if (word.length < SHORTEST || word.length > LONGEST) return -1;
    let best = this.#among(word, hashWithout(word, -1), -1);
    for (let at = 0; at < word.length; at += 1) {
      best = this.#among(word, hashWithout(word, at), best);
      const added = this.#words.find(word.slice(0, at) + word.slice(at + 1));
      if (added >= 0 && word.length > SHORTEST) best = better(best, added);
    }
    return best;
  }

  #enterAll(number: number, word: string): void {
    for (let at = 0; at < word.length; at += 1) {
      // The same letter twice: without either it is the same.
      if (word[at] !== word[at - 1]) this.#enter(number, hashWithout(word, at));
    }
  }

  #enter(number: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while ((this.#slots[slot] ?? 0) !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }

  #among(word: string, hash: number, known: number): number {
    const mask = this.#slots.length - 1;
    let best = known;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number < 0) return best;
      if (better(best, number) === number && isOneSlip(word, this.#words.word(number))) {
        best = number;
      }
    }
  }
}

/** Words are numbered by frequency; -1 is none. */
function better(first: number, second: number): number {
  return first < 0 || second < first ? second : first;
}

/** Hash of a word without the letter at `without`; -1 leaves none out. */
function hashWithout(word: string, without: number): number {
  let hash = word.length - (without < 0 ? 0 : 1);
  for (let at = 0; at < word.length; at += 1) {
    if (at !== without) hash = Math.imul(hash, BASE) + word.charCodeAt(at);
  }
  return mix(hash);
}

/** Whether one letter left out, added or changed, or two neighbours swapped, makes one of the other. */
export function isOneSlip(first: string, second: string): boolean {
  const [short, long] = first.length <= second.length ? [first, second] : [second, first];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (long.length - short.length > 1 || first === second) return false;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  const isSwap = short[at] === long[at + 1] && short[at + 1] === long[at];
  return isSwap && short.slice(at + 2) === long.slice(at + 2);
}
