import { expect, test } from 'vitest';
import { tokenize } from '../../../src/core/recall/tokenize.ts';

test.each([
  ['How many stops is it from A to B?', ['stop', 'b']],
  ['Stations, station, STATION', ['station', 'station', 'station']],
  ['stories boxes classes bus axis glass', ['story', 'box', 'class', 'bus', 'axis', 'glass']],
  ['1,250.50 € in 2024', ['1,250.50', '2024']],
  ['ﬁnd Ｌｉｎｅ', ['find', 'line']],
  ['Straße naïve 地下鉄', ['straße', 'naïve', '地下鉄']],
  ['the line’s legend doesn’t re-read', ['line', 'legend', 're', 'read']],
  ['what is it of the', []],
  ['', []],
])('“%s” gives %j', (text, words) => {
  expect(tokenize(text)).toEqual(words);
});

test('a composed and a decomposed letter are one', () => {
  expect(tokenize('cafe\u0301')).toEqual(tokenize('caf\u00e9'));
});
