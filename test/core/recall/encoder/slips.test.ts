import { expect, test } from 'vitest';
import { decodeAsset } from '../../../../src/core/recall/encoder/asset.ts';
import { isOneSlip, Slips } from '../../../../src/core/recall/encoder/slips.ts';
import { seededRandom } from '../../../../src/core/metro/random.ts';
import { shippedBytes } from './shipped.ts';

test.each([
  ['station', 'staton', true],
  ['station', 'sttation', true],
  ['station', 'statoin', true],
  ['station', 'stetion', true],
  ['station', 'stations', true],
  ['station', 'station', false],
  ['station', 'statin', true],
  ['station', 'statns', false],
  ['station', 'tsaiton', false],
  ['abcde', 'xbcdy', false],
])('“%s” and “%s”: %s', (first, second, is) => {
  expect(isOneSlip(first, second)).toBe(is);
  expect(isOneSlip(second, first)).toBe(is);
});

test('of each slip of a word, a word one slip away is found', () => {
  const decoded = decodeAsset(shippedBytes());
  if (!decoded.ok) throw new Error(decoded.refusal.message);
  const { words } = decoded.value;
  const slips = new Slips(words);
  const random = seededRandom(3);
  const letter = () => String.fromCharCode(97 + random.below(26));
  let tried = 0;
  while (tried < 2000) {
    const word = words.word(random.below(words.size));
    if (word.length < 6 || word.length > 19) continue;
    const at = 1 + random.below(word.length - 2);
    const slip = random.pick([
      word.slice(0, at) + word.slice(at + 1),
      word.slice(0, at) + letter() + word.slice(at),
      word.slice(0, at) + letter() + word.slice(at + 1),
      word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
    ]);
    if (slip === word) continue;
    tried += 1;
    const found = slips.find(slip);
    expect({ slip, found: found >= 0 && isOneSlip(slip, words.word(found)) }).toEqual({
      slip,
      found: true,
    });
    expect(found).toBeLessThanOrEqual(words.find(word));
  }
  for (const far of ['xqzzkvw', 'map', '', 'zzzzzzzzzzzzzzzzzzzzzzzzz'])
    expect(slips.find(far)).toBe(-1);
});
