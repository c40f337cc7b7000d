import { expect, test } from 'vitest';
import { EMPTY_LOG } from '../../../../src/core/bank/log.ts';
import { playbookEntries } from '../../../../src/core/transfer/ace/bank-playbook.ts';
import { writePlaybook } from '../../../../src/core/transfer/ace/ace-playbook.ts';
import { bankEntries } from '../../../../src/core/transfer/items/bank-entries.ts';
import { exportJsonLines } from '../../../../src/core/transfer/items/grove-lessons.ts';
import { reasoningItems } from '../../../../src/core/transfer/items/reasoning-bank.ts';
import { remeItems } from '../../../../src/core/transfer/items/reme.ts';
import { toLessons } from '../../../../src/core/transfer/items/to-lessons.ts';
import { writeRecords } from '../../../../src/core/transfer/text/json-records.ts';
import { CROP, FULL, sampleBank } from './sample-bank.ts';
import { mustRead } from './samples.ts';

const TREE = sampleBank();
const ids = (selection = {}) => [...bankEntries(TREE, selection)].map(({ id }) => id);

test('active, trusted lessons go out, a group before the groups in it, and those in no group last', () => {
  expect(ids()).toEqual(['a', 'b', 'c', 'f']);
});

test('held lessons and rules go out where they are asked for; retired ones never', () => {
  expect(ids({ held: true })).toEqual(['a', 'd', 'b', 'c', 'f']);
  expect(ids({ rules: true })).toEqual(['a', 'maps', 'b', 'c', 'f']);
});

test('a ReMe memory of a lesson carries score, uses and what the format has no member for', () => {
  const [memory] = remeItems(bankEntries(TREE), { workspace: 'bank' });
  expect(memory).toMatchObject({
    workspace_id: 'bank',
    memory_id: 'a',
    memory_type: 'task',
    when_to_use: 'When lines cross',
    content:
      'Count each stop once.\nStart at the end.\nCaution: Transfers are one stop.\nCaution: Read the key.',
    score: 0.6667,
    time_created: '2026-01-01 00:00:00',
    author: 'metro-simulator',
    metadata: { freq: 2, utility: 1, title: 'Count stops once' },
  });
  expect(memory?.metadata?.['grove']).toMatchObject({
    support: 2,
    failures: 1,
    rank: 'lesson',
    path: ['Group maps'],
    groups: [{ id: 'maps', rank: 'rule' }],
  });
});

test.each(['reme', 'reasoning-bank'] as const)(
  'lessons come back from %s as they were',
  (format) => {
    const entries = bankEntries(TREE);
    const items =
      format === 'reme' ? remeItems(entries, { workspace: 'w' }) : reasoningItems(entries);
    const { lessons, counts } = toLessons(mustRead([...writeRecords('lines', items)].join('')));
    expect(lessons[0]?.content).toEqual({ ...FULL, crop: null });
    expect(lessons[0]?.origin.crop).toEqual(CROP);
    expect(counts).toMatchObject({ items: 4, lessons: 4, cropsLeftOut: 1 });
  },
);

test('an edit to an item that Grove wrote stands', () => {
  const [memory] = remeItems(bankEntries(TREE), { workspace: 'w' });
  const edited = { ...memory, content: 'New text.', when_to_use: 'When it rains' };
  expect(toLessons(mustRead(JSON.stringify(edited))).lessons[0]?.content).toMatchObject({
    guidance: 'New text.',
    appliesWhen: 'it rains',
    cautions: [],
  });
});

test('a playbook of a bank has a section for each group, and support and failures as counters', () => {
  const text = [...writePlaybook(playbookEntries(bankEntries(TREE)))].join('');
  expect(text).toBe(
    [
      '## Group maps',
      '[grove-a] helpful=2 harmful=1 :: Count stops once: When lines cross: Count each stop once. Start at the end. Caution: Transfers are one stop. Caution: Read the key.',
      '',
      '## Group maps › Group lines',
      '[grove-b] helpful=1 harmful=0 :: Title b: Do b.',
      '[grove-c] helpful=1 harmful=0 :: Title c: Do c.',
      '',
      '## OTHERS',
      '[grove-f] helpful=1 harmful=0 :: Title f: Do f.',
      '',
    ].join('\n'),
  );
  const file = mustRead(text);
  expect(file).toMatchObject({ format: 'ace-playbook', problems: [] });
});

test('an export as JSON Lines has a header, groups before what lies in them, and comes back', () => {
  const head = { seq: 12, hash: 'f'.repeat(64) };
  const pieces = [...exportJsonLines({ tree: TREE, head })];
  expect(pieces.every((piece) => /^\{.*\}\n$/u.test(piece))).toBe(true);
  const lines = pieces.map((piece): unknown => JSON.parse(piece));
  expect(lines[0]).toEqual({
    type: 'header',
    format: 'grove-lessons',
    version: 1,
    bank: { id: 'bank', name: 'Bank' },
    head,
  });
  expect(lines.slice(1)).toMatchObject([
    {
      type: 'group',
      id: 'maps',
      rank: 'rule',
      level: 1,
      support: 4,
      failures: 1,
      path: ['Group maps'],
    },
    { type: 'lesson', id: 'a', content: FULL, support: 2, failures: 1, groups: [{ rank: 'rule' }] },
    { type: 'group', id: 'lines', rank: 'group', path: ['Group maps', 'Group lines'] },
    { type: 'lesson', id: 'b' },
    { type: 'lesson', id: 'c', evidence: [{ taskId: 'task-c' }] },
    { type: 'lesson', id: 'f', path: [] },
  ]);
  const file = mustRead(pieces.join(''));
  expect(file).toMatchObject({ format: 'grove-lesson', problems: [] });
  const { lessons, counts } = toLessons(file);
  expect(counts).toMatchObject({ items: 7, lessons: 4, notLessons: 3, cropsLeftOut: 1 });
  expect(lessons[0]).toMatchObject({
    content: { ...FULL, crop: null },
    origin: { id: 'a', section: 'Group maps', crop: CROP },
  });
  expect(lessons[0]?.origin.evidence).toHaveLength(1);
});

test('a line of an export stays one line for readers that know other ends of lines', () => {
  const tree = sampleBank({ guidance: 'a\u2028b\u2029c\u0085d\r\ne' });
  for (const piece of exportJsonLines({ tree, head: EMPTY_LOG })) {
    expect(piece.slice(0, -1)).not.toMatch(/[\n\r\u0085\u2028\u2029]/u);
  }
});

test('what rests on a held lesson is not shown unless held lessons are', () => {
  const tree = sampleBank();
  const node = tree.nodes.get('b');
  if (node?.kind !== 'lesson') throw new Error('no lesson');
  const held = { ...tree, nodes: tree.nodes.set('b', { ...node, trust: 'held' as const }) };
  const summaryOf = (selection: { readonly held?: boolean }) => {
    const [, group = ''] = exportJsonLines({ tree: held, head: EMPTY_LOG }, selection);
    return JSON.parse(group).summary;
  };
  expect(summaryOf({})).toBeNull();
  expect(summaryOf({ held: true })).toMatchObject({ text: 'Count the stops.' });
  expect([...bankEntries(held, { rules: true })].map(({ id }) => id)).toEqual(['a', 'c', 'f']);
});
