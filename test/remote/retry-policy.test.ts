import { expect, test } from 'vitest';
import {
  DEFAULT_RETRY_POLICY as POLICY,
  isRetriableStatus,
  parseRetryAfter,
  retryDelayMs,
} from '../../src/remote/retry-policy.ts';

const failed = { retriable: true, retryAfterMs: undefined, streamed: false, triesMade: 1 };

test('waits double, are capped, and jitter spreads them over the upper half', () => {
  const capped = { ...POLICY, maxTries: 9 };
  const waits = [1, 2, 3, 8].map((triesMade) => retryDelayMs(capped, { ...failed, triesMade }, 1));
  expect(waits).toEqual([500, 1000, 2000, 8000]);
  expect(retryDelayMs(POLICY, failed, 0)).toBe(250);
});

test('gives up when tries are spent, once a piece arrived, and where trying cannot help', () => {
  expect(retryDelayMs(POLICY, { ...failed, triesMade: 4 }, 1)).toBeNull();
  expect(retryDelayMs(POLICY, { ...failed, streamed: true }, 1)).toBeNull();
  expect(retryDelayMs(POLICY, { ...failed, retriable: false }, 1)).toBeNull();
});

test('waits as long as the server asks, unless that is over a minute', () => {
  expect(retryDelayMs(POLICY, { ...failed, retryAfterMs: 0 }, 1)).toBe(0);
  expect(retryDelayMs(POLICY, { ...failed, retryAfterMs: 60_000 }, 1)).toBe(60_000);
  expect(retryDelayMs(POLICY, { ...failed, retryAfterMs: 60_001 }, 1)).toBeNull();
});

test('reads Retry-After as seconds or as a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(parseRetryAfter('1.5', now)).toBe(1500);
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:07 GMT', now)).toBe(7000);
  expect(parseRetryAfter('Wed, 31 Dec 2025 23:59:00 GMT', now)).toBe(0);
  expect(parseRetryAfter('soon', now)).toBeUndefined();
  expect(parseRetryAfter(null, now)).toBeUndefined();
});

test('only 408, 409, 429 and 5xx may pass by themselves', () => {
  const tried = [400, 401, 404, 408, 409, 413, 422, 429, 500, 503].filter(isRetriableStatus);
  expect(tried).toEqual([408, 409, 429, 500, 503]);
});
