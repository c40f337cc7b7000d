import type { TestContext } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** How often a property was tried, by what; `npm run bench -- --full properties` tells it. */
    counts?: Record<string, number>;
  }
}

/** `GROVE_FULL=1` takes the full counts, which take minutes; without it every run stays short. */
export const isFull = process.env['GROVE_FULL'] === '1';

/** How long a property test may take, in milliseconds; a busy machine needs many times the usual. */
export const LIMIT_MS = isFull ? 3_600_000 : 60_000;

/** Notes how much was tried, for whoever reads the results. */
export function noteCounts({ task }: TestContext, counts: Readonly<Record<string, number>>): void {
  task.meta.counts = { ...counts };
}
