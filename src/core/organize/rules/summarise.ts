import type { Lesson, Summary } from '../../bank/node.ts';
import { splitSentences } from '../../evolve/rules/sentences.ts';
import { cosine, sumOf, wordVector, type WordVector } from '../similarity.ts';
import { conflictsOf } from './conflicts.ts';
import { sharedConditions } from './shared-conditions.ts';

/** Sentences this much alike say the same. */
const SAME = 0.7;

/** A sentence of a lesson's guidance, by its words. */
export interface Sentence {
  readonly text: string;
  /** The lesson's id. */
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
  const conditions = sharedConditions(
    active.map(({ content }) => content.appliesWhen),
    budgetChars / 2,
  );
  const kept: Sentence[] = [];
  let left = budgetChars - [...conditions].length;
  for (const sentence of mostCentralFirst(sentences)) {
    const length = [...sentence.text].length;
    const isNew = length <= left && kept.every((other) => likeness(other, sentence) < SAME);
    if (!isNew) continue;
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

function likeness(first: Sentence, second: Sentence): number {
  return cosine(first.vector, second.vector);
}

function sentencesOf({ id, content }: Lesson): readonly Sentence[] {
  return splitSentences(content.guidance).map((text) => ({
    text,
    lesson: id,
    vector: wordVector(text, () => 1),
  }));
}

/** A cosine with the sum of all is the sum of the cosines with all. */
function mostCentralFirst(sentences: readonly Sentence[]): readonly Sentence[] {
  const all = sumOf(sentences.map(({ vector }) => vector));
  return sentences
    .map((sentence) => ({ sentence, weight: cosine(sentence.vector, all) }))
    .toSorted((first, second) => second.weight - first.weight)
    .map(({ sentence }) => sentence);
}
