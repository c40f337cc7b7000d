/** Words that say nothing about what a text is about. */
const STOP = new Set(
  'a after an and any are as at be been before between both but by can could do does during each for from had has have how i if in into is it its many may more most much must no not of on one only or other our out over same should so some such than that the their them then there these they this those through to too towards under until up upon very was we were what when where which while who whom why will with within would you your'.split(
    ' ',
  ),
);

/** “Line’s” is about a line; “doesn’t” about nothing. */
const CONTRACTION = /(?:n['’]t|['’](?:s|re|ve|ll|d|m))(?![\p{L}\p{M}])/gu;

/**
 * The words of a text for recall: Unicode words and numbers, NFKC, lower case, without stop words,
 * plurals folded lightly so that "stops" and "stop" meet.
 */
export function tokenize(text: string): readonly string[] {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(CONTRACTION, '')
    .match(/[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*/gu);
  return (words ?? []).filter((word) => !STOP.has(word)).map(stem);
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|sh|ch|x)es$/u.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/u.test(word))
    return word.slice(0, -1);
  return word;
}
