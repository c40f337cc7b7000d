import { LogitsProcessor, type Tensor } from '@huggingface/transformers';
import { EngineError } from '../../core/models/engine.ts';
import type { JsonMatcher } from './json-matcher.ts';
import { likeliestTokens } from './token-mask.ts';

/** Tokens that are weighed each time; the library samples from 50 at most. */
const WEIGHED = 64;

/**
 * Holds one reply to a grammar in transformers.js: of the likeliest tokens it leaves those that fit and
 * after which the value can still be whole within the limit, and where none does the first of the
 * shortest way there. So a reply of at most `maxNewTokens` is always a whole value, whatever the logits.
 * It must be the last processor of its list, and is for a batch of one.
 */
export class GrammarLogitsProcessor extends LogitsProcessor {
  readonly #matcher: JsonMatcher;
  /** Tokens that may still come, without one that ends the reply. */
  #left: number;
  /** The shortest way that was begun because nothing else fitted. */
  #way: readonly number[] = [];
  /** Tokens of prompt and reply that were seen. */
  #seen: number | null = null;

  /** Throws `EngineError` (`not-askable`) where the shortest value takes more than `maxNewTokens`. */
  constructor(matcher: JsonMatcher, maxNewTokens: number) {
    super();
    this.#matcher = matcher;
    this.#left = maxNewTokens;
    const least = matcher.shortestWay().length;
    if (least > maxNewTokens) {
      throw new EngineError(
        'not-askable',
        `A reply of at most ${maxNewTokens} tokens is too short for this JSON Schema, which takes ${least}.`,
      );
    }
  }

  /** Takes a token: the last of a reply, which no later call brings. Throws for one that was not left. */
  accept(token: number): void {
    this.#matcher.accept(token);
    this.#left -= 1;
    if (this.#seen !== null) this.#seen += 1;
    this.#way = this.#way[0] === token ? this.#way.slice(1) : [];
  }

  /** @internal Called by transformers.js before each token. */
  override _call(inputIds: bigint[][], logits: Tensor): Tensor {
    const [row] = inputIds;
    const { data } = logits;
    if (row === undefined || inputIds.length > 1 || !(data instanceof Float32Array)) {
      throw new TypeError('a grammar takes a batch of one, with logits of 32 bits');
    }
    // All that stands there the first time is the prompt.
    this.#seen ??= row.length;
    for (const token of row.slice(this.#seen)) this.accept(Number(token));
    keepOnly(data, this.#allowed(data));
    return logits;
  }

  #allowed(logits: Float32Array): readonly number[] {
    const matcher = this.#matcher;
    if (matcher.hasEnded) return matcher.endTokens;
    const fitting = likeliestTokens(logits, matcher.mask(), WEIGHED).filter((token) =>
      matcher.fits(token, this.#left - 1),
    );
    if (fitting.length > 0) return fitting;
    // Another way of as few bytes may take more tokens than the one that was begun.
    const shortest = matcher.shortestWay();
    if (this.#way.length === 0 || shortest.length < this.#way.length) this.#way = shortest;
    return matcher.isComplete ? matcher.endTokens : this.#way.slice(0, 1);
  }
}

/** Leaves some logits as they are and rules all others out. Were all ruled out, the library would take token 0. */
function keepOnly(logits: Float32Array, tokens: readonly number[]): void {
  const kept = tokens.map((token) => logits[token] ?? NaN);
  const hasAny = kept.some((logit) => logit > -Infinity);
  logits.fill(-Infinity);
  for (const [at, token] of tokens.entries()) {
    logits[token] = hasAny ? (kept[at] ?? -Infinity) : 0;
  }
}
