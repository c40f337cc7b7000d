import { expect, test } from 'vitest';
import { referenceGrader, sameAnswer } from '../../../src/core/evolve/reference-grader.ts';
import { makeTask, type Reference } from '../../../src/core/task.ts';

const task = makeTask({ question: 'How many stops?', images: [], publicInformation: '' });

function graderOf(reference: Reference | undefined) {
  return referenceGrader({
    putReference: async () => undefined,
    getReference: async (id) => (reference?.taskId === id ? reference : undefined),
  });
}

test('an answer that says a known one is right, any other is wrong', async () => {
  const grader = graderOf({ taskId: task.id, answers: ['5', 'five'] });
  expect(await grader.grade(task, '5 stops')).toBe('right');
  expect(await grader.grade(task, 'Five.')).toBe('right');
  expect(await grader.grade(task, '6')).toBe('wrong');
  expect(await grader.grade(task, '')).toBe('wrong');
});

test('without a reference nothing is known', async () => {
  expect(await graderOf(undefined).grade(task, '5')).toBe('unknown');
});

test.each([
  ['Harbour', 'the Harbour', true],
  ['St. Giles', 'st giles', true],
  ['Harbour line', 'Harbour', false],
  ['between 5 and 6', '5', false],
  ['1,200', '1200', true],
  ['-3', '3', false],
  ['5.0', '5', true],
])('%j against %j: %s', (given, known, same) => {
  expect(sameAnswer(given, known)).toBe(same);
});
