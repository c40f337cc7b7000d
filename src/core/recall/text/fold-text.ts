/** Letters that no decomposition takes apart; written as their readers write them without accents. */
const SPELT: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ł: 'l',
  Ł: 'L',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
  ё: 'е',
  Ё: 'Е',
  ς: 'σ',
  // Arabic: forms of one letter that writers and keyboards mix.
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};

/** Where the digits of a script begin: Arabic, Persian, Devanagari, Bengali, Thai. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50];
const OTHER_DIGITS = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59]/gu;

const ASCII_ONLY = /^[\0-\x7f]*$/u;
const SPELT_LETTERS = new RegExp(`[${Object.keys(SPELT).join('')}]`, 'gu');
/** Accents on Latin and Greek letters. On others a mark is part of the letter (й, が, हि). */
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;
/** Arabic vowel signs, hamza over or under its carrier, tatweel; Hebrew points; soft and zero-width joints. */
const UNREAD =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u00ad\u200b-\u200d\u2060\ufeff]+/gu;

/**
 * A text with what the same words may differ in taken off: compatibility forms (NFKC: full width,
 * ligatures, superscripts), accents of Latin and Greek letters, Arabic and Hebrew vowel signs. Case
 * stays, for it parts words (`camelCase`). Plain ASCII comes back as it is.
 */
export function foldText(text: string): string {
  if (ASCII_ONLY.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(SPELT_LETTERS, (letter) => SPELT[letter] ?? letter)
    .normalize('NFD')
    .replace(ACCENTS, '')
    .replace(UNREAD, '')
    .replace(OTHER_DIGITS, asciiDigit)
    .normalize('NFC');
}

function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  return String(code - (ZEROS.findLast((zero) => zero <= code) ?? code));
}
