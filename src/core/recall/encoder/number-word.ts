/**
 * The word by which an asset knows a number, of a form that no text gives: how many digits it has, that
 * it is a year, or that it has decimals. Which number it is, is for recall by words.
 */
export function numberWord(digits: string): string {
  if (digits.includes('.')) return '#.';
  if (/^(?:1[89]|20)\d\d$/u.test(digits)) return '#y';
  return `#${Math.min(5, digits.length)}`;
}
