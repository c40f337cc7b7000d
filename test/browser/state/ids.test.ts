import { expect, test } from 'vitest';
import { systemClock } from '../../../src/state/clock.ts';
import { ulidSource } from '../../../src/state/ids.ts';

test('ids are 26 characters of Crockford base 32 with the time first', () => {
  const id = ulidSource({
    timeMs: () => 1469918176385,
    randomBytes: (n) => new Uint8Array(n),
  }).next();
  // The time of the ULID specification's own example.
  expect(id).toBe('01ARYZ6S410000000000000000');
  expect(ulidSource().next()).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/u);
});

test('each id sorts after the one before it, within a millisecond and when the clock is set back', () => {
  let time = 1_700_000_000_000;
  const source = ulidSource({
    timeMs: () => time,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  });
  const made: string[] = [];
  for (let round = 0; round < 3000; round += 1) {
    if (round === 1000) time -= 60_000;
    if (round === 2000) time += 120_000;
    made.push(source.next());
  }
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

test('a random part that is used up carries into the time', () => {
  const source = ulidSource({ timeMs: () => 5, randomBytes: (n) => new Uint8Array(n).fill(31) });
  expect([source.next(), source.next(), source.next()]).toEqual([
    '0000000005ZZZZZZZZZZZZZZZZ',
    '00000000060000000000000000',
    '00000000060000000000000001',
  ]);
});

test('the clock tells ISO 8601 in UTC with milliseconds', () => {
  const clock = systemClock();
  expect(clock.now()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
  const before = clock.monotonicMs();
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(before);
});
