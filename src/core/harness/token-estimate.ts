/**
 * How many tokens a text takes, about: four characters of ASCII a token, every other character one. Real
 * tokenizers of today take fewer for most scripts, so a budget kept by this is kept.
 */
export function estimateTokens(text: string): number {
  let [ascii, other] = [0, 0];
  for (const character of text) {
    if (character.charCodeAt(0) < 0x80) ascii += 1;
    else other += 1;
  }
  return Math.ceil(ascii / 4) + other;
}

/** The text, or as many of its first words as fit, with an ellipsis. A budget below 1 gives nothing. */
export function clipToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  if (tokens < 1) return '';
  let [kept, used] = ['', 1];
  for (const word of text.split(/(?<=\s)/u)) {
    used += estimateTokens(word);
    if (used > tokens) break;
    kept += word;
  }
  // One word longer than the budget, as in scripts without spaces: by characters.
  if (kept === '') {
    for (const character of text) {
      if (estimateTokens(kept + character) >= tokens) break;
      kept += character;
    }
  }
  return `${kept.trimEnd()}…`;
}

/** The items from the front that fit a budget together. */
export function takeWithin<T>(
  items: readonly T[],
  tokens: number,
  textOf: (item: T) => string,
): readonly T[] {
  let left = tokens;
  const taken: T[] = [];
  for (const item of items) {
    left -= estimateTokens(textOf(item)) + 1;
    if (left < 0) break;
    taken.push(item);
  }
  return taken;
}
