import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyDelta } from '../../../../src/core/transfer/ace/apply-delta.ts';
import {
  bulletsOf,
  readPlaybook,
  writePlaybook,
  type Playbook,
  type PlaybookBullet,
} from '../../../../src/core/transfer/ace/ace-playbook.ts';
import {
  deltaFromPlaybook,
  playbookEntries,
} from '../../../../src/core/transfer/ace/bank-playbook.ts';
import { deltaBetween } from '../../../../src/core/transfer/ace/delta-between.ts';
import { bankEntries } from '../../../../src/core/transfer/items/bank-entries.ts';
import { sampleBank } from '../items/sample-bank.ts';

const playbookOf = (...lines: readonly string[]) => readPlaybook(lines.join('\n')).playbook;
const textOf = ({ entries }: Playbook) => [...writePlaybook(entries)].join('');

const EARLIER = playbookOf(
  '## STRATEGIES & RULES',
  '[str-00001] helpful=1 harmful=0 :: one',
  '[str-00004] two',
  '## OTHERS:',
  '[misc-00002] three',
);

test('operations change a playbook as they say', () => {
  const { playbook, refused } = applyDelta(EARLIER, [
    { type: 'ADD', section: 'strategies_and_rules', content: 'four' },
    { type: 'UPDATE', bullet_id: 'str-00004', content: 'two, better' },
    { type: 'TAG', skill_id: 'str-00001', tag: 'helpful' },
    { type: 'TAG', id: 'str-00001', metadata: { harmful: 2, odd: 'x' } },
    { type: 'remove', bullet_id: 'misc-00002' },
    { type: 'ADD', section: 'New', content: 'five', bullet_id: 'str-00001' },
  ]);
  expect(refused).toEqual([]);
  expect(textOf(playbook)).toBe(
    [
      '## STRATEGIES & RULES',
      '[str-00001] helpful=2 harmful=2 :: one',
      '[str-00004] two, better',
      '[str-00005] helpful=0 harmful=0 :: four',
      '',
      '## OTHERS:',
      '',
      '## New',
      '[new-00006] helpful=0 harmful=0 :: five',
      '',
    ].join('\n'),
  );
});

test('operations that cannot be done change nothing and are told', () => {
  const { playbook, refused } = applyDelta(EARLIER, [
    { type: 'MERGE' },
    { type: 'ADD', content: ' ' },
    { type: 'UPDATE', bullet_id: 'gone', content: 'x' },
    { type: 'TAG' },
  ]);
  expect(playbook).toEqual(EARLIER);
  expect(refused.map(({ index, reason }) => [index, reason])).toEqual([
    [0, 'unknown-type'],
    [1, 'no-text'],
    [2, 'unknown-bullet'],
    [3, 'unknown-bullet'],
  ]);
});

test('text of an operation cannot break out of its bullet', () => {
  const { playbook } = applyDelta(EARLIER, [
    { type: 'ADD', section: 'A\n## B', content: 'x\n## C\n[y-1] z', bullet_id: 'a] b' },
  ]);
  const again = readPlaybook(textOf(playbook)).playbook;
  expect(bulletsOf(again)).toHaveLength(4);
  expect(bulletsOf(again).at(-1)).toMatchObject({ section: 'A ## B', text: 'x ## C [y-1] z' });
});

test('no operations lie between a playbook and itself', () => {
  expect(deltaBetween(EARLIER, EARLIER.entries)).toEqual([]);
});

test('operations between two playbooks make the later of the earlier', () => {
  const bullet = fc.record({
    id: fc.constantFrom('a-1', 'a-2', 'b-3', 'b-4', 'c-5'),
    section: fc.constantFrom('A', 'B', 'C D'),
    text: fc.constantFrom('one', 'two', 'three'),
    counts: fc.option(fc.tuple(fc.nat(5), fc.nat(5)), { nil: null }),
  });
  const playbook = fc
    .uniqueArray(bullet, { selector: ({ id }) => id, maxLength: 5 })
    .map((bullets) =>
      playbookOf(
        ...bullets.flatMap(({ id, section, text, counts }) => [
          `## ${section}`,
          `[${id}] ${counts === null ? '' : `helpful=${counts[0]} harmful=${counts[1]} :: `}${text}`,
        ]),
      ),
    );
  const facts = (of: Playbook) =>
    bulletsOf(of)
      .map(({ id, section, text, counters }: PlaybookBullet) => ({
        id,
        section,
        text,
        counters: counters.filter(([, count]) => count > 0),
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  fc.assert(
    fc.property(playbook, playbook, (earlier, later) => {
      const applied = applyDelta(earlier, deltaBetween(earlier, later.entries));
      expect(applied.refused).toEqual([]);
      expect(facts(applied.playbook)).toEqual(facts(later));
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('a bank against its own earlier playbook says what changed since', () => {
  const earlier = { entries: [...playbookEntries(bankEntries(sampleBank({ guidance: 'Old.' })))] };
  const [, ...unchanged] = bankEntries(sampleBank());
  expect(deltaFromPlaybook(earlier, bankEntries(sampleBank()))).toMatchObject([
    { type: 'UPDATE', bullet_id: 'grove-a', section: 'Group maps' },
  ]);
  expect(deltaFromPlaybook(earlier, unchanged)).toEqual([
    { type: 'REMOVE', section: 'Group maps', bullet_id: 'grove-a' },
  ]);
});

test('a bank does not speak for the bullets of others, and does not say them again', () => {
  const earlier = playbookOf(
    '## X',
    '[x-1] helpful=9 harmful=3 :: Title b: Do b.',
    '[x-2] helpful=1 harmful=0 :: something else',
  );
  const entries = [...bankEntries(sampleBank())].slice(1);
  const kinds = (remove: 'own' | 'all' | 'none') =>
    deltaFromPlaybook(earlier, entries, { remove }).map(
      ({ type, bullet_id: id }) => `${type} ${id}`,
    );
  expect(kinds('own')).toEqual(['ADD grove-c', 'ADD grove-f']);
  expect(kinds('all')).toEqual(['ADD grove-c', 'ADD grove-f', 'REMOVE x-2']);
});
