import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenize } from '../../../src/core/recall/tokenize.ts';

describe('words', () => {
  test.each([
    ['How many stops is it from A to B?', ['stop', 'b']],
    ['Stations, station, STATION', ['station', 'station', 'station']],
    ['stories boxes classes bus axis glass', ['story', 'box', 'class', 'bus', 'axis', 'glass']],
    ['the line’s legend doesn’t re-read', ['line', 'legend', 're', 'read']],
    ["can't won't they're O'Brien", ['o', 'brien']],
    ['what is it of the', []],
    ['', []],
  ])('“%s” gives %j', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });
});

describe('names in code', () => {
  test.each([
    ['parseReply', ['parse', 'reply', 'parsereply']],
    ['parseHTTPReply', ['parse', 'http', 'reply', 'parsehttpreply']],
    ['snake_case_name, kebab-case-name', ['snake', 'case', 'name', 'kebab', 'case', 'name']],
    ['JavaScript or javascript', ['java', 'script', 'javascript', 'javascript']],
    ['PDFs and URLs', ['pdf', 'url']],
    ['utf8 Q3', ['utf', '8', 'utf8', 'q', '3', 'q3']],
    ['src/recall/index.ts', ['src', 'recall', 'index', 'ts']],
    // Encoded data is one term, and not a long one.
    ['a3f9c2d4e5b6a7c8d9e0', ['a3f9c2d4e5b6a7c8d9e0']],
    ['x'.repeat(5000), ['x'.repeat(64)]],
  ])('“%s” gives %j', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });
});

describe('mathematics', () => {
  test.each([
    ['\\frac{a}{b}', ['frac', 'b']],
    ['$x^2$ and x²', ['x', '2', 'x', '2', 'x2']],
    ['x_{1} + y_1', ['x', '1', 'y', '1']],
    ['\\left(\\triangle ABC\\right)', ['triangle', 'abc']],
    ['90^\\circ, 90° and 90 degrees', ['90', 'degree', '90', 'degree', '90', 'degree']],
    ['\\sqrt3 \\text{cm}', ['sqrt', '3', 'cm']],
    ['line one\\nThe next', ['line', 'next']],
    ['𝒙 and ℝ', ['x', 'r']],
  ])('“%s” gives %j', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });
});

describe('numbers and units', () => {
  test.each([
    ['1,250.50 € in 2024', ['1250.5', 'euro', '2024']],
    ['1,000 is 1000 is 1000.0', ['1000', '1000', '1000']],
    ['(1,2) and 1,2,3', ['1', '2', '1', '2', '3']],
    ['12 km, 12km, 12 kilometres', ['12', 'km', '12', 'km', '12', 'km']],
    ['3.5%, 3.5 %, 3.5 percent', ['3.5', 'percent', '3.5', 'percent', '3.5', 'percent']],
    ['version 1.2.3 of 007', ['version', '1.2.3', '7']],
    ['the 1st, 2nd and 3D', ['1', '2', '3', 'd', '3d']],
  ])('“%s” gives %j', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });
});

describe('scripts', () => {
  test.each([
    ['ﬁnd Ｌｉｎｅ', ['find', 'line']],
    ['Straße naïve Łódź Ørsted İstanbul', ['strasse', 'naive', 'lodz', 'orsted', 'istanbul']],
    ['ΑΘΉΝΑ Αθήνα', ['αθηνα', 'αθηνα']],
    ['Москва́ Йод ёлка', ['москва\u0301', 'йод', 'елка']],
    ['地下鉄の駅', ['地下', '下鉄', '鉄の', 'の駅']],
    ['駅', ['駅']],
    ['𠮷野家', ['𠮷野', '野家']],
    ['지하철 노선', ['지하', '하철', '노선']],
    ['ガラス', ['ガラ', 'ラス']],
    ['ｶﾞﾗｽ', ['ガラ', 'ラス']],
    ['مــترو العَرَبِيَّة أحمد ٣٤٥', ['مترو', 'العربيه', 'احمد', '345']],
    ['हिन्दी', ['हिन्दी']],
    ['שָׁלוֹם', ['שלום']],
  ])('“%s” gives %j', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  test('a composed and a decomposed letter are one', () => {
    expect(tokenize('cafe\u0301')).toEqual(tokenize('caf\u00e9'));
  });

  test('half a surrogate pair parts words and is in none', () => {
    expect(tokenize('red\ud800line\udc00 \ud83d\ude00')).toEqual(['red', 'line']);
  });
});

describe('any text', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.stringMatching(/^[\\ -~]{0,60}$/u),
  );

  test('gives terms that are short, not empty, well formed and without capitals or spaces', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const term of tokenize(text)) {
          expect(term).toMatch(/^\S{1,64}$/u);
          expect(term.isWellFormed()).toBe(true);
          expect(term).not.toMatch(/[A-Z]/u);
        }
      }),
    );
  });

  test('gives the terms of its halves where a space parts them', () => {
    fc.assert(
      fc.property(texts, texts, (first, second) => {
        const both = tokenize(`${first} . ${second}`);
        expect(both).toEqual([...tokenize(first), ...tokenize(second)]);
      }),
    );
  });

  // A second pass over what was read would take minutes.
  test.each([
    [
      'words',
      Array.from({ length: 100_000 }, (_, at) => `station${at % 977}Name`).join(' '),
      400_000,
    ],
    ['numbers with commas', '1,2345,'.repeat(50_000), 100_000],
    ['zeros', `${'0'.repeat(500_000)}1`, 1],
    ['decimals', `1.${'0'.repeat(500_000)}1`, 1],
    ['capitals', 'AB'.repeat(250_000), 1],
    ['changes of case', 'Ab'.repeat(250_000), 1],
    ['accents', `e${'\u0301'.repeat(500_000)}`, 1],
    ['characters', '駅'.repeat(500_000), 499_999],
    ['backslashes', '\\'.repeat(500_000), 0],
  ])('a long run of %s is read in one pass', (_, text, count) => {
    expect(tokenize(text)).toHaveLength(count);
  });
});
