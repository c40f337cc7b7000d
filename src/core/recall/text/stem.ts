/** Names of units that are mostly written short. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['kilometre', 'km'],
  ['kilometer', 'km'],
  ['centimetre', 'cm'],
  ['centimeter', 'cm'],
  ['millimetre', 'mm'],
  ['millimeter', 'mm'],
  ['metre', 'meter'],
  ['kilogram', 'kg'],
  ['kilogramme', 'kg'],
  ['millilitre', 'ml'],
  ['milliliter', 'ml'],
  ['litre', 'liter'],
  ['kilobyte', 'kb'],
  ['megabyte', 'mb'],
  ['gigabyte', 'gb'],
  ['millisecond', 'ms'],
]);

/** A word without its plural, lightly, so that "stops" and "stop" meet; long units as they are written. */
export function stem(word: string): string {
  const single = singular(word);
  return UNITS.get(single) ?? single;
}

function singular(word: string): string {
  const { length } = word;
  if (length <= 3 || word.charCodeAt(length - 1) !== 0x73) return word;
  if (length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (length > 4 && /(?:ss|sh|ch|x)es$/u.test(word)) return word.slice(0, -2);
  return /(?:ss|us|is)$/u.test(word) ? word : word.slice(0, -1);
}
