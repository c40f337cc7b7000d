/** Every way a page knows to reach another host, each resolving once the browser is done with it. */
export async function tryEveryWay(base: string): Promise<void> {
  const settled = await Promise.allSettled([
    fetch(`${base}/fetch`, { method: 'POST', body: 'secret' }),
    fetch(`${base}/no-cors`, { mode: 'no-cors', method: 'POST', body: 'secret' }),
    xhr(`${base}/xhr`),
    Promise.resolve(navigator.sendBeacon(`${base}/beacon`, 'secret')),
    element('img', { src: `${base}/image` }),
    element('script', { src: `${base}/script` }),
    element('link', { rel: 'stylesheet', href: `${base}/style` }),
    element('link', { rel: 'prefetch', href: `${base}/prefetch` }),
    element('iframe', { src: `${base}/frame` }),
    element('video', { src: `${base}/video` }),
    import(/* @vite-ignore */ `${base}/import`),
    socket(new WebSocket(`${base.replace('http', 'ws')}/socket`)),
    socket(new EventSource(`${base}/events`)),
    workerFetch(`${base}/worker`, 0),
    workerFetch(`${base}/nested-worker`, 1),
    cssImage(`${base}/css-url`),
    Promise.resolve(submitForm(`${base}/form`)),
  ]);
  // A violated policy rejects or fires an error; that is what is expected here.
  void settled;
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

function socket(source: WebSocket | EventSource): Promise<void> {
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

/** Into a frame of its own, so that the page stays. */
function submitForm(action: string): void {
  const frame = document.createElement('iframe');
  frame.name = 'sink';
  const form = document.createElement('form');
  Object.assign(form, { action, method: 'post', target: 'sink' });
  document.body.append(frame, form);
  form.submit();
}
