/** First and last byte of a range, both of it. */
export type ByteRange = readonly [first: number, last: number];

/**
 * A grammar over UTF-8 bytes, as a tree that may share its parts and never contains itself. XGrammar is
 * told of it as EBNF (`ebnf.ts`); what EBNF is too slow for, the bounds, is kept by `rule-state.ts`.
 * Bytes are written as strings of one character (U+0000 to U+00FF) each.
 */
export type Rule =
  | { readonly type: 'literal'; readonly bytes: string }
  | { readonly type: 'byte'; readonly ranges: readonly ByteRange[] }
  | { readonly type: 'sequence'; readonly parts: readonly Rule[] }
  | { readonly type: 'choice'; readonly options: readonly Rule[] }
  /** A part that is never empty, so many times. */
  | { readonly type: 'repeat'; readonly part: Rule; readonly min: number; readonly max: number }
  /** A string after its opening quote. `min` counts characters, `max` UTF-16 units. */
  | { readonly type: 'text'; readonly min: number; readonly max: number };

const encoder = new TextEncoder();

/** UTF-8 bytes, one character each. */
export function bytesOf(text: string): string {
  return Array.from(encoder.encode(text), (byte) => String.fromCharCode(byte)).join('');
}

export function literal(text: string): Rule {
  return { type: 'literal', bytes: bytesOf(text) };
}

/** One byte of those in a list of ASCII characters and ranges, as `'"', 'a-f'`. */
export function oneOf(...ranges: readonly string[]): Rule {
  return {
    type: 'byte',
    ranges: ranges.map((range) => [range.charCodeAt(0), range.charCodeAt(range.length - 1)]),
  };
}

export function sequence(...parts: readonly Rule[]): Rule {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { type: 'sequence', parts };
}

export function choice(...options: readonly Rule[]): Rule {
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { type: 'choice', options };
}

export function repeat(part: Rule, min: number, max: number): Rule {
  return { type: 'repeat', part, min, max };
}

export const EMPTY: Rule = sequence();

export function optional(part: Rule): Rule {
  return choice(part, EMPTY);
}
