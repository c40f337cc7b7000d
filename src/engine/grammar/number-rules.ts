import { choice, EMPTY, literal, oneOf, optional, repeat, sequence, type Rule } from './rule.ts';

/** Whole numbers with both bounds among them, each at most `Number.MAX_SAFE_INTEGER` from 0. */
export interface WholeRange {
  readonly min: number;
  readonly max: number;
}

const DIGIT = oneOf('0-9');
/** Digits after a point. */
const FRACTION_MOST = 6;
const FRACTION = repeat(DIGIT, 1, FRACTION_MOST);

/** A whole number in plain digits: no `-0`, no leading zero, no exponent. The range is not empty. */
export function integerRule({ min, max }: WholeRange): Rule {
  const above = max < 0 ? [] : naturals({ min: Math.max(0, min), max });
  const below = min >= 0 ? [] : naturals({ min: Math.max(1, -max), max: -min });
  return choice(...above, ...below.map(negative));
}

/** A number with up to six digits after its point, and no exponent. The range is not empty. */
export function numberRule({ min, max }: WholeRange): Rule {
  const above = max < 0 ? [] : magnitudes({ min: Math.max(0, min), max });
  const below = min >= 0 ? [] : magnitudes({ min: Math.max(1, -max), max: -min });
  const justBelow = min < 0 && max >= 0 ? [sequence(literal('0.'), FRACTION)] : [];
  return choice(...above, ...[...justBelow, ...below].map(negative));
}

function negative(rule: Rule): Rule {
  return sequence(literal('-'), rule);
}

/** Numbers from 0 up: whole ones below the upper bound with any fraction, and the bound itself. */
function magnitudes({ min, max }: WholeRange): readonly Rule[] {
  const noFraction = repeat(literal('0'), 1, FRACTION_MOST);
  return [
    ...naturals({ min, max: max - 1 }).map((whole) => withFraction(whole, FRACTION)),
    ...naturals({ min: max, max }).map((whole) => withFraction(whole, noFraction)),
  ];
}

function withFraction(whole: Rule, fraction: Rule): Rule {
  return sequence(whole, optional(sequence(literal('.'), fraction)));
}

/** Whole numbers from 0 up, the shorter ones first; none where the range is empty. */
function naturals({ min, max }: WholeRange): readonly Rule[] {
  const rules: Rule[] = [];
  for (let low = min; low <= max; low = 10 ** String(low).length) {
    const high = Math.min(max, 10 ** String(low).length - 1);
    rules.push(digitsBetween(String(low), String(high)));
  }
  return rules;
}

/** Digits of one length, from `low` to `high`. */
function digitsBetween(low: string, high: string): Rule {
  if (low === '') return EMPTY;
  if (/^0*$/u.test(low) && /^9*$/u.test(high)) return anyDigits(low.length);
  const [first = '', last = ''] = [low[0], high[0]];
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  if (first === last) return startingWith(literal(first), digitsBetween(lowRest, highRest));
  const isLowest = /^0*$/u.test(lowRest);
  const isHighest = /^9*$/u.test(highRest);
  const from = Number(first) + (isLowest ? 0 : 1);
  const to = Number(last) - (isHighest ? 0 : 1);
  const nines = '9'.repeat(lowRest.length);
  const zeros = '0'.repeat(highRest.length);
  return choice(
    ...(isLowest ? [] : [startingWith(literal(first), digitsBetween(lowRest, nines))]),
    ...(from > to ? [] : [startingWith(oneOf(`${from}-${to}`), anyDigits(lowRest.length))]),
    ...(isHighest ? [] : [startingWith(literal(last), digitsBetween(zeros, highRest))]),
  );
}

function startingWith(first: Rule, rest: Rule): Rule {
  return rest === EMPTY ? first : sequence(first, rest);
}

function anyDigits(count: number): Rule {
  return count === 0 ? EMPTY : repeat(DIGIT, count, count);
}
