import { describe, expect, test } from 'vitest';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import type { Lesson } from '../../../src/core/bank/node.ts';
import type { Operation } from '../../../src/core/bank/operation.ts';
import {
  childrenOf,
  emptyTree,
  getGroup,
  getLesson,
  groupsFrom,
  resolve,
  unplacedLessons,
  type Tree,
} from '../../../src/core/bank/tree.ts';
import { maintain } from '../../../src/core/organize/maintain.ts';
import type { Organizer, Proposing } from '../../../src/core/organize/organizer.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';
import {
  canonicalTree,
  evidenceOf,
  grow,
  lessonOf,
  manifestOf,
  placing,
  treeOf,
} from '../bank/material.ts';
import { NO_CALLER, organize } from '../recall/metro-bank.ts';

const EMPTY = emptyTree(manifestOf());

/** A lesson about a subject, in words that all lessons about it share. */
function about(id: string, subject: string, over: Partial<Lesson> = {}): Lesson {
  return lessonOf(
    id,
    {
      title: `Read the ${subject}`,
      guidance: `Look at the ${subject} before the ${subject} is counted. Note ${id}.`,
      scope: `the ${subject} is asked for`,
      appliesWhen: `the ${subject} is asked for`,
    },
    over,
  );
}

const many = (subject: string, count: number, over: Partial<Lesson> = {}) =>
  Array.from({ length: count }, (_, at) => about(`${subject}-${at}`, subject, over));

const typesOf = (steps: readonly { readonly operation: Operation }[]) =>
  steps.map(({ operation }) => operation.type);

const subjectsUnder = (tree: Tree, id: string) => [
  ...new Set(childrenOf(tree, id).map((child) => child.split('-')[0])),
];

/** Lessons hung from groups by hand: `{group: lessons}`, all groups below the root. */
function hung(groups: Readonly<Record<string, readonly Lesson[]>>): Tree {
  const lessons = Object.values(groups).flat();
  return treeOf([
    ...lessons.map((lesson): Operation => ({ type: 'add-lesson', lesson })),
    placing(
      Object.fromEntries(Object.keys(groups).map((id) => [id, 'root'])),
      Object.fromEntries(
        Object.entries(groups).flatMap(([id, own]) => own.map((lesson) => [lesson.id, id])),
      ),
    ),
  ]);
}

describe('a revision', () => {
  const revision = (id: string, revises: string) => about(id, 'receipt', { revises });

  test('takes its predecessor’s place, and the summary that rested on it is written anew', async () => {
    const { tree } = await organize(EMPTY, many('receipt', 3));
    const { tree: after, steps } = await organize(tree, [revision('new', 'receipt-1')]);
    expect(typesOf(steps)).toEqual(['revise-lesson', 'consolidate']);
    expect(getLesson(after, 'new')?.parent).toBe(getLesson(tree, 'receipt-1')?.parent);
    expect(resolve(after, 'receipt-1')).toEqual(['new']);
    const group = getGroup(after, getLesson(after, 'new')?.parent ?? '');
    expect(group?.summary?.supportedBy).toEqual(['new', 'receipt-0', 'receipt-2']);
  });

  test('of a lesson that was revised already follows the newest', async () => {
    const { tree } = await organize(EMPTY, [
      ...many('receipt', 2),
      revision('second', 'receipt-0'),
    ]);
    const { tree: after } = await organize(tree, [revision('third', 'receipt-0')]);
    expect(getLesson(after, 'third')?.revises).toBe('second');
    expect(resolve(after, 'receipt-0')).toEqual(['third']);
  });

  test('of a lesson that is gone stands by itself', async () => {
    const { tree } = await organize(EMPTY, [revision('new', 'never-there')]);
    expect(getLesson(tree, 'new')).toMatchObject({ revises: null, status: 'active' });
    expect(unplacedLessons(tree)).toEqual([]);
  });

  test('that says what another lesson says supports that one, and its predecessor retires', async () => {
    const { tree } = await organize(EMPTY, many('receipt', 2));
    const twin = {
      ...lessonOf('twin', about('receipt-1', 'receipt').content),
      revises: 'receipt-0',
    };
    const { tree: after, steps } = await organize(tree, [twin]);
    expect(typesOf(steps).slice(0, 2)).toEqual(['support-lesson', 'retire-lesson']);
    expect(getLesson(after, 'receipt-1')?.evidence).toHaveLength(2);
    expect(getLesson(after, 'receipt-0')?.status).toBe('retired');
  });
});

describe('an organizer that', () => {
  const failing = (over: Partial<Organizer>): Organizer => ({
    ...rulesOrganizer,
    id: 'failing',
    label: 'Failing',
    ...over,
  });
  const broken = async function* (): Proposing {
    throw new Error('the worker died');
  };
  const lessons = [...many('receipt', 3), ...many('timetable', 3)];

  test.each<[string, Partial<Organizer>]>([
    ['throws when asked to place', { place: broken }],
    ['throws when asked to consolidate', { consolidate: broken }],
  ])('%s is told of, and the rules do the rest', async (_what, over) => {
    const { tree, events } = await organize(EMPTY, lessons, failing(over));
    const failures = events.filter(({ type }) => type === 'organizer-fail');
    expect(failures).toEqual([
      expect.objectContaining({ organizer: 'Failing', message: 'the worker died' }),
    ]);
    const byRules = await organize(EMPTY, lessons);
    expect(unplacedLessons(tree)).toEqual([]);
    expect(canonicalTree(tree).length).toBe(canonicalTree(byRules.tree).length);
    expect(checkInvariants(tree)).toEqual([]);
  });

  test('never comes to a proposal is told of, too', async () => {
    const organizer = failing({
      async *place() {
        for (;;) yield { type: 'token-delta', role: 'organizer', text: '', reasoning: false };
      },
    });
    const { tree, events } = await organize(EMPTY, lessons, organizer);
    expect(events.some(({ type }) => type === 'organizer-fail')).toBe(true);
    expect(unplacedLessons(tree)).toEqual([]);
  });

  test('proposes nothing loses nothing', async () => {
    const nothing = async function* () {
      return null;
    };
    const organizer = failing({
      place: nothing,
      merge: nothing,
      split: nothing,
      consolidate: nothing,
    });
    const { tree, events } = await organize(EMPTY, lessons, organizer);
    expect(events.filter(({ type }) => type === 'organizer-fail')).toEqual([]);
    expect(unplacedLessons(tree)).toEqual([]);
    expect([...groupsFrom(tree)].filter(({ summary }) => summary !== null)).toHaveLength(2);
  });

  test('does not answer is left as soon as the step is aborted, and nothing was changed', async () => {
    const abort = new AbortController();
    const organizer = failing({
      async *place() {
        await new Promise(() => undefined);
        return null;
      },
    });
    const nextId = () => 'g';
    const { signal } = abort;
    const step = maintain({ tree: EMPTY, lessons, organizer, caller: NO_CALLER, nextId, signal });
    const whole = (async () => {
      for (;;) if ((await step.next()).done === true) return;
    })();
    setTimeout(() => abort.abort(), 10);
    await expect(whole).rejects.toThrow(/abort/iu);
    expect(EMPTY.index.activeLessons).toBe(0);
  });
});

test('a frozen bank takes nothing, and says of each lesson that it did not', async () => {
  const frozen = grow(EMPTY, [{ type: 'freeze', reason: 'exam' }]);
  const { steps, notTaken, tree } = await organize(frozen, many('receipt', 2));
  expect(steps).toEqual([]);
  expect(notTaken.map(({ lesson, refusal }) => [lesson, refusal.reason])).toEqual([
    ['receipt-0', 'frozen'],
    ['receipt-1', 'frozen'],
  ]);
  expect(tree).toBe(frozen);
});

test('held lessons are placed, and no summary rests on them', async () => {
  const { tree } = await organize(EMPTY, [
    ...many('receipt', 3, { trust: 'held' }),
    about('mine', 'receipt'),
    about('ours', 'receipt', { evidence: [evidenceOf('other')] }),
  ]);
  expect(unplacedLessons(tree)).toEqual([]);
  const { parent } = getLesson(tree, 'receipt-0') ?? {};
  expect(getGroup(tree, parent ?? '')?.summary?.supportedBy).toEqual(['mine', 'ours']);
  const { tree: held } = await organize(EMPTY, many('receipt', 3, { trust: 'held' }));
  expect([...groupsFrom(held)].every(({ summary }) => summary === null)).toBe(true);
});

describe('a group', () => {
  const mixed = () =>
    hung({ wide: [...many('receipt', 4), ...many('timetable', 4), ...many('menu', 3)] });

  test('about several subjects is split into them, side by side in its stead, once it is nearly full', async () => {
    const { tree, steps } = await organize(mixed(), [about('receipt-9', 'receipt')]);
    expect(typesOf(steps)).toContain('split');
    expect(steps.find(({ operation }) => operation.type === 'split')?.operation).toMatchObject({
      lift: true,
      forced: false,
    });
    expect(getGroup(tree, 'wide')).toBeUndefined();
    const parts = childrenOf(tree, 'root');
    expect(
      parts
        .map((id) => subjectsUnder(tree, id))
        .flat()
        .sort(),
    ).toEqual(['menu', 'receipt', 'timetable']);
    expect(resolve(tree, 'wide').toSorted()).toEqual(parts);
    expect(parts.every((id) => getGroup(tree, id)?.summary !== null)).toBe(true);
  });

  test('about one subject stays whole until a lesson needs the room, and its parts lie under it', async () => {
    const { tree, steps } = await organize(hung({ one: many('receipt', 11) }), [
      about('receipt-a', 'receipt'),
    ]);
    expect(typesOf(steps)).not.toContain('split');
    const { tree: after, steps: later } = await organize(tree, [about('receipt-b', 'receipt')]);
    const split = later.find(({ operation }) => operation.type === 'split');
    expect(split).toMatchObject({
      by: { kind: 'harness' },
      operation: { forced: true, lift: false },
    });
    expect(childrenOf(after, 'root')).toEqual(['one']);
    expect(checkInvariants(after)).toEqual([]);
  });

  test('that says what a sibling says is merged with it, and its id leads there', async () => {
    const first = many('receipt', 3);
    const second = ['a', 'b'].map((id) => about(`receipt-${id}`, 'receipt'));
    const { tree, steps } = await organize(hung({ one: first, two: second }), [
      about('receipt-z', 'receipt'),
    ]);
    expect(typesOf(steps)).toContain('merge');
    expect(childrenOf(tree, 'root')).toEqual(['one']);
    expect(resolve(tree, 'two')).toEqual(['one']);
    expect(childrenOf(tree, 'one')).toHaveLength(6);
  });

  test('is merged with none whose children together would nearly fill it', async () => {
    const half = (letter: string) =>
      Array.from({ length: 5 }, (_, at) => about(`receipt-${letter}${at}`, 'receipt'));
    const { steps } = await organize(hung({ one: half('a'), two: half('b') }), [
      about('receipt-z', 'receipt'),
    ]);
    expect(typesOf(steps)).not.toContain('merge');
  });

  test('that is full at the most depth leaves its lesson to one with room', async () => {
    const shallow = emptyTree(manifestOf({ maxChildren: 3, maxDepth: 2 }));
    const { tree } = await organize(shallow, many('receipt', 9));
    expect(unplacedLessons(tree)).toEqual([]);
    expect(checkInvariants(tree)).toEqual([]);
  });
});
