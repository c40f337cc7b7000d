import { ModelCallError } from '../core/errors.ts';
import { abortedError, orAbort } from './abort.ts';
import {
  baseUrlHint,
  classifyResponse,
  type FailureContext,
  type TryFailure,
} from './classify-error.ts';
import { hostOf } from './endpoint-profile.ts';
import { probe, unreachableError, type Fetch } from './probe.ts';
import { parseServerError } from './server-error.ts';

/** Thrown by a checked request. Its failure says all. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly failure: TryFailure;

  constructor(failure: TryFailure) {
    super(failure.error.message);
    this.failure = failure;
  }
}

/** What a checked request needs beyond the request itself. */
export interface CheckedFetchOptions extends FailureContext {
  readonly fetch: Fetch;
  readonly pageOrigin: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * A successful response of the endpoint. Everything else is thrown as `RequestFailed`: a refusal is
 * read and named, a missing answer is probed.
 */
export async function checkedFetch(
  url: string,
  init: RequestInit,
  options: CheckedFetchOptions,
): Promise<Response> {
  const { fetch, signal } = options;
  const response = await reach(() => orAbort(fetch(url, { ...init, signal }), signal), options);
  if (response.ok) return response;
  const body = await reach(() => orAbort(response.text(), signal), options);
  const { status, headers } = response;
  throw new RequestFailed(classifyResponse({ status, headers, body }, options));
}

/** The failure of a response with status 200 that is no JSON, quoting what came instead. */
export function notJsonFailure(
  text: string,
  contentType: string | null,
  context: FailureContext,
): TryFailure {
  const { message } = parseServerError(text, context.secret);
  const isPage = contentType?.includes('html') === true || /^\s*<(!doctype|html)/iu.test(text);
  const came = isPage ? 'a web page' : 'something that is no JSON';
  const quoted = message === '' ? '' : ` It begins: ${message}`;
  const error = new ModelCallError(
    'not-json',
    `${hostOf(context.profile)} answered with ${came} instead of JSON.${quoted}`,
    { hint: baseUrlHint(context.profile) },
  );
  return { error, retriable: false };
}

async function reach<T>(run: () => Promise<T>, options: CheckedFetchOptions): Promise<T> {
  const { profile, fetch, signal, secret, pageOrigin } = options;
  try {
    return await run();
  } catch {
    if (signal.aborted) throw new RequestFailed({ error: abortedError(), retriable: false });
    const reached = await probe({ profile, fetch, apiKey: secret, signal }).catch(abortedError);
    const error = unreachableError(reached, { profile, pageOrigin });
    throw new RequestFailed({ error, retriable: reached === 'up' });
  }
}
