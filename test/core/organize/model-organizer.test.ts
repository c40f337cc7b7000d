import { describe, expect, test } from 'vitest';
import { ROOT_ID, type Group, type Lesson } from '../../../src/core/bank/node.ts';
import { makeModelOrganizer } from '../../../src/core/organize/model-organizer.ts';
import type {
  CandidateView,
  GroupView,
  OrganizerProposal,
  PlaceInput,
  SplitInput,
} from '../../../src/core/organize/organizer.ts';
import { lessonOf } from '../bank/material.ts';
import { stopsTask } from '../evolve/scripted-run.ts';
import {
  MALFORMED_LEAST,
  malformedFrom,
  partsOf,
  scriptedCaller,
  tokensOf,
  valueOf,
} from '../harness/scripted-caller.ts';

const organizer = makeModelOrganizer({
  ...{ id: 'model test', label: 'Test', images: true },
  ...{ temperature: 0, repair: true, fallback: true },
});

const groupOf = (id: string, title: string, scope = ''): Group => ({
  ...{ kind: 'group', id, parent: id === ROOT_ID ? null : ROOT_ID, title, scope, summary: null },
});

const viewOf = (group: Group, lessons: readonly Lesson[] = [], childCount = 3): GroupView => ({
  ...{ group, path: group.title, lessons, childCount },
  ...{ groupCount: 0, depth: group.id === ROOT_ID ? 0 : 1 },
});

const LESSONS = [
  lessonOf('stops', { title: 'Count the stops of a line', topic: 'stops of a metro line' }),
  lessonOf('prices', { title: 'Add the prices of a receipt', topic: 'prices on a receipt' }),
];
const ROOT = viewOf(groupOf(ROOT_ID, ''));
const MAPS = viewOf(groupOf('maps', 'Metro maps', 'stops and lines of a metro'));

const placeInput = (over: Partial<PlaceInput> = {}): PlaceInput => ({
  ...{ lessons: LESSONS, groups: [ROOT, MAPS], maxChildren: 12, maxDepth: 6, newIds: ['n1', 'n2'] },
  ...over,
});

const splitInput: SplitInput = {
  group: MAPS.group,
  children: LESSONS.map((node) => ({ node, lessons: [node] })),
  ...{ liftRoom: 0, underRoom: 4, maxChildren: 12, newIds: ['n1', 'n2'] },
};

const candidateOf = (nodeId: string, kind: 'lesson' | 'rule'): CandidateView => ({
  ...{ nodeId, kind, title: `About ${nodeId}`, score: 1, matchedWords: [] },
  ...{ text: `Do ${nodeId}.`, appliesWhen: '', hasCrop: false, support: 3, failures: 0 },
});
const CANDIDATES = [
  candidateOf('r1', 'rule'),
  candidateOf('r2', 'rule'),
  candidateOf('l1', 'lesson'),
];

/** Each of the organizer's proposals with these replies, and what was asked. */
const QUESTIONS: Readonly<
  Record<
    string,
    (replies: readonly string[]) => Promise<{
      readonly proposal: OrganizerProposal | null;
      readonly asked: ReturnType<typeof scriptedCaller>['asked'];
    }>
  >
> = {
  place: async (replies) => {
    const { caller, asked } = scriptedCaller(replies);
    return { proposal: await valueOf(organizer.place(placeInput(), caller)), asked };
  },
  merge: async (replies) => {
    const { caller, asked } = scriptedCaller(replies);
    const groups = [MAPS, viewOf(groupOf('lines', 'Metro lines'), [], 5)];
    const input = { parent: ROOT.group, groups, mostChildren: 8 };
    return { proposal: await valueOf(organizer.merge(input, caller)), asked };
  },
  split: async (replies) => {
    const { caller, asked } = scriptedCaller(replies);
    return { proposal: await valueOf(organizer.split(splitInput, caller)), asked };
  },
  consolidate: async (replies) => {
    const { caller, asked } = scriptedCaller(replies);
    const input = { group: MAPS.group, lessons: LESSONS, budgetChars: 400 };
    return { proposal: await valueOf(organizer.consolidate(input, caller)), asked };
  },
};

const asked = (what: string, ...replies: readonly unknown[]) =>
  QUESTIONS[what]?.(
    replies.map((reply) => (typeof reply === 'string' ? reply : JSON.stringify(reply))),
  ) ?? Promise.reject(new Error(what));

describe('place', () => {
  test('names become ids, and new groups are made', async () => {
    const { proposal } = await asked('place', {
      groups: [{ name: 'N1', parent: 'G1', title: 'Receipts', scope: 'sums on receipts' }],
      assignments: [
        { lesson: 'L1', under: 'G2' },
        { lesson: 'L2', under: 'N1' },
      ],
    });
    expect(proposal?.operation).toEqual({
      type: 'place',
      groups: [{ id: 'n1', parent: ROOT_ID, title: 'Receipts', scope: 'sums on receipts' }],
      assignments: [
        { lesson: 'stops', under: 'maps' },
        { lesson: 'prices', under: 'n1' },
      ],
    });
  });

  test.each([
    ['an unknown lesson', { groups: [], assignments: [{ lesson: 'L9', under: 'G1' }] }, 'L1 to L2'],
    ['an unknown group', { groups: [], assignments: [{ lesson: 'L1', under: 'G7' }] }, 'G1 to G2'],
    [
      'a group made twice',
      {
        groups: ['N1', 'N1'].map((name) => ({ name, parent: 'G1', title: 'A', scope: '' })),
        assignments: [{ lesson: 'L1', under: 'N1' }],
      },
      'made twice',
    ],
  ])('%s is refused by name', async (_, reply, message) => {
    const { proposal } = await asked('place', reply);
    expect(proposal?.refusal?.message).toContain(message);
  });

  test('a reply that is mended counts, and says so; the second request quotes the first’s fault', async () => {
    const sound = { groups: [], assignments: [{ lesson: 'L1', under: 'G2' }] };
    const wrong = { groups: [], assignments: [{ lesson: 'L1', under: 'G7' }] };
    const { proposal, asked: requests } = await asked('place', wrong, sound);
    expect(proposal?.reason).toContain('had to be mended');
    expect(requests).toHaveLength(2);
    const last = requests[1]?.messages.at(-1)?.parts[0];
    expect(last?.type === 'text' && last.text).toContain('"G7" is none of G1 to G2');
  });
});

test('merge: the largest keeps its id; none, and one alone, are told apart', async () => {
  const words = { title: 'Metro', scope: 'metros', reason: 'Both are about metros.' };
  expect((await asked('merge', { merge: ['G1', 'G2'], ...words })).proposal).toMatchObject({
    operation: { type: 'merge', groups: ['maps', 'lines'], into: 'lines', title: 'Metro' },
    reason: 'Both are about metros.',
  });
  expect((await asked('merge', { merge: [], ...words })).proposal).toBeNull();
  const one = await asked('merge', { merge: ['G1'], ...words });
  expect(one.proposal?.refusal?.reason).toBe('one-group');
});

test('split: every child has one part, or it is refused', async () => {
  const part = (...children: readonly string[]) => ({ title: 'A', scope: '', children });
  const of = async (...parts: readonly unknown[]) =>
    (await asked('split', { parts, reason: '' })).proposal;
  expect(await of(part('C1'), part('C2'))).toMatchObject({
    operation: { type: 'split', group: 'maps', lift: false, forced: false },
  });
  expect(await of()).toBeNull();
  expect((await of(part('C1', 'C2')))?.refusal?.reason).toBe('one-part');
  expect((await of(part('C1'), part('C1')))?.refusal?.reason).toBe('twice');
  expect((await of(part('C1'), part('C3')))?.refusal?.reason).toBe('unknown-name');
  expect((await of(part('C1'), part('C2'), part('C2')))?.refusal?.reason).toBe('too-many-parts');
});

test('consolidate: support and conflicts are lessons that were shown, within the budget', async () => {
  const reply = { text: 'Go slowly.', procedure: ['Look.', ' '], conditions: '', conflicts: [] };
  const full = { ...reply, supported_by: ['L1', 'L2', 'L1'] };
  expect((await asked('consolidate', full)).proposal?.operation).toEqual({
    type: 'consolidate',
    group: 'maps',
    summary: {
      ...{ text: 'Go slowly.', procedure: ['Look.'], conditions: '', conflicts: [] },
      supportedBy: ['stops', 'prices'],
    },
  });
  const reasons = async (over: object) =>
    (await asked('consolidate', { ...full, ...over })).proposal?.refusal?.reason;
  expect(await reasons({ supported_by: ['L3'] })).toBe('unknown-name');
  expect(await reasons({ conflicts: [{ lessons: ['L1', 'L1'], about: 'x' }] })).toBe('no-conflict');
  expect(await reasons({ text: 'a'.repeat(401) })).toBe('over-budget');
});

describe('select', () => {
  const select = async (...replies: readonly string[]) => {
    const { caller, asked: requests } = scriptedCaller(replies);
    const input = { task: stopsTask, candidates: CANDIDATES };
    return { selection: await valueOf(organizer.select(input, caller)), requests };
  };

  test('rules, or one lesson, or nothing; an image is shown', async () => {
    const { selection, requests } = await select('{"choose": ["C1", "C2"], "reason": "Both."}');
    expect(selection).toEqual({ nodeIds: ['r1', 'r2'], reason: 'Both.' });
    expect(requests.flatMap(partsOf).filter(({ type }) => type === 'image')).toHaveLength(1);
    expect((await select('{"choose": ["C3"], "reason": ""}')).selection.nodeIds).toEqual(['l1']);
    expect((await select('{"choose": [], "reason": "No."}')).selection).toEqual({
      nodeIds: [],
      reason: 'No.',
    });
  });

  test('rules mixed with a lesson, and what was not shown, are left to the rules, which say so', async () => {
    for (const choose of ['["C1", "C3"]', '["C9"]']) {
      const { selection } = await select(`{"choose": ${choose}, "reason": ""}`);
      expect(selection.reason).toContain('The model’s reply could not be used');
    }
  });
});

/** A sound reply to each question, by which malformed ones are made, and others that fit its form only. */
const REPLIES: Readonly<Record<string, { sound: Record<string, unknown>; others: unknown[] }>> = {
  place: {
    sound: { groups: [], assignments: [{ lesson: 'L1', under: 'G2' }] },
    others: [
      { groups: [], assignments: [{ lesson: 'L1', under: 'N9' }] },
      { groups: [], assignments: [{ lesson: 'L3', under: 'G2' }] },
    ],
  },
  merge: {
    sound: { merge: ['G1', 'G2'], title: 'Metro', scope: '', reason: '' },
    others: [
      { merge: ['G1', 'G1'], title: 'Metro', scope: '', reason: '' },
      { merge: ['G1', 'G9'], title: 'Metro', scope: '', reason: '' },
      { merge: ['G1', 'G2'], title: '  ', scope: '', reason: '' },
    ],
  },
  split: {
    sound: {
      parts: ['C1', 'C2'].map((child) => ({ title: child, scope: '', children: [child] })),
      reason: '',
    },
    others: [
      { parts: [1, 2].map(() => ({ title: 'A', scope: '', children: ['C1'] })), reason: '' },
      { parts: [{ title: 'A', scope: '', children: ['C1', 'C2'] }], reason: '' },
    ],
  },
  consolidate: {
    sound: {
      ...{ text: 'Go.', procedure: [], conditions: '', conflicts: [] },
      supported_by: ['L1', 'L2'],
    },
    others: [
      { text: 'Go.', procedure: [], conditions: '', conflicts: [], supported_by: ['L9'] },
      { text: '  ', procedure: [], conditions: '', conflicts: [], supported_by: ['L1'] },
    ],
  },
};

test.each(Object.keys(QUESTIONS))(
  'no malformed reply becomes an operation of %s, and each is explained',
  async (what) => {
    const { sound, others } = REPLIES[what] ?? { sound: {}, others: [] };
    expect((await asked(what, sound)).proposal?.operation).toBeTruthy();
    const replies = [...malformedFrom(sound), ...others.map((other) => JSON.stringify(other))];
    expect(replies.length).toBeGreaterThanOrEqual(MALFORMED_LEAST);
    for (const reply of replies) {
      const { proposal } = await asked(what, reply);
      expect(proposal?.operation, reply).toBeNull();
      expect(proposal?.refusal?.message, reply).toMatch(/\S/u);
    }
  },
);

test('no malformed reply selects anything but by the rules, which say so', async () => {
  const replies = [
    ...malformedFrom({ choose: ['C1'], reason: '' }),
    ...['["C9"]', '["C1", "C3"]'].map((choose) => `{"choose": ${choose}, "reason": ""}`),
  ];
  expect(replies.length).toBeGreaterThanOrEqual(MALFORMED_LEAST);
  for (const reply of replies) {
    const { caller } = scriptedCaller([reply]);
    const input = { task: stopsTask, candidates: CANDIDATES };
    const { reason } = await valueOf(organizer.select(input, caller));
    expect(reason, reply).toContain('The model’s reply could not be used');
  }
});

test('a prompt stays within 1,500 tokens of text, however long the texts, and however many', async () => {
  const long = 'word '.repeat(2000);
  const lesson = (at: number) =>
    lessonOf(`l${at}`, { title: `${at} ${long}`, guidance: long, appliesWhen: long, topic: long });
  const lessons = Array.from({ length: 12 }, (_, at) => lesson(at));
  const groups = [
    ROOT,
    ...Array.from({ length: 35 }, (_, at) => viewOf(groupOf(`g${at}`, long, long), lessons)),
  ];
  const { caller, asked: requests } = scriptedCaller(['{}']);
  const parent = groupOf('p', long, long);
  const children = Array.from({ length: 48 }, (_, at) => ({ node: lesson(at), lessons: [] }));
  const many = Array.from({ length: 48 }, (_, at) => lesson(at));
  const candidates = Array.from({ length: 8 }, () => ({ ...candidateOf('r', 'rule'), text: long }));
  const once = makeModelOrganizer({
    ...{ id: 'm', label: 'm', images: true, temperature: 0, repair: false, fallback: false },
  });
  await valueOf(once.place(placeInput({ lessons, groups }), caller));
  await valueOf(once.merge({ parent, groups: groups.slice(1, 7), mostChildren: 8 }, caller));
  await valueOf(once.split({ ...splitInput, group: parent, children }, caller));
  await valueOf(once.consolidate({ group: parent, lessons: many, budgetChars: 400 }, caller));
  await valueOf(once.select({ task: { ...stopsTask, question: long }, candidates }, caller));
  expect(requests).toHaveLength(5);
  for (const request of requests)
    expect(tokensOf(request), request.prompt).toBeLessThanOrEqual(1500);
});
