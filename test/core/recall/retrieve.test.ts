import { describe, expect, test } from 'vitest';
import { emptyTree } from '../../../src/core/bank/tree.ts';
import type { Organizer } from '../../../src/core/organize/organizer.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';
import { SAMPLE_STORY, storyQuestion } from '../../../src/core/metro/sample-story.ts';
import { grow, lessonOf, manifestOf, placing, summaryOf, treeOf } from '../bank/material.ts';
import { allQuestions } from '../metro/metro-bench.ts';
import { metroBank, retrieveFrom } from './metro-bank.ts';

const METRO = await metroBank();
const QUESTION = 'How many stops is it from Penstead to Newstead on the Beacon line?';

const stops = (id: string, over = {}) =>
  lessonOf(id, { guidance: `Count the stops of a line after ${id}.`, topic: 'stop line' }, over);

test('an empty bank gives nothing, and says so calmly', async () => {
  const { candidates, chosen, reason } = await retrieveFrom(emptyTree(manifestOf()), QUESTION);
  expect([candidates, chosen]).toEqual([[], []]);
  expect(reason).toBe('The bank holds no lesson yet.');
});

describe('the bank of the metro sample', () => {
  test.each([
    'What colour is the sky in the painting?',
    'How many people are in the picture?',
    'Which line of the poem is the longest?',
    'What is the total on the receipt?',
    'On the chart, in which year did sales rise next after 2010?',
    'How many bus stops are on the street?',
    'Is it a good journey from start to end in this story?',
    'At which station was this photograph taken?',
    'Which of the two colours in the table has the largest number?',
    'What does the small print of the Market Street contract say on page two?',
    'Does the blue line of the chart run above the red line in March?',
  ])('gives nothing to “%s”', async (question) => {
    const { chosen, reason } = await retrieveFrom(METRO, question);
    expect(chosen).toEqual([]);
    expect(reason).toMatch(
      /^(?:Nothing in the bank is like|No candidate has enough in common with) /u,
    );
  });

  test('gives something to every metro question, on maps it never saw', async () => {
    const nothing: string[] = [];
    for (const { question } of allQuestions) {
      const { chosen } = await retrieveFrom(METRO, question);
      if (chosen.length === 0) nothing.push(question);
    }
    expect(allQuestions.length).toBeGreaterThan(100);
    expect(nothing).toEqual([]);
  });

  test('gives the last task of the story the rule about counting stops, with its reason', async () => {
    const { question } = storyQuestion(SAMPLE_STORY.last);
    const { chosen, candidates, reason } = await retrieveFrom(METRO, question);
    expect(chosen.map(({ title }) => title)).toEqual(['Stops on a line of a metro map']);
    expect(chosen[0]?.text).toContain('Count only what comes after the station where you board');
    expect(candidates.find(({ nodeId }) => nodeId === chosen[0]?.nodeId)?.kind).toBe('rule');
    expect(reason).toContain('“stop”, “line”');
  });

  test('gives the same record to the same question', async () => {
    const [first, second] = [
      await retrieveFrom(METRO, QUESTION),
      await retrieveFrom(METRO, QUESTION),
    ];
    expect(second).toEqual(first);
    expect(await retrieveFrom(await metroBank(), QUESTION)).toEqual(first);
  });
});

describe('a bank that may not leave this device', () => {
  const operations = [{ type: 'add-lesson' as const, lesson: stops('a') }];
  const local = treeOf(operations, { localOnly: true });

  test('gives nothing where a model of the run is elsewhere, shows the organizer nothing, and says so', async () => {
    let asked = 0;
    const organizer: Organizer = {
      ...rulesOrganizer,
      select(...input) {
        asked += 1;
        return rulesOrganizer.select(...input);
      },
    };
    const kept = await retrieveFrom(local, QUESTION, organizer, { isRemote: true });
    expect([kept.candidates, kept.chosen]).toEqual([[], []]);
    expect(kept.reason).toContain('kept on this device');
    expect(kept.localOnly).toBeUndefined();
    expect(asked).toBe(0);
    const open = await retrieveFrom(treeOf(operations), QUESTION, organizer, { isRemote: true });
    expect(open.candidates).toHaveLength(1);
    expect(asked).toBe(1);
  });

  test('gives as any other to models that are on it, and marks what it gave', async () => {
    const given = await retrieveFrom(local, QUESTION);
    expect(given.candidates.map(({ nodeId }) => nodeId)).toEqual(['a']);
    expect(given.localOnly).toBe(true);
    expect((await retrieveFrom(treeOf(operations), QUESTION)).localOnly).toBeUndefined();
  });
});

test('held, retired and erased lessons are no candidates, and a lesson released is one again', async () => {
  const tree = treeOf([
    ...['a', 'b', 'c', 'd'].map((id) => ({ type: 'add-lesson' as const, lesson: stops(id) })),
    placing({ g: 'root' }, { a: 'g', b: 'g', c: 'g', d: 'g' }),
    { type: 'set-trust', lessons: ['b'], trust: 'held' },
    { type: 'retire-lesson', lesson: 'c', reason: '' },
    { type: 'erase', lessons: ['d'], entries: [], reason: '' },
  ]);
  const candidatesOf = async (of: typeof tree) =>
    (await retrieveFrom(of, QUESTION)).candidates.map(({ nodeId }) => nodeId);
  expect(await candidatesOf(tree)).toEqual(['a']);
  const released = grow(tree, [{ type: 'set-trust', lessons: ['b'], trust: 'trusted' }]);
  expect(await candidatesOf(released)).toEqual(['a', 'b']);
});

test('a rule that rests on a held lesson is no candidate', async () => {
  const ids = ['a', 'b', 'c'];
  const rule = treeOf([
    ...ids.map((id) => ({ type: 'add-lesson' as const, lesson: stops(id) })),
    placing({ g: 'root' }, { a: 'g', b: 'g', c: 'g' }),
    {
      type: 'consolidate',
      group: 'g',
      summary: summaryOf(ids, {
        text: 'Count stops of a line.',
        conditions: 'the stops of a line are asked for',
      }),
    },
  ]);
  const kindsOf = async (tree: typeof rule) =>
    (await retrieveFrom(tree, QUESTION)).candidates.map(({ kind }) => kind).sort();
  expect(await kindsOf(rule)).toEqual(['lesson', 'lesson', 'lesson', 'rule']);
  const held = grow(rule, [{ type: 'set-trust', lessons: ['b'], trust: 'held' }]);
  expect(await kindsOf(held)).toEqual(['lesson', 'lesson']);
});

test('an organizer can choose only what it was shown, each once', async () => {
  const tree = treeOf([
    { type: 'add-lesson', lesson: stops('a') },
    { type: 'add-lesson', lesson: stops('held', { trust: 'held' }) },
  ]);
  const greedy: Organizer = {
    ...rulesOrganizer,
    async *select() {
      return { nodeIds: ['held', 'a', 'a', 'root', 'none'], reason: 'all of it' };
    },
  };
  const { chosen } = await retrieveFrom(tree, QUESTION, greedy);
  expect(chosen.map(({ nodeId }) => nodeId)).toEqual(['a']);
});

test('of lessons that say the same only the better one is chosen, and three at most', async () => {
  const texts = [
    'Count the stops of a line.',
    'Count the stops of a line!',
    'A line and its stops: see the legend panel, where stations are closed on weekends.',
    'Where a line ends two stops are drawn as one, with a bar across their tracks.',
    'Express trains skip stops; the thin stroke of a line marks them apart from others.',
  ];
  const tree = treeOf(
    texts.map((guidance, at) => ({
      type: 'add-lesson' as const,
      lesson: lessonOf(`l${at}`, { guidance, title: `Lesson ${at}`, topic: 'stops of a line' }),
    })),
  );
  const { chosen } = await retrieveFrom(tree, 'How many stops has the line?');
  expect(chosen).toHaveLength(3);
  expect(chosen.map(({ nodeId }) => nodeId)).not.toEqual(expect.arrayContaining(['l0', 'l1']));
});
