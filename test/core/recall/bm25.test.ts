import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeBm25, type Document, type Hit } from './bm25.ts';

/** Robertson–Sparck Jones as it is written down: k1 1.2, b 0.75, idf with the +1. */
function reference(
  documents: readonly Document[],
  words: readonly string[],
  limit: number,
): readonly Hit[] {
  const total = documents.reduce((sum, document) => sum + document.words.length, 0);
  const average = Math.max(1, total / documents.length);
  return documents
    .map(({ id, words: own }) => {
      const matchedWords = [...new Set(words)].filter((word) => own.includes(word));
      const score = matchedWords.reduce((sum, word) => {
        const holding = documents.filter((other) => other.words.includes(word)).length;
        const idf = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
        const count = own.filter((other) => other === word).length;
        const norm = 1.2 * (1 - 0.75 + (0.75 * own.length) / average);
        return sum + (idf * count * (1.2 + 1)) / (count + norm);
      }, 0);
      return { id, score, matchedWords };
    })
    .filter(({ matchedWords }) => matchedWords.length > 0)
    .sort((first, second) => second.score - first.score || (first.id < second.id ? -1 : 1))
    .slice(0, limit);
}

const word = fc.constantFrom(...'abcdefghij');
const documents = fc
  .array(fc.array(word, { maxLength: 12 }), { minLength: 1, maxLength: 30 })
  .chain((texts) =>
    fc
      .shuffledSubarray(
        texts.map((_, at) => `d${String(at).padStart(2, '0')}`),
        { minLength: texts.length },
      )
      .map((ids) => texts.map((words, at) => ({ id: ids[at] ?? '', words }))),
  );

test('it finds what a plain reading of the formula finds, in the same order, ties by id', () => {
  fc.assert(
    fc.property(
      documents,
      fc.array(word, { maxLength: 6 }),
      fc.integer({ min: 1, max: 8 }),
      (...input) => {
        const [all, query, limit] = input;
        const found = makeBm25(all).search(query, limit);
        const wanted = reference(all, query, limit);
        expect(found.map(({ id, matchedWords }) => ({ id, matchedWords }))).toEqual(
          wanted.map(({ id, matchedWords }) => ({ id, matchedWords })),
        );
        found.forEach(({ score }, at) => expect(score).toBeCloseTo(wanted[at]?.score ?? 0, 10));
      },
    ),
    { seed: 4, numRuns: 400 },
  );
});

test('equal documents come by id, whatever order they were given in', () => {
  const same = ['c', 'a', 'b'].map((id) => ({ id, words: ['stop'] }));
  expect(
    makeBm25(same)
      .search(['stop'], 2)
      .map(({ id }) => id),
  ).toEqual(['a', 'b']);
});

test('no document, no word and an unknown word find nothing', () => {
  expect(makeBm25([]).search(['stop'], 5)).toEqual([]);
  const one = makeBm25([{ id: 'a', words: ['stop'] }]);
  expect([...one.search([], 5), ...one.search(['sky'], 5)]).toEqual([]);
});
