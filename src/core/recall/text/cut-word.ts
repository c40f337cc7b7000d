/** Longer words are cut: a term is no place for an encoded file. In UTF-16 units. */
const LONGEST = 64;

/** A word in lower case, no longer than 64 UTF-16 units, never cut through a surrogate pair. */
export function cutWord(written: string): string {
  const lower = written.toLowerCase();
  if (lower.length <= LONGEST) return lower;
  const last = lower.charCodeAt(LONGEST - 1);
  return lower.slice(0, last >= 0xd800 && last < 0xdc00 ? LONGEST - 1 : LONGEST);
}
