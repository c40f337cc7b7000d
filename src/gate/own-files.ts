import { STANDING_HEADER, STANDING_URL } from './protocol.ts';
import { WORKER_PRELUDE } from './side-doors.ts';

/** What the build made, by path; filled in by the build. */
declare const __GROVE_FILES__: { readonly version: string; readonly files: readonly string[] };

const PREFIX = 'grove-files-';
const CACHE = `${PREFIX}${__GROVE_FILES__.version}`;

/** Whether any build's files are kept: on a first visit no request waits to be told that its file is not. */
let isKeeping: Promise<boolean> | null = null;

/**
 * Keeps this build's files for offline use; what is kept already stays. Done once a page can be used,
 * so that a first visit waits for none of it.
 */
export async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  isKeeping = Promise.resolve(true);
  const { files } = __GROVE_FILES__;
  const kept = await Promise.all(files.map((path) => cache.match(path)));
  const missing = files.filter((_, index) => kept[index] === undefined);
  await cache.addAll(missing.map((path) => new Request(path, { cache: 'no-cache' })));
}

/** Removes the files of builds before the last: a page still open may need those of the last. */
export async function dropOldFiles(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
}

/** Grove's own file: a page from the server where it is there, everything else as it was kept. */
export async function answerOwn(request: Request): Promise<Response> {
  if (new URL(request.url).pathname === STANDING_URL) {
    return new Response(null, { headers: { [STANDING_HEADER]: 'yes' } });
  }
  const isPage = request.mode === 'navigate';
  const kept = await keptFile(isPage ? '/' : request);
  if (!isPage) return forContext(request, kept ?? (await fetch(request)));
  try {
    return forContext(request, await fetch(request));
  } catch (error) {
    if (kept === undefined) throw error;
    return forContext(request, kept);
  }
}

async function keptFile(request: RequestInfo): Promise<Response | undefined> {
  // Where that cannot be told, the file itself is asked for, each time anew.
  isKeeping ??= caches.keys().then(
    (names) => names.length > 0,
    () => true,
  );
  return (await isKeeping) ? caches.match(request, { ignoreVary: true }) : undefined;
}

/**
 * Documents and workers have a policy of their own. From here on this worker decides what leaves, so
 * theirs is opened: `connect-src` to any http: and https: host, nothing else. A worker's script first
 * takes away what could pass by, and asks other hosts only while this worker answers.
 */
async function forContext(request: Request, response: Response): Promise<Response> {
  const contexts: readonly RequestDestination[] = ['document', 'worker', 'sharedworker'];
  const policy = response.headers.get('content-security-policy');
  if (policy === null || !contexts.includes(request.destination)) return response;
  const headers = new Headers(response.headers);
  headers.set(
    'content-security-policy',
    policy.replace(/connect-src 'self'/u, "connect-src 'self' http: https:"),
  );
  const { status, statusText } = response;
  if (request.destination === 'document') {
    return new Response(response.body, { status, statusText, headers });
  }
  headers.delete('content-length');
  const script = new Blob([WORKER_PRELUDE, await response.blob()]);
  return new Response(script.stream(), { status, statusText, headers });
}
