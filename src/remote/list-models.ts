import { z } from 'zod';
import { ModelCallError } from '../core/errors.ts';
import { orAbort } from './abort.ts';
import { checkedFetch, notJsonFailure, RequestFailed } from './checked-fetch.ts';
import type { EndpointProfile } from './endpoint-profile.ts';
import { truncatedError } from './event-stream.ts';
import { requestHeaders, type Fetch } from './probe.ts';

/** What a listing needs. */
export interface ListModelsOptions {
  readonly profile: EndpointProfile;
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
  /** This page's origin, for the hint on CORS. */
  readonly pageOrigin?: string | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The names of the models that the server lists, in its order. Throws `ModelCallError`. */
export async function listModels(options: ListModelsOptions): Promise<readonly string[]> {
  const { profile, apiKey, signal } = options;
  const context = {
    ...options,
    pageOrigin: options.pageOrigin,
    hasImages: false,
    secret: apiKey,
    nowMs: options.nowMs(),
  };
  try {
    const url = `${profile.baseUrl}/models`;
    const headers = requestHeaders(apiKey);
    const response = await checkedFetch(url, { headers, cache: 'no-store' }, context);
    const text = await orAbort(response.text(), signal).catch((cause: unknown) => {
      throw cause instanceof ModelCallError ? cause : truncatedError(context);
    });
    const parsed = listSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data.data.map(({ id }) => id);
    throw new RequestFailed(notJsonFailure(text, response.headers.get('content-type'), context));
  } catch (cause) {
    throw cause instanceof RequestFailed ? cause.failure.error : cause;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
