import type { Lesson } from '../../bank/node.ts';
import { clipToTokens, estimateTokens } from '../../harness/token-estimate.ts';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';

/**
 * Things under the short names that a model sees (`L1`, `G2`): names cost a token or two where ids cost
 * twenty, and a name that was never given is told from a slip of the pen.
 */
export class Shown<T> {
  readonly #prefix: string;
  readonly #items: readonly T[];

  constructor(prefix: string, items: readonly T[]) {
    this.#prefix = prefix;
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  get names(): readonly string[] {
    return this.#items.map((_, at) => `${this.#prefix}${at + 1}`);
  }

  /** One line each: the name, then what `say` says. */
  lines(say: (item: T) => string): string {
    return this.#items.map((item, at) => `${this.#prefix}${at + 1}: ${say(item)}`).join('\n');
  }

  /** What a name means; refuses `unknown-name`. */
  find(name: string): Result<T, Refusal<'unknown-name'>> {
    const item = this.#items[this.names.indexOf(name.trim())];
    return item === undefined
      ? refuse('unknown-name', `${JSON.stringify(name)} is none of ${this.#range()}`)
      : accept(item);
  }

  /** All of them, or the first that is unknown. */
  findAll(names: readonly string[]): Result<readonly T[], Refusal<'unknown-name'>> {
    const found: T[] = [];
    for (const name of names) {
      const item = this.find(name);
      if (!item.ok) return item;
      found.push(item.value);
    }
    return accept(found);
  }

  #range(): string {
    return this.size === 0 ? 'nothing' : `${this.#prefix}1 to ${this.#prefix}${this.size}`;
  }
}

/** A lesson in one line, of at most so many tokens: its title, then when it applies or what it says. */
export function lessonLine({ content }: Lesson, tokens: number): string {
  const title = clipToTokens(oneLine(content.title), tokens);
  const more = oneLine(content.appliesWhen === '' ? content.guidance : content.appliesWhen);
  const left = tokens - estimateTokens(title) - 1;
  return left < 4 || more === '' ? title : `${title}; ${clipToTokens(more, left)}`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
