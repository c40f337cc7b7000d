/** How often and how patiently a failed call is tried again. Times in milliseconds. */
export interface RetryPolicy {
  /** The first try included. */
  readonly maxTries: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** A server that asks for more patience than this is not waited for. */
  readonly maxRetryAfterMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxTries: 4,
  baseDelayMs: 500,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 60_000,
};

/** What the policy decides from. */
export interface FailedTry {
  /** Whether trying again can help at all: false after an abort and for what a person must settle. */
  readonly retriable: boolean;
  /** What the server asked for, where the browser may read it. */
  readonly retryAfterMs: number | undefined;
  /** Whether a piece of the reply had arrived. Then nothing is tried again. */
  readonly streamed: boolean;
  readonly triesMade: number;
}

/**
 * The wait before the next try in milliseconds, or null to give up. Exponential, with jitter (0 to 1)
 * spreading it over the upper half; a Retry-After of the server takes its place.
 */
export function retryDelayMs(
  policy: RetryPolicy,
  { retriable, retryAfterMs, streamed, triesMade }: FailedTry,
  jitter: number,
): number | null {
  if (!retriable || streamed || triesMade >= policy.maxTries) return null;
  if (retryAfterMs !== undefined) {
    return retryAfterMs <= policy.maxRetryAfterMs ? retryAfterMs : null;
  }
  const full = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (triesMade - 1));
  return Math.round(full * (0.5 + jitter / 2));
}

/** Statuses after which the same request may succeed. */
export function isRetriableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** A Retry-After header, seconds or a date, as milliseconds from `nowMs`; undefined where unreadable. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/u.test(header)) return Math.round(Number(header) * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
