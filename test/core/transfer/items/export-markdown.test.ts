import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_LOG } from '../../../../src/core/bank/log.ts';
import { boxInWords, exportMarkdown } from '../../../../src/core/transfer/items/export-markdown.ts';
import { sampleBank } from './sample-bank.ts';

function markdownOf(content: Parameters<typeof sampleBank>[0]): string {
  return [...exportMarkdown({ tree: sampleBank(content), head: EMPTY_LOG })].join('');
}

test('a bank reads as headings, rules with their support, and lessons with what they say', () => {
  expect(markdownOf({})).toBe(`# Bank

Lessons of a Grove bank, as of entry 0 of its log.

## Group maps

**Rule**: 4 tasks support it, 1 speaks against it.

Count the stops.

1. Look.
2. Count.

Applies when: a map is given

- **Count stops once** (2 tasks support it, 1 speaks against it)

  Count each stop once.\\
  Start at the end.

  - Applies when: lines cross
  - Caution: Transfers are one stop.
  - Caution: Read the key.
  - Topic: stops
  - Scope: transit maps
  - Crop: [crops/${'c'.repeat(64)}.png](crops/${'c'.repeat(64)}.png), the upper left: 10 % to 40 % across, 5 % to 30 % down of an image of 1000 × 800 px
  - From: attempt 1 of run \`run-t1\`, team on metro-simulator, 2026-01-01, verified, feedback: user
  - Lesson: \`a\`

### Group lines

- **Title b** (1 task supports it)

  Do b.

  - From: attempt 1 of run \`run-task-b\`, team on metro-simulator, 2026-01-01, unverified, feedback: none
  - Lesson: \`b\`

- **Title c** (1 task supports it)

  Do c.

  - From: attempt 1 of run \`run-task-c\`, team on metro-simulator, 2026-01-01, unverified, feedback: none
  - Lesson: \`c\`

## Lessons in no group

- **Title f** (1 task supports it)

  Do f.

  - From: attempt 1 of run \`run-task-f\`, team on metro-simulator, 2026-01-01, unverified, feedback: none
  - Lesson: \`f\`

`);
});

test('boxes are said in words', () => {
  expect(boxInWords([0, 0, 1, 1])).toBe('the whole image');
  expect(boxInWords([0.4, 0.4, 0.6, 0.6])).toBe(
    'the middle: 40 % to 60 % across, 40 % to 60 % down',
  );
  expect(boxInWords([0.7, 0.7, 1, 1])).toBe(
    'the lower right: 70 % to 100 % across, 70 % to 100 % down',
  );
  expect(boxInWords([0.7, 0.3, 0.9, 0.6])).toMatch(/^the middle right/u);
});

test.each([
  ['# heading', '\\# heading'],
  ['a\n# heading', 'a\\\n  \\# heading'],
  ['a\n\n## heading', 'a\n\n  \\## heading'],
  ['a\n===', 'a\\\n  \\==='],
  ['- list\n12. more', '\\- list\\\n  12\\. more'],
  ['```js\nx\n```', '\\`\\`\\`js\\\n  x\\\n  \\`\\`\\`'],
  ['<script>x</script> &lt;', '&lt;script&gt;x&lt;/script&gt; &amp;lt;'],
  ['![x](y) [z](javascript:1)', '\\!\\[x\\](y) \\[z\\](javascript:1)'],
  ['a\n    code', 'a\\\n  &nbsp;&nbsp;&nbsp;&nbsp;code'],
  ['| a | b |\n|---|---|', '\\| a \\| b \\|\\\n  \\|---\\|---\\|'],
  ['end with \\', 'end with \\\\'],
  ['\u202Eevil\u0007', 'U+202EevilU+0007'],
])('%j is shown and does nothing', (guidance, shown) => {
  expect(markdownOf({ guidance })).toContain(`\n\n  ${shown}\n\n  - `);
});

test('what titles, cautions and names of files hold cannot leave their place', () => {
  const text = markdownOf({ title: 'a\n# b **c**', cautions: ['x\n\n# y'] });
  expect(text).toContain('- **a # b \\*\\*c\\*\\*** (');
  expect(text).toContain('  - Caution: x # y\n');
});

test('no text changes the shape of the document', () => {
  /** What a document is made of: how each line that is not a lesson's text begins. */
  const shape = (text: string) =>
    text
      .replace(/\n\n {2}[^-][\s\S]*?\n\n {2}- /gu, '\n\n  TEXT\n\n  - ')
      .split('\n')
      .map((line) => /^(?:#+ |- \*\*| {2}- [A-Z][a-z ]*:|\d+\. |)/u.exec(line)?.[0] ?? '');
  const plain = {
    title: 'T',
    guidance: 'G',
    appliesWhen: 'A',
    cautions: ['C'],
    topic: 'O',
    scope: 'S',
  };
  const wanted = shape(markdownOf(plain));
  const mark = fc.constantFrom(
    '\n',
    '\n\n',
    '# ',
    '- ',
    '* ',
    '1. ',
    '> ',
    '```',
    '`',
    '<b>',
    '-->',
    '[a]: x',
    '|',
    '\\',
    '**',
    '    ',
    '\t',
    '\u2028',
    '---',
    ':::',
  );
  const text = fc
    .array(fc.oneof(mark, fc.string({ unit: 'binary', maxLength: 4 })), {
      minLength: 1,
      maxLength: 8,
    })
    .map((pieces) => `x${pieces.join('')}`);
  const content = fc.record({
    title: text,
    guidance: text,
    appliesWhen: text,
    cautions: fc.tuple(text),
    topic: text,
    scope: text,
  });
  fc.assert(
    fc.property(content, (hostile) => {
      const all = markdownOf(hostile);
      expect(shape(all)).toEqual(wanted);
      expect(all).not.toMatch(/<(?!\/?nothing)/u);
    }),
    { seed: 11, numRuns: 200 },
  );
});
