import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberWord } from '../../../../src/core/recall/encoder/number-word.ts';
import { quantise } from '../../../../src/core/recall/encoder/quantise.ts';
import { dot, shippedEncoder } from './shipped.ts';

const ENCODER = shippedEncoder();
const encode = (text: string) => ENCODER.encode(text);
const likeness = (first: string, second: string) => dot(encode(first), encode(second));

describe('what means the same is nearer than what does not', () => {
  test.each([
    ['metro station transfer', 'subway interchange', 'pie chart legend'],
    ['Which bar of the chart is the tallest?', 'the highest column in the graph', 'the next train'],
    [
      'How many stops is it to the terminus?',
      'count stations until the end of the line',
      'invoice total',
    ],
    ['total amount on the receipt', 'sum to pay on the bill', 'area of the triangle'],
    ['area of a quadrilateral', 'surface of a parallelogram', 'flight booking refund'],
    ['\\frac{1}{2} of the circle', 'half of the disc', 'commit to the git repository'],
    ['parseHttpReply throws', 'exception while reading a response', 'colour of the bus line'],
    ['delete the file in the directory', 'remove a folder', 'probability of two dice'],
    ['cancel my flight reservation', 'refund of the airline ticket', 'angle between two lines'],
    ['the legend of the map', 'the key of the atlas', 'failing unit tests'],
  ])('“%s”: “%s”, not “%s”', (text, near, far) => {
    expect(likeness(text, near)).toBeGreaterThan(likeness(text, far) + 0.1);
  });
});

describe('unknown words', () => {
  test.each([
    ['stattion', 'station'],
    ['staton', 'station'],
    ['sttaion', 'station'],
    ['triangke', 'triangle'],
    ['perpendiculr', 'perpendicular'],
    ['interchnage', 'interchange'],
  ])('“%s” is nearer to “%s” than to other words', (slip, meant) => {
    for (const other of ['invoice', 'banana', 'compiler', 'election']) {
      expect(likeness(slip, meant)).toBeGreaterThan(likeness(slip, other) + 0.3);
    }
  });

  test('are near themselves with another ending, and far from each other', () => {
    expect(likeness('Zlqvorbatu', 'Zlqvorbatus')).toBeGreaterThan(0.6);
    expect(Math.abs(likeness('Zlqvorbatu', 'Kyxmwendigo'))).toBeLessThan(0.4);
  });

  test('made of two known ones are near these', () => {
    expect(likeness('mapreader', 'map reader')).toBeGreaterThan(0.7);
    expect(likeness('mapReader', 'map_reader')).toBeCloseTo(1, 5);
  });

  test('of a script the vectors do not know are told apart by their characters', () => {
    expect(likeness('地下鉄の駅', '地下鉄駅')).toBeGreaterThan(
      likeness('地下鉄の駅', '円グラフ') + 0.3,
    );
    expect(likeness('محطة المترو', 'محطه مترو')).toBeGreaterThan(
      likeness('محطة المترو', 'رسم بياني'),
    );
  });
});

test('frequent words change a text little, rare ones much', () => {
  expect(likeness('station', 'the station')).toBeGreaterThan(0.98);
  expect(likeness('station', 'legend station')).toBeLessThan(0.9);
});

test.each([
  ['7', '#1'],
  ['42', '#2'],
  ['1250', '#4'],
  ['1999', '#y'],
  ['2024', '#y'],
  ['2199', '#4'],
  ['12500', '#5'],
  ['123456789', '#5'],
  ['3.5', '#.'],
])('the number %s is known as %s', (digits, word) => {
  expect(numberWord(digits)).toBe(word);
});

test('numbers are near by size, and what the number is changes nothing', () => {
  expect(likeness('7', '8')).toBeCloseTo(1, 5);
  expect(likeness('1,250', '1300')).toBeCloseTo(1, 5);
  expect(likeness('12 km', '45 kilometers')).toBeGreaterThan(likeness('12 km', '45 euro'));
});

test('a text has length 1, whatever is in it; one that says nothing has zeros', () => {
  for (const text of [
    'map',
    'a station '.repeat(100_000),
    '\ud800 map',
    '駅',
    '12',
    'Zlqvorbatu',
  ]) {
    expect(dot(encode(text), encode(text))).toBeCloseTo(1, 5);
  }
  for (const text of ['', ' \n', '?!…', 'a b c', '\ud800']) {
    expect(encode(text)).toEqual(new Float32Array(100));
  }
});

test('the same text gives the same vector, from another encoder and after other texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.lorem(), (text, between) => {
      const first = ENCODER.encode(text);
      ENCODER.encode(between);
      expect(ENCODER.encode(text)).toEqual(first);
      expect(first.every(Number.isFinite)).toBe(true);
    }),
    { numRuns: 50 },
  );
  expect(shippedEncoder().encode('count the stops')).toEqual(encode('count the stops'));
});

test('quantised, a vector keeps its direction to a hundredth of a per cent', () => {
  for (const text of ['metro station transfer', 'Zlqvorbatu', '12 km']) {
    const vector = encode(text);
    const { values, scale } = quantise(vector);
    const back = Float32Array.from(values, (value) => value * scale);
    const cosine = dot(vector, back) / Math.sqrt(dot(back, back));
    expect(cosine).toBeGreaterThan(0.9999);
    expect(Math.max(...values.map(Math.abs))).toBe(127);
  }
  const nothing = quantise(new Float32Array(100));
  expect(nothing).toEqual({ values: new Int8Array(100), scale: 0 });
});
