import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, type Json } from '../../../../src/core/canonical.ts';
import { bankEntries } from '../../../../src/core/transfer/items/bank-entries.ts';
import { readItems } from '../../../../src/core/transfer/items/read-items.ts';
import { reasoningItems } from '../../../../src/core/transfer/items/reasoning-bank.ts';
import { remeItems } from '../../../../src/core/transfer/items/reme.ts';
import { toLessons } from '../../../../src/core/transfer/items/to-lessons.ts';
import { writeRecords } from '../../../../src/core/transfer/text/json-records.ts';
import { sampleBank } from './sample-bank.ts';
import { mustRead, written } from './samples.ts';

/** Text as hostile files have it: markup, labels, bullets, line ends, and any character. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        '\r\n',
        '\n\n',
        ' ',
        '## Content ',
        '\nTitle: ',
        '\n# Memory Item 2\n',
        '[a-1] ',
        'helpful=1 :: ',
        '"',
        '\\',
        '{',
        '}',
        ',]',
        '<b>',
        'When x: ',
        '__proto__',
        '```',
        'Caution: ',
        '\uFEFF',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.lorem({ maxCount: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join('').replaceAll('\0', ''));
const said = hostile.filter((text) => text.trim() !== '');

const json = fc
  .jsonValue({ maxDepth: 3 })
  .map((value): Json => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')));
const members = fc.dictionary(fc.stringMatching(/^[a-z][a-z_]{2,8}$/u), json, { maxKeys: 3 });
const OPTIONS = { seed: 7, numRuns: 150 };

const formats: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  reme: fc
    .tuple(members, hostile, hostile, fc.double({ noNaN: true, noDefaultInfinity: true }))
    .map(([more, when, content, score]) => ({ ...more, when_to_use: when, content, score })),
  'reasoning-bank': fc
    .tuple(members, hostile, hostile, hostile)
    .map(([more, title, description, content]) => ({ ...more, title, description, content })),
  'ace-delta': fc
    .tuple(members, hostile)
    .map(([more, content]) => ({ ...more, type: 'ADD', content })),
};

for (const [format, item] of Object.entries(formats)) {
  test.each(['lines', 'array'] as const)(
    `${format} in %s is read and written to the same values`,
    (layout) => {
      fc.assert(
        fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (items) => {
          const kept = items.map((one) => ({ ...one, type: format === 'ace-delta' ? 'ADD' : 'x' }));
          const text = [...writeRecords(layout, kept)].join('');
          const file = mustRead(text);
          expect(file.format).toBe(format);
          expect(file.problems.filter(({ effect }) => effect !== 'changed')).toEqual([]);
          const again = written(file);
          expect(again).toBe(text);
          expect(file.items).toHaveLength(kept.length);
        }),
        OPTIONS,
      );
    },
  );
}

test('items with labels are read and written to the same texts, up to white space', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(said, said, said), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (texts, isMarkdown) => {
        const items = texts.map(([title, description, content]) => ({
          title,
          description,
          content,
        }));
        const text = written({
          format: 'reasoning-bank',
          layout: isMarkdown ? 'markdown' : 'labels',
          items,
          lines: [],
          problems: [],
        });
        const file = mustRead(text);
        const plain = (value: unknown) => JSON.stringify(value).replace(/\\[nr]|\s/gu, '');
        const clean = items.map((one) =>
          JSON.parse(JSON.stringify(one), (_, value: unknown) =>
            typeof value === 'string' ? value.replace(/\s/gu, '') : value,
          ),
        );
        const got = file.items.map((one) =>
          JSON.parse(JSON.stringify(one), (_, value: unknown) =>
            typeof value === 'string' ? value.replace(/\s/gu, '') : value,
          ),
        );
        expect(plain(got)).toBe(plain(clean));
      },
    ),
    OPTIONS,
  );
});

test('whatever a playbook says, it is written as it was read, up to white space', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          hostile,
          hostile.map((text) => `[a-1] ${text}`),
        ),
        { maxLength: 8 },
      ),
      (lines) => {
        const text = ['[x-1] first', ...lines].join('\n');
        const read = readItems(text);
        if (!read.ok || read.value.format !== 'ace-playbook') return;
        const plain = (of: string) =>
          of
            .toWellFormed()
            .replace(/\s/gu, '')
            .replace(/^\uFEFF/u, '');
        expect(plain(written(read.value))).toBe(plain(text));
      },
    ),
    OPTIONS,
  );
});

test('a lesson comes back from ReMe and ReasoningBank to the letter', () => {
  const content = fc
    .record({
      title: fc.lorem({ maxCount: 4 }),
      guidance: said,
      appliesWhen: hostile,
      cautions: fc.array(said, { maxLength: 2 }),
      topic: hostile,
      scope: hostile,
      anchor: hostile,
    })
    .map((texts) =>
      JSON.parse(JSON.stringify(texts), (_, value: unknown) =>
        typeof value === 'string' ? value.toWellFormed().trim() : value,
      ),
    );
  fc.assert(
    fc.property(content, (lesson) => {
      const entries = [...bankEntries(sampleBank(lesson))];
      for (const items of [remeItems(entries, { workspace: 'w' }), reasoningItems(entries)]) {
        const { lessons } = toLessons(mustRead([...writeRecords('lines', items)].join('')));
        expect(lessons[0]?.content).toEqual({ ...lesson, crop: null });
      }
    }),
    OPTIONS,
  );
});

test('no text is more than refused, and every lesson made of one can be hashed', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        hostile,
        fc.json(),
        fc.string({ unit: 'binary' }),
        hostile.map((text) => `[a-1] x${text}`),
        hostile.map((text) => `{"title":1,"content":"x"}\n{${text}}`),
      ),
      (text) => {
        const read = readItems(text);
        if (!read.ok) return;
        const { lessons, counts } = toLessons(read.value);
        expect(counts.lessons).toBe(lessons.length);
        for (const lesson of lessons) expect(() => canonicalJson(lesson)).not.toThrow();
      },
    ),
    { ...OPTIONS, numRuns: 400 },
  );
});
