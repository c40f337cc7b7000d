import type { Conflict } from '../../bank/node.ts';
import { tokenize } from '../../recall/tokenize.ts';
import { cosine } from '../similarity.ts';
import type { Sentence } from './summarise.ts';

/** Sentences this much alike speak of the same thing, so that a “not” or another number is a conflict. */
const ABOUT_THE_SAME = 0.55;
const NEGATION = /\b(?:not|never|no|don't|do not|without|exclude|ignore)\b/iu;

interface Claim {
  readonly sentence: Sentence;
  readonly isNegative: boolean;
  /** Its numbers in their order, as one text. */
  readonly numbers: string;
}

/** Pairs of lessons with a sentence each that contradict each other; the first such pair says why. */
export function conflictsOf(sentences: readonly Sentence[]): Conflict[] {
  const claims = sentences.map(claimOf);
  const found = new Map<string, Conflict>();
  for (const [index, first] of claims.entries()) {
    for (let at = index + 1; at < claims.length; at += 1) {
      const second = claims[at];
      if (second === undefined || !contradict(first, second)) continue;
      const lessons: [string, string] = [first.sentence.lesson, second.sentence.lesson];
      const key = lessons.join('/');
      const about = `“${first.sentence.text}” against “${second.sentence.text}”`;
      if (!found.has(key)) found.set(key, { lessons, about, settled: null });
    }
  }
  return [...found.values()];
}

function claimOf(sentence: Sentence): Claim {
  return {
    sentence,
    isNegative: NEGATION.test(sentence.text),
    numbers: tokenize(sentence.text)
      .filter((word) => /^\p{N}/u.test(word))
      .join(' '),
  };
}

function contradict(first: Claim, second: Claim): boolean {
  const differs =
    first.isNegative !== second.isNegative ||
    (first.numbers !== '' && second.numbers !== '' && first.numbers !== second.numbers);
  return (
    differs &&
    first.sentence.lesson !== second.sentence.lesson &&
    cosine(first.sentence.vector, second.sentence.vector) >= ABOUT_THE_SAME
  );
}
