import type { QuestionMemory } from '../../memory.ts';
import { stepFindings, type Finding } from '../../trajectory.ts';
import type { UpdateInput } from '../controller.ts';
import { appendSentences, asSentence, sentenceKey } from './sentences.ts';
import { failureCaution, recoveryAdvice, toolRecoveries } from './tool-recoveries.ts';

/** The text half of a proposal, and what it was taken from. */
export interface ProposedText {
  readonly guidance: string;
  readonly appliesWhen: string;
  readonly cautions: readonly string[];
  /** Phrases such as "the critic's advice", for the reason shown to people. */
  readonly sources: readonly string[];
}

/** Shares of the budget that conditions and cautions may take; guidance has what remains. */
const CONDITION_SHARE = 0.2;
const CAUTION_SHARE = 0.25;

/**
 * Extends W's text from an attempt: a person's reason, the findings' advice, what recovered from
 * failed tool calls; findings and failures without advice become cautions. Nothing is said twice, and
 * the whole stays within `budgetChars` by dropping whole sentences, the oldest first.
 */
export function proposeText(input: UpdateInput, budgetChars: number): ProposedText {
  const findings = surestFirst(input.trajectory.steps.flatMap((step) => stepFindings(step)));
  const recoveries = toolRecoveries(input.trajectory);
  const person = personReason(input);
  const advice = findings.flatMap((finding) => finding.advice ?? []);
  const recovered = recoveries.flatMap((recovery) => recoveryAdvice(recovery) ?? []);
  const warnings = [
    ...findings.filter((finding) => blank(finding.advice)).map((finding) => finding.what),
    ...recoveries.filter(({ worked }) => worked === null).map(failureCaution),
  ];
  const appliesWhen = conditions(input.memory, findings, Math.floor(budgetChars * CONDITION_SHARE));
  const cautions = newestWithin(
    [...input.memory.cautions, ...warnings],
    Math.floor(budgetChars * CAUTION_SHARE),
  );
  const taken = [appliesWhen, ...cautions].reduce((sum, text) => sum + [...text].length, 0);
  const added = [...recovered, ...advice, ...person];
  // A warning alone still needs guidance to stand beside: the state's text may not be empty.
  const needed = added.length === 0 && input.memory.guidance === '' ? cautions.slice(-1) : [];
  return {
    guidance: appendSentences(
      input.memory.guidance,
      [...added, ...needed.map((caution) => `Check this first: ${caution}`)],
      budgetChars - taken,
    ),
    appliesWhen,
    cautions,
    sources: [
      ...(person.length > 0 ? ['what a person said'] : []),
      ...(advice.length > 0 ? ["the critic's advice"] : []),
      ...(recovered.length > 0 ? ['what recovered from a failed tool call'] : []),
      ...(warnings.length > 0 ? ['what was found uncertain'] : []),
    ],
  };
}

function personReason({ feedback }: UpdateInput): readonly string[] {
  if (feedback.type !== 'user' || feedback.verdict === 'right') return [];
  const reason = feedback.reason.replace(
    /^\s*(?:that|this|it)\s+(?:was|is)\s+wrong\s*(?:because|:|,)?\s*/iu,
    '',
  );
  return blank(reason) ? [] : [reason];
}

function conditions(
  memory: QuestionMemory,
  findings: readonly Finding[],
  budgetChars: number,
): string {
  const known = memory.appliesWhen;
  const clause = findings.find((finding) => !blank(finding.appliesWhen))?.appliesWhen ?? '';
  const fresh = clause
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^when\s+/iu, '')
    .replace(/\.$/u, '');
  if (fresh === '' || sentenceKey(known).includes(sentenceKey(fresh))) return known;
  const joined = known === '' ? fresh : `${known}; or ${fresh}`;
  if ([...joined].length <= budgetChars) return joined;
  return known === '' && [...fresh].length <= budgetChars ? fresh : known;
}

function newestWithin(cautions: readonly string[], budgetChars: number): readonly string[] {
  const kept: string[] = [];
  const seen = new Set<string>();
  let length = 0;
  for (const caution of cautions.map(asSentence).reverse()) {
    const key = sentenceKey(caution);
    if (key === '' || seen.has(key)) continue;
    if (length + [...caution].length > budgetChars) continue;
    seen.add(key);
    kept.unshift(caution);
    length += [...caution].length;
  }
  return kept;
}

function surestFirst(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => b.confidence - a.confidence);
}

function blank(text: string | null): boolean {
  return text === null || !/[\p{L}\p{N}]/u.test(text);
}
