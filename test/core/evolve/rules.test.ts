import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceStrength } from '../../../src/core/evolve/distil.ts';
import { distilContent } from '../../../src/core/evolve/rules/distilled-lesson.ts';
import { growBox } from '../../../src/core/evolve/rules/observed-region.ts';
import { quotedAnswer } from '../../../src/core/evolve/rules/quoted-answer.ts';
import { appendSentences, splitSentences } from '../../../src/core/evolve/rules/sentences.ts';
import { checkBox, MIN_BOX_SIDE_PX } from '../../../src/core/box.ts';
import { EMPTY_MEMORY } from '../../../src/core/memory.ts';
import { NO_FEEDBACK } from '../../../src/core/run.ts';
import { stopsTask } from './scripted-run.ts';

describe('sentences', () => {
  it('are split at their ends and not after a short word', () => {
    expect(splitSentences('Go to St. Mark. Count 3. Then stop!\nDone')).toEqual([
      'Go to St. Mark.',
      'Count 3.',
      'Then stop!',
      'Done',
    ]);
  });

  it('appended stay within the budget and are never cut', () => {
    const sentence = fc
      .array(fc.stringMatching(/^[a-z]{3,9}$/u), { minLength: 1, maxLength: 8 })
      .map((words) => `${words.join(' ')}.`);
    fc.assert(
      fc.property(
        fc.array(sentence, { maxLength: 8 }),
        fc.array(sentence, { maxLength: 4 }),
        fc.integer({ min: 0, max: 200 }),
        (old, added, budget) => {
          const result = appendSentences(old.join(' '), added, budget);
          expect([...result].length).toBeLessThanOrEqual(budget);
          const whole = new Set([...old, ...added].map((text) => text.toLowerCase()));
          for (const part of splitSentences(result)) expect(whole).toContain(part.toLowerCase());
        },
      ),
    );
  });
});

describe('a grown box', () => {
  it('is accepted on any image that is large enough, wherever it grew from', () => {
    const fraction = fc.double({ min: -0.5, max: 1.5, noNaN: true });
    fc.assert(
      fc.property(
        fc.tuple(fraction, fraction, fraction, fraction),
        fc.integer({ min: MIN_BOX_SIDE_PX, max: 5000 }),
        fc.integer({ min: MIN_BOX_SIDE_PX, max: 5000 }),
        (box, width, height) => {
          const grown = growBox(box, { width, height });
          expect(grown !== null && checkBox(grown, { width, height }).ok).toBe(true);
        },
      ),
    );
  });
});

describe('a quoted answer', () => {
  it.each([
    ['names the answer', 'Next comes Harbour Street.', ['Harbour Street'], 'Harbour Street'],
    ['a number', 'There are 3 stops.', ['3'], null],
    ['a letter', 'Choose B.', ['B'], null],
    ['a plain word', 'None of them.', ['none'], null],
    ['part of a word', 'Harbourside is near.', ['Harbour Street', 'bour'], null],
    ['what the question says', 'Go to Elm Park.', ['Elm Park'], null],
    ['case and punctuation aside', 'it is HARBOUR-STREET!', ['harbour street.'], 'harbour street.'],
  ])('%s', (_, text, answers, expected) => {
    expect(quotedAnswer(text, answers, stopsTask)).toBe(expected);
  });
});

describe('distilling', () => {
  it('shortens a long first sentence to a title at a word, and keeps guidance whole', () => {
    const guidance = `${'Count every stop after the first one '.repeat(4).trim()}. Then check.`;
    const content = distilContent(stopsTask, { ...EMPTY_MEMORY, guidance }, null);
    expect(content.title).toMatch(/^Count every stop .*…$/u);
    expect([...content.title].length).toBeLessThanOrEqual(80);
    expect(content.guidance).toBe(guidance);
  });

  it('rates evidence by who said so', () => {
    const feedback = (
      type: 'none' | 'judged' | 'user' | 'reference',
      verdict: 'right' | 'wrong',
    ) => ({
      ...NO_FEEDBACK,
      type,
      verdict,
    });
    const rate = (type: Parameters<typeof feedback>[0], verdict: 'right' | 'wrong') =>
      evidenceStrength({
        attempt: 1,
        ready: verdict === 'right',
        feedback: feedback(type, verdict),
      });
    expect(rate('reference', 'right')).toBe('verified');
    expect(rate('user', 'right')).toBe('verified');
    expect(rate('judged', 'right')).toBe('judged');
    expect(rate('judged', 'wrong')).toBe('unverified');
    expect(evidenceStrength({ attempt: 1, ready: true, feedback: NO_FEEDBACK })).toBe('unverified');
  });
});
