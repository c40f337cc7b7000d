import { StorageError, type StorageCode } from '../core/errors.ts';

/** The errors inside an error, outermost first: Dexie wraps in `inner`, the platform in `cause`. */
function* chain(error: unknown): Generator<object> {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [error];
  while (waiting.length > 0) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    yield next;
    if ('inner' in next) waiting.push(next.inner);
    if ('cause' in next) waiting.push(next.cause);
    if ('failures' in next && Array.isArray(next.failures)) waiting.push(...next.failures);
  }
}

const CODES: Readonly<Record<string, StorageCode>> = {
  QuotaExceededError: 'quota-exceeded',
  VersionError: 'newer-version',
  DatabaseClosedError: 'closed',
  DataError: 'corrupt',
};

const SENTENCES: Readonly<Partial<Record<StorageCode, string>>> = {
  'quota-exceeded':
    'The browser gives Grove no more room. Nothing was lost: what was stored before is still there. Free some room in Settings, or on this disk, and try again.',
  'newer-version':
    'The data in this browser was written by a newer Grove. Open it with that Grove, or update this one; nothing was changed.',
  closed: 'The storage of this page is closed. Reload the page to go on.',
};

/**
 * Any failure of the database as a `StorageError`, by the names of the errors inside it, never by
 * their text. A `StorageError` stays as it is. `doing` completes "Grove could not …".
 */
export function storageFailure(error: unknown, doing: string): StorageError {
  const names: string[] = [];
  for (const inner of chain(error)) {
    if (inner instanceof StorageError) return inner;
    if ('name' in inner && typeof inner.name === 'string') names.push(inner.name);
  }
  // Quota first: an aborted transaction is often also a closed one by the time it is seen.
  const name = names.includes('QuotaExceededError')
    ? 'QuotaExceededError'
    : names.find((candidate) => candidate in CODES);
  const code = (name === undefined ? undefined : CODES[name]) ?? 'failed';
  const sentence =
    SENTENCES[code] ?? `Grove could not ${doing}; nothing was changed (${names[0] ?? 'unknown'}).`;
  return new StorageError(code, sentence, { cause: error });
}

/** Runs `work`, and throws whatever it throws as a `StorageError`. */
export async function guard<T>(doing: string, work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFailure(error, doing);
  }
}
