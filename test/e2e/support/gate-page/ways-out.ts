/** Every way a page knows to reach another host but leaving; each ends once the browser is done with it. */
export async function tryEveryWay(base: string): Promise<void> {
  const { host } = new URL(base);
  const ways: readonly (() => unknown)[] = [
    () => fetch(`${base}/fetch`, { method: 'POST', body: 'secret' }),
    () => fetch(`${base}/no-cors`, { mode: 'no-cors', method: 'POST', body: 'secret' }),
    () => fetch(`${base}/keepalive`, { method: 'POST', body: 'secret', keepalive: true }),
    () => xhr(`${base}/xhr`),
    () => navigator.sendBeacon(`${base}/beacon`, 'secret'),
    () => element('img', { src: `${base}/image` }),
    () => element('script', { src: `${base}/script` }),
    () => element('link', { rel: 'stylesheet', href: `${base}/style` }),
    () => element('iframe', { src: `${base}/frame` }),
    () => element('video', { src: `${base}/video` }),
    () => element('object', { data: `${base}/object` }),
    () => element('link', { rel: 'preload', as: 'image', href: `${base}/preload` }),
    () => element('link', { rel: 'modulepreload', href: `${base}/modulepreload` }),
    () => hint('prefetch', `${base}/prefetch`),
    () => hint('preconnect', base),
    () => hint('icon', `${base}/icon`),
    () => hint('manifest', `${base}/manifest`),
    () => import(/* @vite-ignore */ `${base}/import`),
    () => new FontFace('outside', `url(${base}/font)`).load(),
    () => ended(new WebSocket(`${base.replace('http', 'ws')}/socket`)),
    () => ended(new EventSource(`${base}/events`)),
    () => workerFetch(`${base}/worker`, 0),
    () => workerFetch(`${base}/nested-worker`, 1),
    () => blobWorker(`${base}/blob-worker`),
    () => cssImage(`${base}/css-url`),
    () => submitForm(`${base}/form`),
    () => ping(`${base}/ping`),
    () => insideFrame(`${base}/inside-frame`),
    () => Reflect.get(window, 'fetchLater')?.(`${base}/later`, { activateAfter: 0 }),
    () => backgroundFetch(`${base}/background`),
    () => peer(host),
  ];
  // A violated policy throws, rejects or fires an error; that is what is expected here.
  await Promise.allSettled(ways.map(async (way) => way()));
}

/** What a script does to take the page elsewhere. */
export function tryToLeave(base: string): void {
  const refresh = document.createElement('meta');
  refresh.httpEquiv = 'refresh';
  refresh.content = `0; url=${base}/refresh`;
  document.head.append(refresh);
  window.open(`${base}/open`);
  location.href = `${base}/leave`;
}

/** Fetches in a worker `depth` workers below the first one; says how it went. */
export function workerFetch(url: string, depth: number): Promise<string> {
  const worker = new Worker(new URL('./fetch-worker.ts', import.meta.url), { type: 'module' });
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(String(data));
    worker.onerror = () => resolve('worker failed');
    worker.postMessage({ url, depth });
  });
}

function blobWorker(url: string): Promise<void> {
  const code = `fetch(${JSON.stringify(url)}).finally(() => postMessage('done'))`;
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
  return new Promise((resolve) => {
    worker.onmessage = worker.onerror = () => resolve();
  });
}

function xhr(url: string): Promise<void> {
  const request = new XMLHttpRequest();
  return new Promise((resolve) => {
    request.onloadend = () => resolve();
    request.open('POST', url);
    request.send('secret');
  });
}

function element(name: string, attributes: Record<string, string>): Promise<void> {
  const made = document.createElement(name);
  return new Promise((resolve) => {
    for (const event of ['load', 'error', 'loadeddata'])
      made.addEventListener(event, () => resolve());
    // Some browsers say nothing when a policy stops an element.
    addEventListener('securitypolicyviolation', () => resolve());
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    document.body.append(made);
  });
}

/** A link the browser follows in its own time, if at all. */
function hint(rel: string, href: string): void {
  const link = document.createElement('link');
  Object.assign(link, { rel, href });
  document.head.append(link);
}

function ended(source: WebSocket | EventSource): Promise<void> {
  return new Promise<void>((resolve) => {
    for (const event of ['open', 'error']) source.addEventListener(event, () => resolve());
  }).then(() => source.close());
}

async function cssImage(url: string): Promise<void> {
  const box = document.createElement('div');
  box.textContent = 'box';
  box.style.backgroundImage = `url(${url})`;
  document.body.append(box);
  // Backgrounds are asked for when the page is drawn.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** A frame to navigate, so that the page stays. */
function addFrame(name: string): string {
  const frame = document.createElement('iframe');
  frame.name = name;
  document.body.append(frame);
  return name;
}

function submitForm(action: string): void {
  const form = document.createElement('form');
  Object.assign(form, { action, method: 'post', target: addFrame('form-frame') });
  document.body.append(form);
  form.submit();
}

function ping(url: string): void {
  const link = document.createElement('a');
  Object.assign(link, { href: location.href, ping: url, target: addFrame('ping-frame') });
  document.body.append(link);
  link.click();
}

/** An empty frame has a `fetch` that the page's service worker does not see. */
async function insideFrame(url: string): Promise<void> {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const inside = frame.contentWindow ?? frame.contentDocument?.defaultView;
  await inside?.fetch(url, { mode: 'no-cors' });
}

async function backgroundFetch(url: string): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  if (registration === undefined) return;
  await Reflect.get(registration, 'backgroundFetch')?.fetch(`${Math.random()}`, [url]);
}

async function peer(host: string): Promise<void> {
  const connection = new RTCPeerConnection({ iceServers: [{ urls: `stun:${host}` }] });
  connection.createDataChannel('outside');
  await connection.setLocalDescription(await connection.createOffer());
}
