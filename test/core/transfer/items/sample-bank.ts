import type { Crop } from '../../../../src/core/memory.ts';
import type { LessonContent } from '../../../../src/core/bank/node.ts';
import type { Tree } from '../../../../src/core/bank/tree.ts';
import { evidenceOf, lessonOf, placing, summaryOf, treeOf } from '../../bank/material.ts';

export const CROP: Crop = {
  hash: 'c'.repeat(64),
  mediaType: 'image/png',
  width: 300,
  height: 200,
  sourceHash: 'd'.repeat(64),
  sourceWidth: 1000,
  sourceHeight: 800,
  box: [0.1, 0.05, 0.4, 0.3],
};

export const FULL: LessonContent = {
  title: 'Count stops once',
  guidance: 'Count each stop once.\nStart at the end.',
  appliesWhen: 'lines cross',
  cautions: ['Transfers are one stop.', 'Read the key.'],
  topic: 'stops',
  scope: 'transit maps',
  anchor: 'How many stops are there?',
  crop: CROP,
};

/**
 * root › maps (a; and a rule over a, b, c that holds) › lines (b, c); d held, below maps; e retired;
 * f without a place. a was given twice, once in vain.
 */
export function sampleBank(content: Partial<LessonContent> = {}): Tree {
  const judged = { strength: 'verified', feedback: 'user' } as const;
  return treeOf([
    {
      type: 'add-lesson',
      lesson: lessonOf('a', { ...FULL, ...content }, { evidence: [evidenceOf('t1', judged)] }),
    },
    { type: 'add-lesson', lesson: lessonOf('b') },
    { type: 'add-lesson', lesson: lessonOf('c') },
    { type: 'add-lesson', lesson: lessonOf('d', {}, { trust: 'held' }) },
    { type: 'add-lesson', lesson: lessonOf('e') },
    { type: 'add-lesson', lesson: lessonOf('f') },
    placing({ maps: 'root', lines: 'maps' }, { a: 'maps', b: 'lines', c: 'lines', d: 'maps' }),
    {
      type: 'consolidate',
      group: 'maps',
      summary: summaryOf(['a', 'b', 'c'], {
        procedure: ['Look.', 'Count.'],
        conditions: 'a map is given',
      }),
    },
    ...(['success', 'failure'] as const).map((result, at) => ({
      type: 'record-outcome' as const,
      outcome: {
        retrievalId: `r${at}`,
        nodeId: 'a',
        taskId: `later${at}`,
        result,
        strength: 'judged' as const,
      },
    })),
    { type: 'retire-lesson', lesson: 'e', reason: 'wrong' },
  ]);
}
