import { enlarged32, roomFor } from './columns.ts';
import { MOST_WORDS } from './segment.ts';

/** Words and their numbers, and in how many current rows each is held. */
export class Dictionary {
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];
  #holding = new Uint32Array(0);

  get size(): number {
    return this.#words.length;
  }

  /** The words by their numbers. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** −1 for a word that no row ever held. */
  find(word: string): number {
    return this.#numbers.get(word) ?? -1;
  }

  /** A word's number; a new one where it has none. Throws `RangeError` past 16.7 million words. */
  add(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#words.length;
    if (number >= MOST_WORDS)
      throw new RangeError('a recall index holds 16.7 million words at most');
    this.#numbers.set(word, number);
    this.#words.push(word);
    if (number >= this.#holding.length) {
      this.#holding = enlarged32(this.#holding, roomFor(number + 1, this.#holding.length));
    }
    return number;
  }

  holding(word: number): number {
    return this.#holding[word] ?? 0;
  }

  /** Counts the words of a row that came (1) or went (−1). */
  count(entries: Uint32Array, change: 1 | -1): void {
    const holding = this.#holding;
    for (let at = 0; at < entries.length; at += 1) {
      const word = (entries[at] ?? 0) >>> 8;
      holding[word] = (holding[word] ?? 0) + change;
    }
  }
}
