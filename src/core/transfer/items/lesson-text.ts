import type { LessonContent } from '../../bank/node.ts';
import { shorten } from '../../organize/rules/group-title.ts';

/** A title made from text, and the longest that is kept of a given one, in characters. */
export const DERIVED_TITLE_CHARS = 80;
export const MOST_TITLE_CHARS = 200;

/** A condition that reads well after "Applies": it begins with its own word for when. */
const OWN_CONDITION =
  /^(?:when|whenever|if|where|for|before|after|while|during|in|on|at|as|any|always|upon|until|unless)\b/iu;
/** "When X: do Y": a condition without a clause of its own, then what to do. */
const LEADING_CONDITION = /^((?:When|For|Before|After|While)\s[^:\n]{3,200}):\s+(?=\S)/u;

/** Up to a stop that ends a sentence: after a short word ("e.g.") it does not. */
const FIRST_SENTENCE = /^.{10,}?(?:[\p{L}\p{N})\]"'’%]{3})(?=[.;!?](?:\s|$))/u;

/** White space folded to single spaces: text on one line. */
export function foldText(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** A title for text that has none: its first sentence, at most 80 characters. Empty for empty text. */
export function deriveTitle(text: string): string {
  // Cutting by code units may leave half a pair at the end.
  const start = foldText(text.slice(0, DERIVED_TITLE_CHARS * 8)).replace(/[\uD800-\uDBFF]$/u, '');
  const sentence = FIRST_SENTENCE.exec(start)?.[0] ?? start;
  return shorten(
    [...sentence].length > DERIVED_TITLE_CHARS ? start : sentence,
    DERIVED_TITLE_CHARS,
  );
}

/** `appliesWhen` as a sentence of its own: "lines cross" is "When lines cross"; empty stays empty. */
export function whenToUse(appliesWhen: string): string {
  return appliesWhen === '' || OWN_CONDITION.test(appliesWhen)
    ? appliesWhen
    : `When ${appliesWhen}`;
}

/** The inverse of `whenToUse`: "When lines cross" is "lines cross". */
export function conditionOf(whenToUseText: string): string {
  const text = whenToUseText.trim();
  const rest = /^When\s+(\S[\s\S]*)$/u.exec(text)?.[1];
  return rest === undefined || OWN_CONDITION.test(rest) ? text : rest;
}

/** Guidance and cautions as one text, for formats that have one member for both. */
export function guidanceWithCautions({
  guidance,
  cautions,
}: Pick<LessonContent, 'guidance' | 'cautions'>): string {
  return [guidance, ...cautions.map((caution) => `Caution: ${caution}`)].join('\n');
}

/** A lesson as the text of one bullet, on one line. A title is said only where the text does not say it. */
export function bulletText(content: LessonContent): string {
  const { title, appliesWhen, guidance, cautions } = content;
  const condition = appliesWhen === '' ? [] : [`${whenToUse(appliesWhen)}:`];
  const warnings = cautions.map((caution) => `Caution: ${caution}`);
  const named =
    title === deriveTitle(guidance) ? [] : [/[.:!?]$/u.test(title) ? title : `${title}:`];
  return foldText([...named, ...condition, guidance, ...warnings].join(' '));
}

/** The text of a bullet as a lesson: a condition that leads it apart, the rest whole as guidance. */
export function splitBullet(
  text: string,
): Pick<LessonContent, 'title' | 'appliesWhen' | 'guidance'> {
  const condition = LEADING_CONDITION.exec(text.trim());
  const isCondition = condition !== null && isOneClause(condition[1] ?? '');
  const appliesWhen = isCondition ? conditionOf(foldText(condition[1] ?? '')) : '';
  const guidance = isCondition ? text.trim().slice(condition[0].length) : text.trim();
  return { title: deriveTitle(guidance), appliesWhen, guidance };
}

/** No comma outside brackets, and no bracket left open: nothing but the condition lies before the colon. */
function isOneClause(clause: string): boolean {
  const flat = clause.replace(/\([^()]*\)/gu, '');
  return !/[(),]/u.test(flat) && !/\bexample$/iu.test(flat);
}
