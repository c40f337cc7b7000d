import type { Conflict, Lesson, Summary } from '../../bank/node.ts';
import { splitSentences } from '../../evolve/rules/sentences.ts';
import { tokenize } from '../../recall/tokenize.ts';
import { cosine, wordVector, type WordVector } from '../similarity.ts';

/** Sentences this much alike say the same. */
const SAME = 0.7;
/** Sentences this much alike speak of the same thing, so that a “not” or another number is a conflict. */
const ABOUT_THE_SAME = 0.55;
const NEGATION = /\b(?:not|never|no|don't|do not|without|exclude|ignore)\b/iu;

interface Sentence {
  readonly text: string;
  readonly lesson: string;
  readonly vector: WordVector;
}

/**
 * An extractive summary of lessons: the sentence most like all others first, each further one only
 * where it says something new, conditions the lessons share, and pairs that contradict each other by a
 * negation or a number. Stays within `budgetChars` by leaving whole sentences out.
 */
export function summarise(lessons: readonly Lesson[], budgetChars: number): Summary {
  const active = lessons.toSorted((first, second) => (first.id < second.id ? -1 : 1));
  const sentences = active.flatMap(sentencesOf);
  const central = sentences
    .map((sentence) => ({ sentence, weight: centrality(sentence, sentences) }))
    .toSorted((first, second) => second.weight - first.weight)
    .map(({ sentence }) => sentence);
  const conditions = sharedConditions(active, budgetChars / 2);
  const kept: Sentence[] = [];
  let left = budgetChars - [...conditions].length;
  for (const sentence of central) {
    const length = [...sentence.text].length;
    const isNew = kept.every((other) => cosine(other.vector, sentence.vector) < SAME);
    if (!isNew || length > left) continue;
    kept.push(sentence);
    left -= length;
  }
  const [first, ...rest] = kept;
  return {
    text: first?.text ?? [...(active[0]?.content.title ?? '')].slice(0, left).join(''),
    procedure: rest.map(({ text }) => text),
    conditions,
    conflicts: conflictsOf(sentences),
    supportedBy: active.map(({ id }) => id),
  };
}

function sentencesOf({ id, content }: Lesson): readonly Sentence[] {
  return splitSentences(content.guidance).map((text) => ({
    text,
    lesson: id,
    vector: wordVector(text, () => 1),
  }));
}

function centrality(sentence: Sentence, all: readonly Sentence[]): number {
  return all.reduce((sum, other) => sum + cosine(sentence.vector, other.vector), 0);
}

/** The condition most of the lessons state, where it leaves room; a tie goes to the shorter. */
function sharedConditions(lessons: readonly Lesson[], mostChars: number): string {
  const counts = new Map<string, number>();
  for (const { content } of lessons) {
    const { length } = [...content.appliesWhen];
    if (length === 0 || length > mostChars) continue;
    counts.set(content.appliesWhen, (counts.get(content.appliesWhen) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(
    ([first, many], [second, more]) => more - many || first.length - second.length,
  );
  return most?.[0] ?? '';
}

function conflictsOf(sentences: readonly Sentence[]): Conflict[] {
  const found = new Map<string, Conflict>();
  for (const [index, first] of sentences.entries()) {
    for (const second of sentences.slice(index + 1)) {
      if (first.lesson === second.lesson || !contradict(first, second)) continue;
      const key = `${first.lesson}/${second.lesson}`;
      const about = `“${first.text}” against “${second.text}”`;
      if (!found.has(key)) {
        found.set(key, { lessons: [first.lesson, second.lesson], about, settled: null });
      }
    }
  }
  return [...found.values()];
}

function contradict(first: Sentence, second: Sentence): boolean {
  if (cosine(first.vector, second.vector) < ABOUT_THE_SAME) return false;
  if (NEGATION.test(first.text) !== NEGATION.test(second.text)) return true;
  const numbers = (text: string) => tokenize(text).filter((word) => /^\p{N}/u.test(word));
  const [one, other] = [numbers(first.text), numbers(second.text)];
  return one.length > 0 && other.length > 0 && one.join(' ') !== other.join(' ');
}
