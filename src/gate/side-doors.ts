/**
 * Ways out that neither the policy header nor the service worker can stop: they are taken away.
 * `RTCPeerConnection` reaches any address by UDP; `fetchLater` is sent after the page, by the browser.
 */
const SIDE_DOORS = [
  'WebTransport',
  'WebSocketStream',
  'RTCPeerConnection',
  'webkitRTCPeerConnection',
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
export const WORKER_PRELUDE =
  `for (const name of ${JSON.stringify(SIDE_DOORS)})` +
  ' Object.defineProperty(globalThis, name, { value: undefined });';

/** Takes them away from the page. It has to run before any other code makes a request. */
export function closeSideDoors(): void {
  for (const name of SIDE_DOORS) take(globalThis, name, undefined);
  for (const name of FRAMES) {
    const frame: unknown = Reflect.get(globalThis, name);
    if (typeof frame !== 'function') continue;
    for (const inside of ['contentWindow', 'contentDocument']) {
      if (inside in frame.prototype) take(frame.prototype, inside, null);
    }
    if ('getSVGDocument' in frame.prototype) take(frame.prototype, 'getSVGDocument', () => null);
  }
  take(globalThis, 'open', () => null);
  take(ServiceWorkerRegistration.prototype, 'backgroundFetch', undefined);
  keepScriptsHere();
}

function take(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: false, writable: false });
}

/** A script leads the page to no other site; a person who follows a link does. */
function keepScriptsHere(): void {
  if (!('navigation' in globalThis)) return;
  navigation.addEventListener('navigate', (event) => {
    const elsewhere = new URL(event.destination.url).origin !== location.origin;
    if (elsewhere && !event.userInitiated) event.preventDefault();
  });
}
