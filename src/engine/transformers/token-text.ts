/** What a tokenizer makes of ids. */
export type Decode = (ids: readonly number[]) => string;

/** Tokens before the new ones that are decoded with them, so that spaces between words are right. */
const BEFORE = 4;

/**
 * The text of tokens as they come: a piece is given once no later token can change it, so that a
 * character of several tokens is never cut.
 */
export class TokenText {
  readonly ids: number[] = [];
  readonly #decode: Decode;
  #given = 0;

  constructor(decode: Decode) {
    this.#decode = decode;
  }

  /** The text that is certain by now and was not given yet, often empty. */
  piece(): string {
    const piece = this.#new();
    // Half a character decodes to this mark.
    if (piece.endsWith('\u{fffd}')) return '';
    this.#given = this.ids.length;
    return piece;
  }

  /** What is left at the end, half characters included. */
  rest(): string {
    const piece = this.#new();
    this.#given = this.ids.length;
    return piece;
  }

  #new(): string {
    if (this.#given === this.ids.length) return '';
    const from = Math.max(0, this.#given - BEFORE);
    const before = this.#decode(this.ids.slice(from, this.#given));
    return this.#decode(this.ids.slice(from)).slice(before.length);
  }
}
