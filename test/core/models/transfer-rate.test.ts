import { expect, test } from 'vitest';
import { byteSize } from '../../../src/core/models/byte-size.ts';
import {
  bytesPerSecond,
  withSample,
  type TransferSample,
} from '../../../src/core/models/transfer-rate.ts';

test('a rate is told after a second, and over the last five only', () => {
  let samples: readonly TransferSample[] = [];
  const rates: (number | null)[] = [];
  // 1,000 bytes a second for six seconds, then 10,000.
  for (let second = 0; second <= 12; second += 1) {
    const bytes = second <= 6 ? second * 1000 : 6000 + (second - 6) * 10_000;
    samples = withSample(samples, { atMs: second * 1000, bytes });
    rates.push(bytesPerSecond(samples));
  }
  expect(rates.slice(0, 3)).toEqual([null, 1000, 1000]);
  expect(rates[6]).toBe(1000);
  expect(rates[12]).toBe(10_000);
  expect(samples).toHaveLength(6);
});

test('bytes are said in the unit that fits', () => {
  expect([0, 999, 1000, 9950, 23_700_000, 1.6e9, 2e13].map(byteSize)).toEqual([
    ...['0 B', '999 B', '1.0 kB', '9.9 kB', '24 MB', '1.6 GB', '20 TB'],
  ]);
});
