import { describe, expect, test } from 'vitest';
import { answerQuestion } from '../../../../src/core/metro/solver/answer-question.ts';
import { perceive, viewOf } from '../../../../src/core/metro/solver/perceive.ts';
import type { QuestionForm } from '../../../../src/core/metro/question-form.ts';
import { readMap } from '../../../../src/core/metro/solver/read-map.ts';
import type { SlipId } from '../../../../src/core/metro/solver/slips.ts';
import { PANEL, smallScene } from '../small-scene.ts';

const WHOLE = viewOf({ x: 0, y: 0, ...smallScene.size });
const ARROWS = viewOf({ x: 610, y: 230, width: 250, height: 150 });
const blind = readMap(perceive(smallScene, [WHOLE]));
const withLegend = readMap(perceive(smallScene, [WHOLE, viewOf(PANEL)]));
const withArrows = readMap(perceive(smallScene, [WHOLE, ARROWS]));
const careful = (reading: typeof blind, form: QuestionForm) =>
  answerQuestion(reading, form, new Set());
const slipping = (reading: typeof blind, form: QuestionForm, slip: SlipId) =>
  answerQuestion(reading, form, new Set([slip])).answer;

const stops: QuestionForm = { kind: 'stops-between', line: 'Harbour', from: 'Ash', to: 'Elm' };
const next: QuestionForm = { kind: 'next-station', line: 'Harbour', at: 'Ash', towards: 'Dove' };
const direct: QuestionForm = { kind: 'line-by-legend', from: 'Birch', to: 'Cedar' };
const loop: QuestionForm = { kind: 'loop-direction', line: 'Park', from: 'Elm', to: 'Fir' };
const changes: QuestionForm = { kind: 'transfers', from: 'Birch', to: 'Gorse' };

describe('an answer from what was read', () => {
  test('with the legend and small print read, stops are counted on the right line without the skipped one', () => {
    expect(careful(withLegend, stops)).toMatchObject({ answer: '3', doubts: [] });
  });

  test('with the legend unread, a guess is made and said', () => {
    const work = careful(blind, stops);
    expect(work.log.join(' ')).toContain(
      'The legend is too small to read; I take the blue line for Harbour.',
    );
    expect(work.doubts).toMatchObject([{ about: 'legend' }]);
    expect(careful(blind, next).answer).toBe('Oak');
    expect(careful(blind, direct).answer).toBe('the blue line');
  });

  test('with arrows read the way round follows them, else it is the shorter one', () => {
    expect(careful(withArrows, loop).answer).toBe('4');
    expect(careful(blind, loop)).toMatchObject({ answer: '1', doubts: [{ about: 'direction' }] });
  });

  test('each slip changes the answer of the question that invites it, though all was read', () => {
    expect(slipping(withLegend, stops, 'counts-origin')).toBe('4');
    expect(slipping(withLegend, direct, 'look-alike')).toBe('Castle');
    expect(slipping(withLegend, next, 'look-alike')).toBe('Oak');
    expect(slipping(withArrows, loop, 'ignores-one-way')).toBe('1');
    expect([
      careful(withLegend, changes).answer,
      slipping(withLegend, changes, 'counts-origin'),
    ]).toEqual(['1', '2']);
  });

  test('a slip that the question does not invite changes nothing', () => {
    expect(slipping(withLegend, stops, 'look-alike')).toBe('3');
    expect(slipping(withArrows, loop, 'counts-origin')).toBe('4');
  });

  test('a station that is not on the map is said, not made up', () => {
    const work = careful(withLegend, { ...stops, to: 'Nowhere' });
    expect(work.answer).toBe('unknown');
    expect(work.log.at(-1)).toBe('I cannot find Nowhere on the map.');
  });
});
