import { ModelCallError } from '../core/errors.ts';

/** The error of a call that a person or the app stopped. */
export function abortedError(): ModelCallError {
  return new ModelCallError('aborted', 'The call was stopped.');
}

/**
 * The promise's outcome, or a rejection with `aborted` as soon as the signal fires, whatever the
 * promise does then.
 */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(abortedError());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
