import { describe, expect, test } from 'vitest';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { EMPTY_LOG, makeEntries, replay } from '../../../src/core/bank/log.ts';
import type { Lesson, LessonContent } from '../../../src/core/bank/node.ts';
import {
  activeLessons,
  emptyTree,
  getGroup,
  getLesson,
  groupsFrom,
  pathOf,
  unplacedLessons,
  type Tree,
} from '../../../src/core/bank/tree.ts';
import { GROUPS_SEEN } from '../../../src/core/organize/group-views.ts';
import type { Organizer } from '../../../src/core/organize/organizer.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';
import {
  AT,
  canonicalTree,
  evidenceOf,
  lessonOf,
  manifestOf,
  placing,
  treeOf,
} from '../bank/material.ts';
import { metroBank, organize } from '../recall/metro-bank.ts';

const EMPTY = emptyTree(manifestOf());

function parentOf(tree: Tree, id: string): string | null | undefined {
  return getLesson(tree, id)?.parent;
}

const counting = (id: string, content: Partial<LessonContent> = {}) =>
  lessonOf(id, {
    title: `Count stops after boarding ${id}`,
    guidance: `Count only the stops after the station where you board the line. Note ${id}.`,
    appliesWhen: 'stops on a line of a metro map are counted',
    scope: 'stops on a line of a metro map are counted',
    ...content,
  });
const totals = (id: string) =>
  lessonOf(id, {
    title: `Read the total of a receipt ${id}`,
    guidance: `Add the tax to the subtotal, and check it against the printed amount. Note ${id}.`,
    appliesWhen: 'the total of a receipt is asked',
    scope: 'the total of a receipt is asked',
  });

test('lessons that are alike lie together, those that are not lie apart', async () => {
  const lessons = [counting('a'), totals('b'), counting('c'), totals('d')];
  const { tree } = await organize(EMPTY, lessons);
  expect(parentOf(tree, 'a')).toBe(parentOf(tree, 'c'));
  expect(parentOf(tree, 'b')).toBe(parentOf(tree, 'd'));
  expect(parentOf(tree, 'a')).not.toBe(parentOf(tree, 'b'));
  const { tree: later } = await organize(tree, [totals('e')]);
  expect(parentOf(later, 'e')).toBe(parentOf(tree, 'b'));
});

test('groups are called for when their lessons hold, and the metro sample’s titles are short', async () => {
  const { tree } = await organize(EMPTY, [counting('a'), totals('b')]);
  expect(pathOf(tree, parentOf(tree, 'a') ?? '')).toBe('Stops on a line of a metro map');
  const titles = [...groupsFrom(await metroBank())].map(({ title }) => title).sort();
  expect(titles).toEqual([
    'A line of a metro map',
    'All lessons',
    'Stops on a line of a metro map',
  ]);
});

test('the same lessons give the same operations and the same tree, which the log replays to', async () => {
  const lessons = [counting('a'), totals('b'), counting('c')];
  const [first, second] = [await organize(EMPTY, lessons), await organize(EMPTY, lessons)];
  expect(second.steps).toEqual(first.steps);
  expect(canonicalTree(second.tree)).toBe(canonicalTree(first.tree));
  const entries = makeEntries(EMPTY_LOG, first.steps, { step: 1, at: AT });
  const replayed = replay(EMPTY.manifest, entries);
  expect(replayed.ok && canonicalTree(replayed.value)).toBe(canonicalTree(first.tree));
});

test('a lesson that says the same supports the one there; from the same attempt it changes nothing', async () => {
  const { tree } = await organize(EMPTY, [counting('a'), counting('b')]);
  const { content } = counting('a');
  const twin = lessonOf('twin', content, { evidence: [evidenceOf('another')] });
  const { steps, tree: supported } = await organize(tree, [twin]);
  expect(steps.map(({ operation }) => operation.type)).toEqual(['support-lesson', 'consolidate']);
  expect(getLesson(supported, 'a')?.evidence).toHaveLength(2);
  expect(supported.nodes.has('twin')).toBe(false);
  expect((await organize(supported, [twin, counting('a')])).steps).toEqual([]);
});

/** Lessons over ten subjects, each with words of its own, drawn by a stride. */
function manyLessons(count: number): readonly Lesson[] {
  const subjects = 'receipt chart timetable invoice menu map ticket form letter diagram'.split(' ');
  const actions = 'reading adding comparing finding dating naming'.split(' ');
  return Array.from({ length: count }, (_, at) => {
    const [subject = '', action = ''] = [subjects[(at * 7) % 10], actions[(at * 5) % 6]];
    return lessonOf(`l${String(at).padStart(4, '0')}`, {
      title: `${action} a ${subject}, case ${at}`,
      guidance: `When ${action} the ${subject} look at its ${action} marks number ${at} first.`,
      scope: `${action} a ${subject} is asked for`,
      topic: `${action} ${subject}`,
    });
  });
}

describe('200 lessons in batches', () => {
  test('force partitions at capacity 12, keep every invariant after each step, and lose no lesson', async () => {
    const lessons = manyLessons(200);
    let tree = EMPTY;
    let forced = 0;
    for (let at = 0; at < lessons.length; at += 5) {
      const step = await organize(tree, lessons.slice(at, at + 5));
      forced += step.steps.filter(
        ({ operation }) => operation.type === 'split' && operation.forced,
      ).length;
      ({ tree } = step);
      expect(checkInvariants(tree)).toEqual([]);
    }
    expect(forced).toBeGreaterThan(0);
    expect(unplacedLessons(tree)).toEqual([]);
    expect([...activeLessons(tree)]).toHaveLength(200);
    for (const { title } of groupsFrom(tree)) expect([...title].length).toBeLessThanOrEqual(60);
  });

  test('in one batch too large for the groups at hand all find a place, as long as there is room', async () => {
    const narrow = emptyTree(manifestOf({ maxChildren: 3, maxDepth: 5 }));
    const { tree, events } = await organize(narrow, manyLessons(40));
    expect(checkInvariants(tree)).toEqual([]);
    expect(unplacedLessons(tree)).toEqual([]);
    expect(events.filter(({ type }) => type === 'proposal-refuse')).toEqual([]);
  });

  test('where the bank is full a lesson stays in it without a place, until there is room', async () => {
    const small = emptyTree(manifestOf({ maxChildren: 2, maxDepth: 2 }));
    const { tree } = await organize(small, manyLessons(9));
    expect(checkInvariants(tree)).toEqual([]);
    const waiting = unplacedLessons(tree);
    expect(waiting.length).toBeGreaterThanOrEqual(5);
    expect([...activeLessons(tree)]).toHaveLength(9);
  });
});

const broken = (place: unknown, consolidate: unknown): Organizer => ({
  ...rulesOrganizer,
  id: 'broken',
  label: 'Broken',
  async *place() {
    return { operation: place, reason: 'none' };
  },
  async *consolidate() {
    return { operation: consolidate, reason: 'none' };
  },
});

test('a lesson finds the group most like it among more than an organizer is shown', async () => {
  const subject = (at: number) =>
    `subject${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`;
  const about = (id: string, at: number) =>
    lessonOf(id, { guidance: `Look at the ${subject(at)} mark ${id}.`, topic: subject(at) });
  const numbers = Array.from({ length: 52 }, (_, at) => at);
  const groups = Object.fromEntries([
    ...['g0', 'g1', 'g2', 'g3', 'g4'].map((id) => [id, 'root']),
    ...numbers.map((at) => [`of-${subject(at)}`, `g${at % 5}`]),
  ]);
  const tree = treeOf([
    ...numbers.map((at) => ({ type: 'add-lesson' as const, lesson: about(`l${at}`, at) })),
    placing(groups, Object.fromEntries(numbers.map((at) => [`l${at}`, `of-${subject(at)}`]))),
  ]);
  const seen: number[] = [];
  const watching: Organizer = {
    ...rulesOrganizer,
    place(input, caller) {
      seen.push(input.groups.length);
      return rulesOrganizer.place(input, caller);
    },
  };
  for (const at of [0, 13, 23, 50]) {
    const { tree: after } = await organize(tree, [about('new', at)], watching);
    expect(parentOf(after, 'new')).toBe(`of-${subject(at)}`);
  }
  expect(Math.max(...seen)).toBeLessThanOrEqual(GROUPS_SEEN);
});

test('an organizer whose proposals are invalid is refused with the reason, and the rules stand in', async () => {
  const organizer = broken(
    { type: 'place', groups: [], assignments: [{ lesson: 'a', under: 'nowhere' }] },
    { type: 'consolidate', summary: 3 },
  );
  const { tree, events, steps } = await organize(EMPTY, [counting('a'), counting('b')], organizer);
  const refused = events.flatMap((event) =>
    event.type === 'proposal-refuse' ? [event.refusal.reason] : [],
  );
  expect(refused).toEqual(['not-a-group', 'bad-shape']);
  expect(steps.map(({ by }) => by.name)).toEqual(['grove', 'grove', 'rules', 'rules']);
  expect(unplacedLessons(tree)).toEqual([]);
  expect(getGroup(tree, parentOf(tree, 'a') ?? '')?.summary).not.toBeNull();
});

test('what an organizer leaves out is placed by rules', async () => {
  const place = {
    type: 'place',
    groups: [{ id: 'own', parent: 'root', title: 'Own', scope: '' }],
    assignments: [{ lesson: 'a', under: 'own' }],
  };
  const { tree } = await organize(EMPTY, [counting('a'), totals('b')], broken(place, null));
  expect(parentOf(tree, 'a')).toBe('own');
  expect(unplacedLessons(tree)).toEqual([]);
});
