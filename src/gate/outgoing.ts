import type { LedgerEntry } from './ledger-entry.ts';
import { decide, type BlockReason } from './policy.ts';
import {
  BLOCKED_HEADER,
  GATE_CACHE,
  LEDGER_PREFIX,
  MODEL_DOWNLOAD,
  PURPOSE_HEADER,
  REQUEST_ID_HEADER,
} from './protocol.ts';
import { storedPolicy, tell } from './stored-policy.ts';

declare const self: ServiceWorkerGlobalScope;

/** How many requests are remembered so that a changed policy can stop them. */
const REMEMBERED = 256;
const underWay = new Map<AbortController, URL>();

/** Stops what is under way, answers being read included, and is no longer allowed. */
export async function stopRefused(): Promise<void> {
  const policy = await storedPolicy();
  for (const [controller, url] of underWay) {
    if (decide(policy, url, self.location.origin).allowed) continue;
    controller.abort();
    underWay.delete(controller);
  }
}

/** A request to another host: let out or kept in by the policy, and written to the ledger either way. */
export async function passOut(request: Request, url: URL): Promise<Response> {
  const verdict = decide(await storedPolicy(), url, self.location.origin);
  const entry = entryOf(request, url);
  if (!verdict.allowed) return block(request, entry, verdict.reason);
  const bare = ['GET', 'HEAD'].includes(request.method);
  // Where a request without CORS is led cannot be seen, so that one must not carry a body along.
  if (request.mode === 'no-cors' && !bare) return block(request, entry, 'redirect');
  const body = bare ? null : await request.arrayBuffer();
  const sent = { ...entry, bytesSent: body?.byteLength ?? 0 };
  const stop = remember(url);
  try {
    const response = await fetch(outgoing(request, url, body), {
      signal: AbortSignal.any([request.signal, stop.signal]),
    });
    // Where it leads cannot be seen from here, so it is not followed.
    if (response.type === 'opaqueredirect') return await block(request, sent, 'redirect');
    const length = response.headers.get('content-length');
    await write({
      ...sent,
      bytesReceived: length === null ? null : Number(length),
      detail: detailOf(response),
    });
    return response;
  } catch (error) {
    const aborted = request.signal.aborted || stop.signal.aborted;
    await write({ ...sent, outcome: 'failed', detail: aborted ? 'stopped' : 'not reached' });
    throw error;
  }
}

/** What came of it, and from whom where that is another host than the one that was asked. */
function detailOf({ type, status, redirected, url }: Response): string {
  if (type === 'opaque') return type;
  return redirected ? `${status} from ${new URL(url).host}` : `${status}`;
}

/**
 * Hubs of models keep their files on other hosts and lead there. A download of a file by its plain
 * address carries nothing that the host which was allowed does not have already, so it may be led on.
 */
function mayBeLed(request: Request, { pathname, search }: URL): boolean {
  return (
    request.method === 'GET' &&
    request.headers.get(PURPOSE_HEADER) === MODEL_DOWNLOAD &&
    pathname.includes('/resolve/') &&
    search === ''
  );
}

/** The request as it leaves: without Grove's own headers, and following no redirect but a download's. */
function outgoing(request: Request, url: URL, body: ArrayBuffer | null): Request {
  const headers = new Headers(request.headers);
  headers.delete(PURPOSE_HEADER);
  headers.delete(REQUEST_ID_HEADER);
  return new Request(url, {
    method: request.method,
    headers,
    body,
    mode: request.mode === 'navigate' ? 'no-cors' : request.mode,
    credentials: 'omit',
    cache: request.cache,
    // A request whose answer nobody can read (it only tells whether a server is there) has to follow;
    // `passOut` lets none through that carries anything.
    redirect: request.mode === 'no-cors' || mayBeLed(request, url) ? 'follow' : 'manual',
    referrerPolicy: 'no-referrer',
  });
}

function remember(url: URL): AbortController {
  const controller = new AbortController();
  underWay.set(controller, url);
  const [oldest] = underWay.keys();
  if (underWay.size > REMEMBERED && oldest !== undefined) underWay.delete(oldest);
  return controller;
}

async function block(request: Request, entry: LedgerEntry, reason: BlockReason): Promise<Response> {
  await write({ ...entry, outcome: 'blocked', detail: reason });
  // An image or a script could not read an answer; it only has to fail.
  if (request.mode === 'no-cors' && request.destination !== '') return Response.error();
  return new Response(null, { status: 403, headers: { [BLOCKED_HEADER]: reason } });
}

function entryOf(request: Request, url: URL): LedgerEntry {
  return {
    id: request.headers.get(REQUEST_ID_HEADER) ?? crypto.randomUUID(),
    at: new Date().toISOString(),
    origin: url.origin,
    path: url.pathname,
    method: request.method,
    purpose: request.headers.get(PURPOSE_HEADER) ?? '',
    kind: request.destination === '' ? 'data' : request.destination,
    bytesSent: 0,
    bytesReceived: null,
    outcome: 'sent',
    detail: '',
  };
}

/** Leaves an entry for the next page that is there to keep it. */
async function write(entry: LedgerEntry): Promise<void> {
  const cache = await caches.open(GATE_CACHE);
  const url = `${LEDGER_PREFIX}${entry.at}-${entry.id}`;
  await cache.put(url, new Response(JSON.stringify(entry)));
  tell({ type: 'ledger' });
}
