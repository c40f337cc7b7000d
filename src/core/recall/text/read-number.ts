import { classAt, DIGIT } from './letter-class.ts';

/** Digits in groups of three: `1,250,000`. */
const GROUPED = /^\d{1,3}(?:,\d{3})+(?!\d)/u;
const DECIMAL = /^\d+(?:\.\d+)*/u;
/** More digits than this are cut off, and points and commas after them not looked at. */
const LONGEST = 64;

/**
 * The number that begins at `start`, and where it ends. Commas are read only between groups of three,
 * so that the coordinates `(1,2)` are two numbers; several points are a version and stay.
 */
export function readNumber(text: string, start: number): { digits: string; end: number } {
  const written = text.slice(start, digitsEnd(text, start, start + LONGEST));
  const grouped = GROUPED.exec(written)?.[0];
  const whole = grouped ?? DECIMAL.exec(written)?.[0] ?? written.slice(0, 1);
  const rest =
    grouped === undefined ? '' : (/^\.\d+/u.exec(written.slice(whole.length))?.[0] ?? '');
  let end = start + whole.length + rest.length;
  while (end < text.length && classAt(text, end) === DIGIT) end += 1;
  return { digits: plainNumber(whole.replaceAll(',', '') + rest), end };
}

/** A number as it is compared: no zeros before it, none after its decimals. At most 64 characters. */
export function plainNumber(written: string): string {
  const digits = written.slice(0, LONGEST);
  const parts = digits.split('.');
  if (parts.length > 2) return digits;
  const [whole = '', decimals = ''] = parts;
  const ahead = whole.replace(/^0+(?=\d)/u, '');
  const behind = decimals.replace(/0+$/u, '');
  return behind === '' ? ahead : `${ahead}.${behind}`;
}

/** The end of digits, and of points and commas between them; at most up to `limit`. */
function digitsEnd(text: string, start: number, limit: number): number {
  let end = start + 1;
  while (end < limit && (classAt(text, end) === DIGIT || isPointAt(text, end))) end += 1;
  return end;
}

/** A point or comma between two digits. */
function isPointAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code === 0x2e || code === 0x2c) && classAt(text, at + 1) === DIGIT;
}
