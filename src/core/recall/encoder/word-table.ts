import { ascii } from './ascii.ts';

/** Words of one asset, all ASCII, one after the other, found through an open-addressed table. */
export class WordTable {
  readonly size: number;
  readonly #letters: Uint8Array;
  readonly #starts: Uint32Array;
  /** Word number + 1 by hash; 0 is empty. Twice as many slots as words at least. */
  readonly #slots: Uint32Array;
  /** All letters as text, where words were asked for. */
  #text: string | null = null;

  /** `lengths` says how many of `letters` each word has; they must add up to all of them. */
  constructor(letters: Uint8Array, lengths: Uint8Array) {
    this.size = lengths.length;
    this.#letters = letters;
    this.#starts = new Uint32Array(lengths.length + 1);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(lengths.length * 2 + 2)));
    lengths.forEach((length, at) => {
      this.#starts[at + 1] = (this.#starts[at] ?? 0) + length;
    });
    for (let word = 0; word < this.size; word += 1) this.#enter(word);
  }

  /** The number of the word that `text` holds from `from` up to `to`; -1 where it is unknown. */
  find(text: string, from = 0, to = text.length): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(text, from, to) & mask;
    for (;;) {
      const word = (this.#slots[slot] ?? 0) - 1;
      if (word < 0 || this.#is(word, text, from, to)) return word;
      slot = (slot + 1) & mask;
    }
  }

  /** A word by its number. */
  word(number: number): string {
    this.#text ??= ascii(this.#letters);
    return this.#text.slice(this.#starts[number], this.#starts[number + 1]);
  }

  #enter(word: number): void {
    const mask = this.#slots.length - 1;
    let hash = FNV_OFFSET;
    const end = this.#starts[word + 1] ?? 0;
    for (let at = this.#starts[word] ?? 0; at < end; at += 1) {
      hash = Math.imul(hash ^ (this.#letters[at] ?? 0), FNV_PRIME);
    }
    let slot = mix(hash) & mask;
    while ((this.#slots[slot] ?? 0) !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = word + 1;
  }

  #is(word: number, text: string, from: number, to: number): boolean {
    const start = this.#starts[word] ?? 0;
    const length = to - from;
    if ((this.#starts[word + 1] ?? 0) - start !== length) return false;
    for (let at = 0; at < length; at += 1) {
      if (this.#letters[start + at] !== text.charCodeAt(from + at)) return false;
    }
    return true;
  }
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A 32-bit hash of UTF-16 units (FNV-1a, then mixed so that its low bits depend on all). */
export function hashOf(text: string, from: number, to: number): number {
  let hash = FNV_OFFSET;
  for (let at = from; at < to; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  }
  return mix(hash);
}

/** Spreads a number's bits over all 32, the same in every engine. */
export function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
