/**
 * The service worker: serves Grove's own files, also offline, and decides over every other request of
 * pages and workers. It enforces the stored policy from its first event on, before any page speaks.
 */
import { answerOwn, dropOldFiles, keepFiles } from './own-files.ts';
import { passOut, stopRefused } from './outgoing.ts';
import { ACTIVATE_MESSAGE, SETTLED_MESSAGE, type GateMessage } from './protocol.ts';
import { storedPolicy, storePolicy } from './stored-policy.ts';

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  event.respondWith(
    url.origin === self.location.origin ? answerOwn(event.request) : passOut(event.request, url),
  );
});

self.addEventListener('message', (event) => {
  if (event.data === ACTIVATE_MESSAGE) {
    event.waitUntil(self.skipWaiting());
    return;
  }
  if (event.data === SETTLED_MESSAGE) {
    event.waitUntil(keepFiles().then(dropOldFiles));
    return;
  }
  const message: GateMessage = event.data;
  const [port] = event.ports;
  if (port === undefined) return;
  event.waitUntil(
    (async () => {
      if (message.type === 'policy-set') {
        await storePolicy(message.policy);
        await stopRefused();
      }
      port.postMessage(await storedPolicy());
    })(),
  );
});
