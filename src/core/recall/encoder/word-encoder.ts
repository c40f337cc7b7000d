import { accept, type Result } from '../../result.ts';
import { scanWords, type WordSink } from '../text/scan-words.ts';
import { stem } from '../text/stem.ts';
import {
  decodeAsset,
  SCALE_STEP,
  WEIGHT_STEP,
  type AssetRefusal,
  type EncoderAsset,
} from './asset.ts';
import type { Encoder } from './encoder.ts';
import { addGrams } from './grams.ts';
import { numberWord } from './number-word.ts';
import { Slips } from './slips.ts';

/** How much of a word's weight stays where it was guessed: by two words it is made of, by a slip. */
const OF_PARTS = 0.7;
const OF_SLIP = 0.6;
/** What an unknown word weighs by its pieces, where a rare known word weighs 1. */
const OF_PIECES = 0.3;
/** The shortest word that another may be made of. */
const PART = 3;

/** The encoder of an asset that ships with the app; see models/encoder/README.md. */
export function makeWordEncoder(bytes: Uint8Array): Result<Encoder, AssetRefusal> {
  const asset = decodeAsset(bytes);
  return asset.ok ? accept(new WordEncoder(asset.value)) : asset;
}

/**
 * The mean of a text's word vectors, each weighed by how rare the word is (a / (a + p), Arora, Liang
 * and Ma 2017), without the direction that all texts share. Unknown words count by the words they are
 * made of, by the word they are a slip of, and by their pieces; numbers by how large they are. Letters
 * that stand alone are left out: they name points and variables.
 */
export class WordEncoder implements Encoder, WordSink {
  readonly provenance;
  readonly #asset: EncoderAsset;
  readonly #sum: Float32Array;
  #slips: Slips | null = null;

  constructor(asset: EncoderAsset) {
    this.#asset = asset;
    this.provenance = asset.provenance;
    this.#sum = new Float32Array(asset.provenance.dimension);
  }

  encode(text: string): Float32Array {
    this.#sum.fill(0);
    scanWords(text, this);
    const vector = this.#sum.slice();
    withoutDirection(vector, this.#asset.common);
    return toLengthOne(vector);
  }

  word(word: string): void {
    if (word.length < 2 && word.charCodeAt(0) < 0x80) return;
    const known = this.#find(word);
    if (known >= 0) this.#add(known, 1);
    else this.#addUnknown(word);
  }

  number(digits: string): void {
    const known = this.#asset.words.find(numberWord(digits));
    if (known >= 0) this.#add(known, 1);
  }

  compound(joined: string, parts: readonly string[]): void {
    const known = this.#asset.words.find(joined);
    if (known >= 0) this.#add(known, 1);
    else for (const part of parts) this.#addPart(part);
  }

  #addPart(part: string): void {
    const code = part.charCodeAt(0);
    if (code >= 0x30 && code <= 0x39) this.number(part);
    else this.word(part);
  }

  #find(word: string): number {
    const known = this.#asset.words.find(word);
    if (known >= 0) return known;
    const single = stem(word);
    return single === word ? -1 : this.#asset.words.find(single);
  }

  #addUnknown(word: string): void {
    addGrams(this.#sum, word, OF_PIECES);
    if (!/^[a-z]+$/u.test(word)) return;
    const split = this.#splitOf(word);
    if (split > 0) {
      this.#add(this.#asset.words.find(word, 0, split), OF_PARTS);
      this.#add(this.#asset.words.find(word, split), OF_PARTS);
      return;
    }
    this.#slips ??= new Slips(this.#asset.words);
    const meant = this.#slips.find(word);
    if (meant >= 0) this.#add(meant, OF_SLIP);
  }

  /** Where a word falls into two known ones, the rarer of them as frequent as can be; 0 where nowhere. */
  #splitOf(word: string): number {
    const { words } = this.#asset;
    let split = 0;
    let best = words.size;
    for (let at = PART; at <= word.length - PART; at += 1) {
      const first = words.find(word, 0, at);
      if (first < 0 || first >= best) continue;
      const second = words.find(word, at);
      if (second < 0 || second >= best) continue;
      best = Math.max(first, second);
      split = at;
    }
    return split;
  }

  #add(word: number, share: number): void {
    const { vectors, scales, weights } = this.#asset;
    const sum = this.#sum;
    const factor = share * (weights[word] ?? 0) * WEIGHT_STEP * ((scales[word] ?? 0) * SCALE_STEP);
    const start = word * sum.length;
    for (let at = 0; at < sum.length; at += 1) {
      sum[at] = (sum[at] ?? 0) + factor * (vectors[start + at] ?? 0);
    }
  }
}

function withoutDirection(vector: Float32Array, direction: Float32Array): void {
  let along = 0;
  for (let at = 0; at < vector.length; at += 1) along += (vector[at] ?? 0) * (direction[at] ?? 0);
  for (let at = 0; at < vector.length; at += 1) {
    vector[at] = (vector[at] ?? 0) - along * (direction[at] ?? 0);
  }
}

/** Scaled in place to length 1; what is shorter than rounding can tell from nothing becomes zeros. */
function toLengthOne(vector: Float32Array): Float32Array {
  // Not Math.hypot, whose last digits are each engine's own.
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length < 1e-6 ? vector.fill(0) : vector.map((value) => value / length);
}
