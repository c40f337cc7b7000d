import type { Vocabulary } from './tokenizer-vocabulary.ts';

/** Longer tokens are not looked for: the texts to spell are braces, keys and numbers. */
const LONGEST_TOKEN = 24;
/** Spellings that are kept. */
const KNOWN_MOST = 2000;

/** Spells bytes in as few of a vocabulary's tokens as can be. */
export class TokenSpeller {
  readonly #ids = new Map<string, number>();
  readonly #known = new Map<string, readonly number[] | null>();

  constructor({ bytes }: Vocabulary) {
    for (const [id, text] of bytes.entries()) {
      const isWanted = text !== '' && text.length <= LONGEST_TOKEN && !this.#ids.has(text);
      if (isWanted) this.#ids.set(text, id);
    }
  }

  /** Token ids; null where no tokens give these bytes. */
  spell(bytes: string): readonly number[] | null {
    const known = this.#known.get(bytes);
    if (known !== undefined) return known;
    const made = this.#spell(bytes);
    if (this.#known.size >= KNOWN_MOST) this.#known.clear();
    this.#known.set(bytes, made);
    return made;
  }

  #spell(bytes: string): readonly number[] | null {
    // From the end: how many tokens the rest takes, and how long the first of them is.
    const counts = Array.from({ length: bytes.length + 1 }, () => Infinity);
    const lengths = Array.from({ length: bytes.length + 1 }, () => 0);
    counts[bytes.length] = 0;
    for (let at = bytes.length - 1; at >= 0; at -= 1) {
      const most = Math.min(LONGEST_TOKEN, bytes.length - at);
      for (let length = 1; length <= most; length += 1) {
        const count = 1 + (counts[at + length] ?? Infinity);
        if (count >= (counts[at] ?? 0) || !this.#ids.has(bytes.slice(at, at + length))) continue;
        counts[at] = count;
        lengths[at] = length;
      }
    }
    if (counts[0] === Infinity) return null;
    const ids: number[] = [];
    for (let at = 0; at < bytes.length; at += lengths[at] ?? 0) {
      const id = this.#ids.get(bytes.slice(at, at + (lengths[at] ?? 0)));
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }
}
