import type { ByteRange, Rule } from './rule.ts';
import { BACKSLASH, CHARACTER_FORMS, ESCAPE, FILLER, QUOTE } from './text-characters.ts';

/** What may still come: a rule, then the rest. null: nothing. */
class Continuation {
  readonly rule: Rule;
  readonly next: Continuation | null;
  #shortest: string | undefined;

  constructor(rule: Rule, next: Continuation | null) {
    this.rule = rule;
    this.next = next;
  }

  /** The shortest bytes with which all is said. */
  get shortest(): string {
    this.#shortest ??= shortestOf(this.rule) + (this.next?.shortest ?? '');
    return this.#shortest;
  }
}

/**
 * Where a text is in a grammar: all ways in which it may go on (Antimirov's partial derivatives). None:
 * the text is none of the grammar's. Exact in every bound, and never changed: stepping makes a new one.
 */
export class RuleState {
  readonly #ways: readonly (Continuation | null)[];

  private constructor(ways: readonly (Continuation | null)[]) {
    this.#ways = ways;
  }

  static start(rule: Rule): RuleState {
    return new RuleState([new Continuation(rule, null)]);
  }

  /** The state after more bytes; null where they do not fit. */
  after(bytes: string): RuleState | null {
    let ways = this.#ways;
    for (let at = 0; at < bytes.length && ways.length > 0; at += 1) {
      const found: (Continuation | null)[] = [];
      for (const way of ways) step(way, bytes.charCodeAt(at), found);
      ways = found;
    }
    return ways.length === 0 ? null : new RuleState(ways);
  }

  /** The shortest bytes that make the text whole: empty where it may end here. */
  get closing(): string {
    let best: string | undefined;
    for (const way of this.#ways) {
      const bytes = way?.shortest ?? '';
      if (best === undefined || bytes.length < best.length) best = bytes;
    }
    return best ?? '';
  }
}

/** Adds what may follow once a byte was taken. */
function step(way: Continuation | null, byte: number, found: (Continuation | null)[]): void {
  if (way === null) return;
  const { rule, next } = way;
  switch (rule.type) {
    case 'literal':
      if (rule.bytes === '') step(next, byte, found);
      else if (rule.bytes.charCodeAt(0) === byte) add(literalRest(rule.bytes, next), found);
      break;
    case 'byte':
      if (rule.ranges.some((range) => holds(range, byte))) add(next, found);
      break;
    case 'sequence':
      step(rule.parts.reduceRight(before, next), byte, found);
      break;
    case 'choice':
      for (const option of rule.options) step(new Continuation(option, next), byte, found);
      break;
    case 'repeat': {
      const { part, min, max } = rule;
      if (max > 0) {
        const more: Rule = { type: 'repeat', part, min: Math.max(0, min - 1), max: max - 1 };
        step(new Continuation(part, new Continuation(more, next)), byte, found);
      }
      if (min === 0) step(next, byte, found);
      break;
    }
    case 'text':
      stepText(rule, next, { byte, found });
      break;
  }
}

function stepText(
  { min, max }: Extract<Rule, { type: 'text' }>,
  next: Continuation | null,
  { byte, found }: { readonly byte: number; readonly found: (Continuation | null)[] },
): void {
  if (byte === QUOTE && min === 0) add(next, found);
  const form = CHARACTER_FORMS.find(({ first }) => holds(first, byte));
  const units = form?.units ?? 1;
  const rest: Rule = { type: 'text', min: Math.max(0, min - 1), max: max - units };
  // A character of two units must leave room for those that have to follow.
  if (rest.max < rest.min || (form === undefined && byte !== BACKSLASH)) return;
  const after = new Continuation(rest, next);
  const parts: readonly Rule[] =
    form === undefined ? [ESCAPE] : form.rest.map((range) => ({ type: 'byte', ranges: [range] }));
  add(parts.reduceRight(before, after), found);
}

function before(next: Continuation | null, rule: Rule): Continuation {
  return new Continuation(rule, next);
}

function literalRest(bytes: string, next: Continuation | null): Continuation | null {
  return bytes.length === 1
    ? next
    : new Continuation({ type: 'literal', bytes: bytes.slice(1) }, next);
}

/** Ways that meet again are one, so that they never multiply. */
function add(way: Continuation | null, found: (Continuation | null)[]): void {
  if (!found.includes(way)) found.push(way);
}

function holds([first, last]: ByteRange, byte: number): boolean {
  return first <= byte && byte <= last;
}

const shortestOfRule = new WeakMap<Rule, string>();

function shortestOf(rule: Rule): string {
  switch (rule.type) {
    case 'literal':
      return rule.bytes;
    case 'byte':
      return String.fromCharCode(rule.ranges[0]?.[0] ?? 0);
    case 'repeat':
      return rule.min === 0 ? '' : shortestOf(rule.part).repeat(rule.min);
    case 'text':
      return `${FILLER.repeat(rule.min)}"`;
    case 'sequence':
    case 'choice': {
      const known = shortestOfRule.get(rule) ?? shortestOfParts(rule);
      shortestOfRule.set(rule, known);
      return known;
    }
  }
}

function shortestOfParts(rule: Extract<Rule, { type: 'sequence' | 'choice' }>): string {
  if (rule.type === 'sequence') return rule.parts.map(shortestOf).join('');
  return rule.options
    .map(shortestOf)
    .reduce((best, one) => (one.length < best.length ? one : best));
}
