import { expect, test } from 'vitest';
import { groupTitle } from '../../../src/core/organize/rules/group-title.ts';
import { summarise } from '../../../src/core/organize/rules/summarise.ts';
import { lessonOf } from '../bank/material.ts';

const saying = (id: string, guidance: string, appliesWhen = '') =>
  lessonOf(id, { guidance, appliesWhen });

test('the sentence most like all others comes first, and nothing is said twice', () => {
  const { text, procedure, supportedBy } = summarise(
    [
      saying('b', 'Count the stops after boarding. Look for a small note.'),
      saying('a', 'Count the stops after boarding.'),
      saying('c', 'Count all stops after boarding.'),
    ],
    1200,
  );
  expect(text).toBe('Count the stops after boarding.');
  expect(procedure).toEqual(['Look for a small note.']);
  expect(supportedBy).toEqual(['a', 'b', 'c']);
});

test('the condition most lessons state is kept', () => {
  const { conditions } = summarise(
    [saying('a', 'One.', 'x'), saying('b', 'Two.', 'y'), saying('c', 'Three.', 'y')],
    1200,
  );
  expect(conditions).toBe('y');
});

test('the budget is kept by leaving whole sentences out', () => {
  const lessons = Array.from({ length: 20 }, (_, at) =>
    saying(`l${at}`, `Sentence about subject${at} and matter${at}.`, 'the subject is asked'),
  );
  const { text, procedure, conditions } = summarise(lessons, 100);
  expect([text, ...procedure, conditions].join('').length).toBeLessThanOrEqual(100);
  for (const sentence of [text, ...procedure]) expect(sentence).toMatch(/^Sentence about .+\.$/u);
  const long = summarise([saying('a', `${'x'.repeat(300)}.`)], 100);
  expect([...long.text].length).toBeLessThanOrEqual(100);
});

test.each([
  ['negation', 'Count the station where you board.', 'Do not count the station where you board.'],
  ['number', 'Add 1 to the stops counted.', 'Add 2 to the stops counted.'],
])('a conflict by %s is named with both lessons, open', (_by, first, second) => {
  const { conflicts } = summarise([saying('a', first), saying('b', second)], 1200);
  expect(conflicts).toEqual([
    { lessons: ['a', 'b'], about: `“${first}” against “${second}”`, settled: null },
  ]);
});

test('lessons that agree, or speak of different things, are in no conflict', () => {
  const { conflicts } = summarise(
    [
      saying('a', 'Count the stops after boarding.'),
      saying('b', 'Count 3 stops after boarding.'),
      saying('c', 'Do not trust the colour of a swatch.'),
    ],
    1200,
  );
  expect(conflicts).toEqual([]);
});

test.each([
  [
    'stops on a line of a metro map are counted; or stops or changes on a metro journey are counted',
    'Stops on a line of a metro map',
  ],
  ['when a line on a metro map is told by its colour', 'A line on a metro map'],
  ['it is asked.', 'It is asked'],
  ['stops are counted', 'Stops are counted'],
  ['the question names two lines that are shown', 'The question names two lines that are shown'],
  ['reading a table', 'Reading a table'],
  [
    'a question about which of the many lines on a large map has the most stops of all',
    'A question about which of the many lines on a large map …',
  ],
])('a group of lessons that hold when “%s” is called “%s”', (scope, title) => {
  expect(groupTitle(lessonOf('a', { scope }).content)).toBe(title);
});

test('a lesson without a scope gives its topic, else its title', () => {
  expect(groupTitle(lessonOf('a', { topic: 'stop line' }).content)).toBe('Stop line');
  expect(groupTitle(lessonOf('a').content)).toBe('Title a');
});
