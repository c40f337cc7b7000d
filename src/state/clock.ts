import type { Clock } from '../core/ports.ts';

/** The browser's clocks: ISO 8601 in UTC with milliseconds, and `performance.now()`. */
export function systemClock(): Clock {
  return {
    now: () => new Date().toISOString(),
    monotonicMs: () => performance.now(),
  };
}
