import { scanWords, type WordSink } from './text/scan-words.ts';
import { stem } from './text/stem.ts';
import { STOP_WORDS } from './text/stop-words.ts';

/**
 * The terms of a text for recall by words (BM25), in order, repeats kept: words of any script and
 * numbers, folded (`foldText`), without stop words, plurals and long names of units folded lightly so
 * that "stops" and "stop", "kilometres" and "km" meet. A name of several words gives its parts and
 * itself: `parseReply` is `parse reply parsereply`. Chinese, Japanese, Korean and Thai come in pairs
 * of characters. No term is longer than 64 UTF-16 units.
 */
export function tokenize(text: string): readonly string[] {
  const terms = new Terms();
  scanWords(text, terms);
  return terms.found;
}

class Terms implements WordSink {
  readonly found: string[] = [];

  word(word: string): void {
    if (!STOP_WORDS.has(word)) this.found.push(stem(word));
  }

  number(digits: string): void {
    this.found.push(digits);
  }

  compound(joined: string, parts: readonly string[]): void {
    for (const part of parts) this.word(part);
    this.found.push(joined);
  }
}
