import type { ByteRange, Rule } from './rule.ts';

/** Times up to which a repetition is spelled out: XGrammar makes a state of each. */
const SPELLED_MOST = 4;

/**
 * The rest of a string after its opening quote: at least all that `RuleState` lets through. This form,
 * that of XGrammar's own grammar of JSON, is the one whose masks it has ready; with a repetition between
 * two quotes each took it 30 ms for 150,000 tokens.
 */
const TEXT = [
  String.raw`text ::= "\"" | [^"\\\x00-\x1f] text | "\\" escape text`,
  String.raw`some_text ::= [^"\\\x00-\x1f] text | "\\" escape text`,
  String.raw`escape ::= ["\\/n] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]`,
];

/**
 * A grammar as XGrammar reads it, with `root` as its first rule. It admits all that the grammar admits,
 * and more: XGrammar 0.1.27 takes seconds to compile strings with a bound of some hundred characters and
 * breaks down at 900, so long repetitions are without bounds here and `RuleState` keeps them.
 */
export function ebnfOf(root: Rule): string {
  const names = new Map<Rule, string>();
  const lines: string[] = [];
  const name = (rule: Rule): string => {
    const known = names.get(rule);
    if (known !== undefined) return known;
    const made = `r${names.size}`;
    names.set(rule, made);
    lines.push(`${made} ::= ${bodyOf(rule, name)}`);
    return made;
  };
  const top = name(root);
  return [`root ::= ${top}`, ...TEXT, ...lines, ''].join('\n');
}

function bodyOf(rule: Rule, name: (rule: Rule) => string): string {
  switch (rule.type) {
    case 'literal':
      return literalOf(rule.bytes);
    case 'byte':
      return classOf(rule.ranges);
    case 'sequence':
      return rule.parts.length === 0 ? '""' : rule.parts.map(name).join(' ');
    case 'choice':
      return rule.options.map(name).join(' | ');
    case 'repeat':
      return `${name(rule.part)}${timesOf(rule.min, rule.max)}`;
    case 'text':
      return rule.min === 0 ? 'text' : 'some_text';
  }
}

function timesOf(min: number, max: number): string {
  if (max <= SPELLED_MOST) return `{${min},${max}}`;
  return min === 0 ? '*' : '+';
}

/** XGrammar writes the characters of what stands in quotes as UTF-8. */
function literalOf(bytes: string): string {
  const text = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  return `"${text.replace(/["\\]/gu, '\\$&')}"`;
}

function classOf(ranges: readonly ByteRange[]): string {
  return `[${ranges.map(([first, last]) => `${hex(first)}-${hex(last)}`).join('')}]`;
}

function hex(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}
