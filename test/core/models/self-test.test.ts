import { expect, test } from 'vitest';
import { checkByQuestion, replacementFor, selfTest } from '../../../src/core/models/self-test.ts';
import { FACTS, languageEntry, loadedModel } from './device-examples.ts';

const question = {
  question: 'What is two plus three? One word.',
  answer: 'Five',
  maxNewTokens: 8,
};
const asks = languageEntry('asks', {
  otherwise: 'asks-f32',
  language: { ...FACTS, selfTest: question },
});
const other = languageEntry('asks-f32', { name: 'Asks, 32-bit' });
const says = (text: string, asked: string[] = []) =>
  loadedModel(
    () => ({ text, promptTokens: 12, completionTokens: 3, prefillMs: 5, decodeMs: 5 }),
    asked,
  );
const { signal } = new AbortController();

test('a right answer is one that holds what is known, whatever its case and spaces', async () => {
  const asked: string[] = [];
  expect(await selfTest(asks, says('  It is\n five. ', asked), signal)).toEqual({
    type: 'right',
    reply: 'It is five.',
  });
  expect(asked).toEqual(['What is two plus three? One word.']);
});

test('another answer is wrong, and is shown cut short', async () => {
  const outcome = await selfTest(asks, says('!'.repeat(500)), signal);
  expect(outcome).toEqual({ type: 'wrong', expected: 'Five', reply: `${'!'.repeat(120)}…` });
});

test('a model that nothing is known of is not asked', async () => {
  const asked: string[] = [];
  const outcome = await selfTest(languageEntry('own'), says('five', asked), signal);
  expect(outcome).toEqual({ type: 'absent' });
  expect(asked).toEqual([]);
});

test('a stop ends it', async () => {
  await expect(selfTest(asks, says('five'), AbortSignal.abort())).rejects.toThrow('abort');
});

test('its stand-in is the one its entry names: at once where it is here, else to download', () => {
  const here = replacementFor(asks, [asks, other], (id) => id === 'asks-f32');
  expect(here).toMatchObject({ model: other, isHere: true });
  expect(here.message).toBe(
    'asks computes wrongly on this device, so it was unloaded. Its roles go to Asks, 32-bit, which is here.',
  );
  const away = replacementFor(asks, [asks, other], () => false);
  expect(away).toMatchObject({ model: other, isHere: false });
  expect(away.message).toContain('download it to use it instead');
  const none = replacementFor({ ...asks, otherwise: null }, [asks, other], () => true);
  expect(none).toMatchObject({ model: null, isHere: false });
  expect(none.message).toContain('its roles go to rules');
});

test('a check passes a right answer and what nothing is known of, and throws at a wrong one', async () => {
  await checkByQuestion(says('Five.'), asks, signal);
  await checkByQuestion(says('anything'), languageEntry('own'), signal);
  await expect(checkByQuestion(says(' 6!'), asks, signal)).rejects.toMatchObject({
    code: 'wrong-answer',
    message: expect.stringContaining('must answer with “Five”, it said “6!”'),
  });
  await expect(checkByQuestion(says(''), asks, signal)).rejects.toThrow('it said nothing');
});

test('known logits have to be met within their tolerance, whatever the answer says', async () => {
  const logits = { values: [{ token: 2, logit: 1.5 }], tolerance: 0.01 };
  const exact = { ...asks, language: { ...FACTS, selfTest: { ...question, logits } } };
  const scores = (values: readonly number[]) => ({
    ...says('five'),
    score: async () => Float32Array.from(values),
  });
  expect(await selfTest(exact, scores([0, 0, 1.505]), signal)).toMatchObject({ type: 'right' });
  expect(await selfTest(exact, scores([0, 0, 1.6]), signal)).toMatchObject({
    type: 'wrong',
    expected: 'logit 1.5 of token 2',
  });
  expect(await selfTest(exact, scores([0, 0]), signal)).toMatchObject({ type: 'wrong' });
});
