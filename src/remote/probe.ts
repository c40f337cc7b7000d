import { ModelCallError } from '../core/errors.ts';
import { abortedError, orAbort } from './abort.ts';
import { classifyBlocked } from './classify-error.ts';
import { hostOf, type EndpointProfile } from './endpoint-profile.ts';

/** The parts of `fetch` that this folder uses; the gate's own stands behind it. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * Where a request that failed without any response may have gone wrong. `up`: the server answers and
 * lets this page read, so the failure was a broken connection.
 */
export type Reach = 'down' | 'cors-refused' | 'up' | ModelCallError;

/** What a probe needs. */
export interface ProbeOptions {
  readonly profile: EndpointProfile;
  readonly fetch: Fetch;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

/** Longest wait for either answer of a probe, in milliseconds. */
const PROBE_MS = 4_000;

/**
 * Tells a server that is down from one that refuses cross-origin reads: a browser lets a `no-cors`
 * request arrive and only hides the answer. A second request, readable and with the same preflight as
 * a chat, tells whether reading is allowed. The gate's own refusal comes back as its error. Throws
 * `ModelCallError` `aborted` only.
 */
export async function probe({ profile, fetch, apiKey, signal }: ProbeOptions): Promise<Reach> {
  const url = `${profile.baseUrl}/models`;
  const plain = await attempt(fetch, url, { mode: 'no-cors', cache: 'no-store' }, signal);
  if (plain === undefined) return 'down';
  const blocked = classifyBlocked(plain.headers, profile);
  if (blocked !== undefined) return blocked;
  const headers = requestHeaders(apiKey);
  const readable = await attempt(fetch, url, { mode: 'cors', cache: 'no-store', headers }, signal);
  return readable === undefined ? 'cors-refused' : 'up';
}

/** The headers of every request of this folder. JSON's type makes a browser ask by preflight. */
export function requestHeaders(apiKey: string | undefined): Record<string, string> {
  const json = { 'Content-Type': 'application/json' };
  return apiKey === undefined || apiKey === ''
    ? json
    : { ...json, Authorization: `Bearer ${apiKey}` };
}

/** The error of a request that got no response, once it was probed. `pageOrigin` is this page's. */
export function unreachableError(
  reach: Reach,
  { profile, pageOrigin }: { profile: EndpointProfile; pageOrigin: string | undefined },
): ModelCallError {
  if (reach instanceof ModelCallError) return reach;
  const host = hostOf(profile);
  switch (reach) {
    case 'cors-refused':
      return new ModelCallError(
        'cors-refused',
        `${host} is running but does not let this page read its answers (CORS).`,
        { hint: corsHint(profile, pageOrigin ?? 'this page’s origin') },
      );
    case 'up':
      return new ModelCallError(
        'server-unreachable',
        `The connection to ${host} broke before it answered.`,
        { hint: 'Try again; if it stays, look at the server’s log.' },
      );
    case 'down':
      return new ModelCallError('server-unreachable', `Nothing answers at ${host}.`, {
        hint: downHint(profile, pageOrigin),
      });
  }
}

/** The setting for each server that lets `origin` read, the likeliest first; a line each. */
function corsHint({ baseUrl }: EndpointProfile, origin: string): string {
  const settings: readonly (readonly [port: string, setting: string])[] = [
    ['11434', `Ollama: start it with OLLAMA_ORIGINS=${origin}.`],
    ['1234', 'LM Studio: turn on “Enable CORS” in the server settings.'],
    ['8000', `vLLM: start it with --allowed-origins '["${origin}"]'.`],
    [
      '8080',
      `llama.cpp: its server allows every origin; a proxy in front of it must pass on or add Access-Control-Allow-Origin: ${origin}.`,
    ],
  ];
  const { port } = new URL(baseUrl);
  const likely = settings.filter(([usual]) => usual === port);
  const others = settings.filter(([usual]) => usual !== port);
  return [...likely, ...others].map(([, setting]) => setting).join('\n');
}

function downHint({ baseUrl }: EndpointProfile, pageOrigin: string | undefined): string {
  const { protocol, hostname } = new URL(baseUrl);
  const local = /^(localhost|127(\.\d+){3}|\[::1\])$/u.test(hostname);
  if (pageOrigin?.startsWith('https:') === true && protocol === 'http:' && !local) {
    return 'A page opened over https may not call an http server on another machine. Open Grove over http, or give the server a certificate.';
  }
  return 'Start the server, and check host and port of the base URL.';
}

/** The response, or undefined where there is none in time. */
async function attempt(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
  try {
    const response = await orAbort(fetch(url, { ...init, signal: limit }), limit);
    void response.body?.cancel().catch(() => {});
    return response;
  } catch (cause) {
    if (signal.aborted) throw cause instanceof ModelCallError ? cause : abortedError();
    return undefined;
  }
}
