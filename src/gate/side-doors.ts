import { STANDING_HEADER, STANDING_URL } from './protocol.ts';

/**
 * Ways out that neither the policy header nor the service worker can stop, or that Grove has no use
 * for: they are taken away. `RTCPeerConnection` reaches any address by UDP; `fetchLater` is sent after
 * the page, by the browser.
 */
const SIDE_DOORS = [
  'WebTransport',
  'WebSocketStream',
  'RTCPeerConnection',
  'webkitRTCPeerConnection',
  'EventSource',
  'fetchLater',
  // Voices may be spoken by a server.
  'speechSynthesis',
] as const;

/** A browsing context inside the page has a `fetch` of its own, which no service worker sees. */
const FRAMES = ['HTMLIFrameElement', 'HTMLFrameElement', 'HTMLObjectElement', 'HTMLEmbedElement'];

/**
 * What the service worker puts before the first line of a worker's script; it works in classic scripts
 * and modules alike, and moves no line.
 */
export const WORKER_PRELUDE = `(${guardExits})(${JSON.stringify([SIDE_DOORS, STANDING_URL, STANDING_HEADER])});`;

/** Takes the side doors away from the page. It has to run before any other code makes a request. */
export function closeSideDoors(): void {
  guardExits([SIDE_DOORS, STANDING_URL, STANDING_HEADER]);
  for (const name of FRAMES) {
    const frame: unknown = Reflect.get(globalThis, name);
    if (typeof frame !== 'function') continue;
    for (const inside of ['contentWindow', 'contentDocument']) {
      if (inside in frame.prototype) take(frame.prototype, inside, null);
    }
    if ('getSVGDocument' in frame.prototype) take(frame.prototype, 'getSVGDocument', () => null);
  }
  take(globalThis, 'open', () => null);
  take(Navigator.prototype, 'sendBeacon', () => false);
  take(ServiceWorkerRegistration.prototype, 'backgroundFetch', undefined);
  keepScriptsHere();
}

function take(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: false, writable: false });
}

/**
 * Takes away `doors`, and lets `fetch` and `Cache` ask another host only while the service worker
 * answers: Chromium was seen to leave a page whose worker was killed while it took over without one,
 * and the page's policy is open. Runs in pages and, as text, in workers: it may use nothing from
 * outside itself.
 */
function guardExits([doors, standingUrl, standingHeader]: readonly [
  doors: readonly string[],
  standingUrl: string,
  standingHeader: string,
]): void {
  // A worker's script may import others that begin with this, too; once is enough.
  if (Object.getOwnPropertyDescriptor(globalThis, 'fetch')?.configurable === false) return;
  const replace = (owner: object, name: string, value: unknown) =>
    Object.defineProperty(owner, name, { value, configurable: false, writable: false });
  const leaves = (url: string | URL) => {
    const { protocol, origin } = new URL(url, location.href);
    return /^https?:$/u.test(protocol) && origin !== location.origin;
  };
  const urlOf = (input: RequestInfo | URL) => (input instanceof Request ? input.url : input);
  const plainFetch = fetch;
  const { add, addAll } = Cache.prototype;
  const { open } = XMLHttpRequest.prototype;
  const stands = async (inputs: readonly (RequestInfo | URL)[]) => {
    if (!inputs.some((input) => leaves(urlOf(input)))) return;
    const answer = await plainFetch(new URL(standingUrl, location.origin), { cache: 'no-store' });
    if (answer.headers.has(standingHeader)) return;
    throw new TypeError(
      'Grove’s service worker does not answer, so nothing was sent. Reload Grove.',
    );
  };
  for (const name of doors) replace(globalThis, name, undefined);
  replace(globalThis, 'fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    await stands([input]);
    return plainFetch(input, init);
  });
  replace(Cache.prototype, 'add', async function (this: Cache, input: RequestInfo | URL) {
    await stands([input]);
    return add.call(this, input);
  });
  replace(Cache.prototype, 'addAll', async function (this: Cache, inputs: RequestInfo[]) {
    await stands(inputs);
    return addAll.call(this, inputs);
  });
  replace(
    XMLHttpRequest.prototype,
    'open',
    function (this: XMLHttpRequest, method: string, url: string | URL, ...rest: unknown[]) {
      if (leaves(url)) throw new TypeError('Grove asks other hosts by fetch alone.');
      Reflect.apply(open, this, [method, url, ...rest]);
    },
  );
}

/** A script leads the page to no other site; a person who follows a link does. */
function keepScriptsHere(): void {
  if (!('navigation' in globalThis)) return;
  navigation.addEventListener('navigate', (event) => {
    const elsewhere = new URL(event.destination.url).origin !== location.origin;
    if (elsewhere && !event.userInitiated) event.preventDefault();
  });
}
