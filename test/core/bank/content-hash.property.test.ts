import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lessonContentHash } from '../../../src/core/bank/node.ts';
import { isSameJson } from '../../../src/core/bank/same-json.ts';
import type { Crop } from '../../../src/core/memory.ts';
import { canonicalJson, hashJson } from '../../../src/core/canonical.ts';

const CROP: Omit<Crop, 'hash'> = {
  mediaType: 'image/png',
  width: 28,
  height: 28,
  sourceHash: 's',
  sourceWidth: 56,
  sourceHeight: 56,
  box: [0, 0, 0.5, 0.5],
};
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const contents = fc.record({
  title: text,
  guidance: text,
  appliesWhen: text,
  cautions: fc.array(text, { maxLength: 3 }),
  topic: text,
  scope: text,
  anchor: text,
  crop: fc.option(fc.string({ unit: fc.constantFrom('a', '0', '"'), maxLength: 4 })),
});

test('a content hash is that of the canonical JSON of its text and its crop’s hash', () => {
  fc.assert(
    fc.property(contents, ({ crop, ...words }) => {
      const whole: Crop | null = crop === null ? null : { ...CROP, hash: crop };
      const content = { ...words, crop: whole };
      expect(lessonContentHash(content)).toBe(hashJson({ ...words, crop }));
    }),
    { seed: 8, numRuns: 200 },
  );
});

test('a lone surrogate has no hash', () => {
  const words = { title: '\ud800', guidance: '', appliesWhen: '', cautions: [] };
  const content = { ...words, topic: '', scope: '', anchor: '', crop: null };
  expect(() => lessonContentHash(content)).toThrow(TypeError);
});

test('two values say the same where their canonical JSON is one', () => {
  const values = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(values, values, (first, second) => {
      expect(isSameJson(first, second)).toBe(canonicalJson(first) === canonicalJson(second));
      const copy: unknown = JSON.parse(JSON.stringify(first));
      expect(isSameJson(first, copy)).toBe(true);
      expect(isSameJson({ first, gone: undefined }, { first: copy })).toBe(true);
    }),
    { seed: 9, numRuns: 300 },
  );
});
