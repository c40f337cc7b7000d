import type { GrammarMatcher } from '@mlc-ai/web-xgrammar';
import type { RuleState } from './rule-state.ts';
import { nextTokenMask, type TokenMask } from './token-mask.ts';
import type { TokenSpeller } from './token-speller.ts';
import type { Vocabulary } from './tokenizer-vocabulary.ts';

/** What a matcher works with. */
export interface MatcherParts {
  /** Owned by the matcher. */
  readonly xgrammar: GrammarMatcher;
  readonly start: RuleState;
  readonly vocabulary: Vocabulary;
  readonly speller: TokenSpeller;
}

/**
 * One reply on its way: which tokens may come next. XGrammar sorts out a whole vocabulary fast, without
 * bounds on what is long; `RuleState` is exact, and is asked about few tokens.
 */
export class JsonMatcher {
  readonly #parts: MatcherParts;
  #state: RuleState;
  #bytes = '';
  #hasEnded = false;

  constructor(parts: MatcherParts) {
    this.#parts = parts;
    this.#state = parts.start;
  }

  /** What was said so far; half characters at its end are U+FFFD. */
  get text(): string {
    const bytes = Uint8Array.from(this.#bytes, (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  }

  /** Whether the text is a whole value of the schema. */
  get isComplete(): boolean {
    return this.#state.closing === '';
  }

  /** Whether a token came that ends a reply. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get endTokens(): readonly number[] {
    return this.#parts.vocabulary.endTokens;
  }

  /** All tokens that may come next, and some that `fits` refuses. Only for a reply that has not ended. */
  mask(): TokenMask {
    return nextTokenMask(this.#parts.xgrammar, this.#parts.vocabulary.tokens.length);
  }

  /** Whether a token may come next, and the value can be whole in so many tokens after it. */
  fits(token: number, tokensLeft: number): boolean {
    if (this.endTokens.includes(token)) return this.isComplete;
    const closing = this.#after(token)?.closing;
    if (closing === undefined) return false;
    const spelled = this.#parts.speller.spell(closing);
    return spelled !== null && spelled.length <= tokensLeft;
  }

  /** The tokens of the shortest way to a whole value, without one that ends the reply. */
  shortestWay(): readonly number[] {
    const spelled = this.#parts.speller.spell(this.#state.closing);
    if (spelled === null) throw new Error('the tokenizer has no tokens to close this JSON with');
    return spelled;
  }

  /** Takes the token that came. Throws for one that may not come. */
  accept(token: number): void {
    if (this.#hasEnded) return;
    if (this.endTokens.includes(token)) {
      if (!this.isComplete) throw new Error(`the reply ended as ${JSON.stringify(this.text)}`);
      this.#hasEnded = true;
      return;
    }
    const state = this.#after(token);
    if (state === null || !this.#parts.xgrammar.acceptToken(token)) {
      throw new Error(`token ${token} cannot follow ${JSON.stringify(this.text)}`);
    }
    this.#state = state;
    this.#bytes += this.#parts.vocabulary.bytes[token] ?? '';
  }

  /** Frees what it holds; nothing can be asked of it then but its text. */
  dispose(): void {
    this.#parts.xgrammar.dispose();
  }

  #after(token: number): RuleState | null {
    const bytes = this.#parts.vocabulary.bytes[token] ?? '';
    return bytes === '' ? null : this.#state.after(bytes);
  }
}
