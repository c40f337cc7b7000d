/**
 * Guidance as sentences, without a model or the browser's own segmenter (which differs between
 * engines, and a replay must not). A full stop after a short word ("St.", "e.g.") ends nothing.
 */
export function splitSentences(text: string): readonly string[] {
  return text
    .split(/\n+/u)
    .flatMap((line) => line.split(/(?<=(?:[\p{L}\p{N})\]"'’»%]{3}|\p{N})[.!?])\s+/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** A sentence with a capital and a full stop, white space folded; empty where there is no word in it. */
export function asSentence(text: string): string {
  const folded = text.toWellFormed().replace(/\s+/gu, ' ').trim();
  if (!/[\p{L}\p{N}]/u.test(folded)) return '';
  const ended = /[.!?…]["'’)\]»]*$/u.test(folded) ? folded : `${folded.replace(/[,;:]$/u, '')}.`;
  const first = [...ended][0] ?? '';
  return first.toUpperCase() + ended.slice(first.length);
}

/** What two sentences are compared by: letters and digits only, lower case. */
export function sentenceKey(sentence: string): string {
  return sentence
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/**
 * Existing text with sentences added that it does not already hold, within a budget in characters
 * (Unicode code points). Where it would pass, whole sentences go, the oldest first; a sentence longer
 * than the budget is left out. Where everything fits, the existing text is kept to the letter.
 */
export function appendSentences(
  text: string,
  added: readonly string[],
  budgetChars: number,
): string {
  const existing = splitSentences(text);
  const known = new Set(existing.map(sentenceKey));
  const fresh = added.map(asSentence).filter((sentence) => {
    const key = sentenceKey(sentence);
    if (key === '' || known.has(key)) return false;
    known.add(key);
    return true;
  });
  const whole = [text, ...fresh].filter((part) => part !== '').join(' ');
  if ([...whole].length <= budgetChars) return whole;
  const kept: string[] = [];
  let length = 0;
  for (const sentence of [...existing, ...fresh].reverse()) {
    const more = [...sentence].length + (kept.length === 0 ? 0 : 1);
    if (length + more > budgetChars) {
      if (more > budgetChars) continue;
      break;
    }
    kept.unshift(sentence);
    length += more;
  }
  return kept.join(' ');
}

const STOP_WORDS = new Set(
  (
    'about after again also and any are asked before between both but can does each for from given ' +
    'has have how into its many more most much must not one only other our out over same should ' +
    'some such than that the their them then there these they this those through two use used was ' +
    'were what when where which while who why will with would you your'
  ).split(' '),
);

/** The words of a text that carry meaning: three letters or more, no stop words, plural s folded. */
export function contentWords(text: string): readonly string[] {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return [
    ...new Set(
      words
        .filter((word) => !STOP_WORDS.has(word))
        .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/u, '') : word)),
    ),
  ];
}
