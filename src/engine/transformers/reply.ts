import { BaseStreamer } from '@huggingface/transformers';
import type { TokenText } from './token-text.ts';

/** Between two pieces of a reply at least, in milliseconds: nobody sees more, and each costs. */
const PIECE_EVERY_MS = 16;

/** Collects a reply's tokens as the library makes them; pieces of its text are taken between tokens. */
export class Reply extends BaseStreamer {
  firstAt = 0;
  text = '';
  readonly #tokens: TokenText;
  #sawPrompt = false;
  #tookAt = 0;

  constructor(tokens: TokenText) {
    super();
    this.#tokens = tokens;
  }

  get ids(): readonly number[] {
    return this.#tokens.ids;
  }

  override put(value: bigint[][]): void {
    if (!this.#sawPrompt) {
      this.#sawPrompt = true;
      return;
    }
    if (this.#tokens.ids.length === 0) this.firstAt = performance.now();
    for (const id of value[0] ?? []) this.#tokens.ids.push(Number(id));
  }

  override end(): void {
    // What is left is asked for by `finish`.
  }

  /** The text since the last piece, where it is time for another. */
  takePiece(): string {
    const now = performance.now();
    if (now - this.#tookAt < PIECE_EVERY_MS) return '';
    this.#tookAt = now;
    return this.#kept(this.#tokens.piece());
  }

  /** The rest of the text, where the reply is over. */
  finish(): string {
    return this.#kept(this.#tokens.rest());
  }

  #kept(piece: string): string {
    this.text += piece;
    return piece;
  }
}
