import { describe, expect, test } from 'vitest';
import {
  carriesGuidance,
  SLIPS,
  slipsDespite,
  type SlipId,
} from '../../../../src/core/metro/solver/slips.ts';
import { CLOSER } from '../../../../src/core/metro/solver/criticise.ts';

const all: readonly SlipId[] = ['counts-origin', 'ignores-one-way', 'look-alike'];
const carried = (text: string) => all.filter((slip) => carriesGuidance(text, slip));

describe('guidance about a slip', () => {
  test.each(all)('the critic’s advice about %s is about that slip alone', (slip) => {
    expect(carried(SLIPS[slip].advice)).toEqual([slip]);
    expect(carried(`Applies when: ${SLIPS[slip].appliesWhen}`)).toEqual([]);
  });

  test.each([
    ["don't count the start", 'counts-origin'],
    ['You counted the station where you get on; that one must not be included.', 'counts-origin'],
    ['the first station is never counted', 'counts-origin'],
    ['Do not count the first boarding as a change.', 'counts-origin'],
    ['you counted the starting station', 'counts-origin'],
    ['You went round the wrong way.', 'ignores-one-way'],
    ['you took the wrong blue line', 'look-alike'],
    ['you went against the arrows', 'ignores-one-way'],
    ['trains only run one way round there', 'ignores-one-way'],
    ['you mixed up the two blues', 'look-alike'],
    ['These are two similar shades of green.', 'look-alike'],
  ] as const)('a person’s own words will do: %s', (words, slip) => {
    expect(carried(words)).toEqual([slip]);
  });

  test.each([
    'Count the stops from the start.',
    'The map has two lines and a loop.',
    'Paris is the capital of France.',
    'Read the question twice before answering, and check the units.',
    'Look at the part of the picture with the legend.',
    ...Object.values(CLOSER).map(({ advice }) => advice ?? ''),
    ...Object.values(CLOSER).map(({ what }) => what),
  ])('other words are no guidance: %s', (words) => {
    expect(carried(words)).toEqual([]);
  });

  test('a slip is made unless the text speaks of it', () => {
    expect([...slipsDespite('')].sort()).toEqual(all);
    expect([...slipsDespite(SLIPS['look-alike'].advice)].sort()).toEqual([
      'counts-origin',
      'ignores-one-way',
    ]);
  });
});
