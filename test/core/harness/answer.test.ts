import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnswer } from '../../../src/core/harness/answer.ts';

describe('the answer of a reply', () => {
  it.each([
    ['a plain last line', 'I count.\nAnswer: 7', '7'],
    ['bold label', '**Answer:** 7', '7'],
    ['bold line', '**Answer: Harbour Street**', 'Harbour Street'],
    ['a heading', '### Final Answer: 7', '7'],
    ['the line after the label', 'Answer:\n\n7 stops', '7 stops'],
    ['the bold line after a bold label', '**Final answer:**\n**7**', '7'],
    ['the last of several', 'Answer: 6\nNo, wait.\nAnswer: 7', '7'],
    ['lower case and a full stop', 'answer: seven.', 'seven'],
    ['a box', 'Answer: $\\boxed{42}$', '42'],
    ['a quoted answer', 'Answer: "Elm Park"', 'Elm Park'],
    ['a list item', '- Answer: `B`', 'B'],
    ['Windows line ends', 'So.\r\nAnswer: 7\r\n', '7'],
    ['nothing after a fence', '```\nAnswer: 7\n```', '7'],
    ['what stands behind thinking', '<think>Answer: 1</think>\nAnswer: 7', '7'],
    ['what stands behind a lone closing tag', 'Answer: 1</think>\nAnswer: 7', '7'],
    ['“the answer is” with a colon', 'The answer is: 7', '7'],
    ['a colon within the answer', 'Answer: 10:30', '10:30'],
    ['a decimal', 'Answer: 3.5', '3.5'],
  ])('is read from %s', (_, reply, expected) => {
    expect(parseAnswer(reply)).toEqual({ text: expected, labelled: true, uncertain: null });
  });

  it('is the last line that is not empty where none is labelled', () => {
    expect(parseAnswer('I count.\n\n7\n\n')).toMatchObject({ text: '7', labelled: false });
    expect(parseAnswer('')).toEqual({ text: '', labelled: false, uncertain: null });
    expect(parseAnswer('<think>never closed')).toMatchObject({ text: '' });
  });

  it('is called uncertain by a line of its own or within it', () => {
    expect(parseAnswer('Uncertain: the print is small\nAnswer: 7')).toEqual({
      text: '7',
      labelled: true,
      uncertain: 'the print is small',
    });
    expect(parseAnswer('Answer: 7 (a guess)')).toMatchObject({ text: '7', uncertain: '(a guess)' });
    expect(parseAnswer('Uncertain: no\nAnswer: 7')).toMatchObject({ uncertain: null });
  });

  it('is found in any surroundings, and parsing never throws', () => {
    const prose = fc.string({ unit: 'binary', maxLength: 80 });
    fc.assert(
      fc.property(prose, fc.integer(), (before, value) => {
        const clean = before.replaceAll('<', '');
        expect(parseAnswer(`${clean}\nAnswer: ${value}`).text).toBe(String(value));
        parseAnswer(before);
      }),
    );
  });
});
