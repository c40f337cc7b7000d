import type { BrowserContext, Page, Worker as PageWorker } from 'playwright';
import { seededRandom } from '../../../src/core/metro/random.ts';

/** How many crashes a test makes of a kind: `GROVE_CRASHES` of them, else `usual`. */
export function crashCount(usual: number): number {
  return Number(process.env['GROVE_CRASHES'] ?? usual);
}

/** `count` of the calls 1 to `made`, no call twice, drawn with a seed; all of them where they are fewer. */
export function drawCalls(
  seed: number,
  { count, made }: { readonly count: number; readonly made: number },
): readonly number[] {
  const calls = Array.from({ length: made }, (_, index) => index + 1);
  return seededRandom(seed).shuffle(calls).slice(0, count);
}

/** A page whose storage calls are counted, its workers' too. */
export interface CountedPage {
  readonly page: Page;
  /** Writing calls to object stores since the page was opened or the count last began. */
  made(): Promise<number>;
  /** Counts from nothing again; after `crashAfter` more calls the renderer is crashed. */
  count(crashAfter: number): Promise<void>;
}

/** What a page is told to count, and where it tells. */
export interface Watch {
  /** After this many writing calls to object stores the page does nothing more, and crashes. */
  readonly crashAfter?: number;
  /** Model calls whose transaction completed, by id, in order. */
  readonly completed?: string[];
}

/** What the counting code is handed where it runs. */
interface Counting {
  readonly made: number;
  /** null for never. */
  readonly crashAfter: number | null;
  readonly inWorker: boolean;
}

const orNull = (crashAfter: number) => (Number.isFinite(crashAfter) ? crashAfter : null);

/**
 * Opens a page of the app, watched: its storage calls are counted, and its model calls reported as they
 * are stored. A worker is counted from its first call: what the page asks of it is held back until then.
 */
export async function openCounted(
  context: BrowserContext,
  url: string,
  { crashAfter = Infinity, completed = [] }: Watch = {},
): Promise<CountedPage> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let limit = orNull(crashAfter);
  // Neither waits for an answer: the renderer that would get it may be gone.
  await session.send('Runtime.enable');
  for (const name of ['reportCall', 'reportLast']) {
    await session.send('Runtime.addBinding', { name });
  }
  session.on('Runtime.bindingCalled', ({ name, payload }) => {
    if (name === 'reportCall') completed.push(payload);
    else void session.send('Page.crash').catch(() => undefined);
  });
  const made = () => page.evaluate(() => Number(Reflect.get(globalThis, 'storageCalls').made));
  const countWorker = async (worker: PageWorker) => {
    await worker.evaluate(countCalls, { made: await made(), crashAfter: limit, inWorker: true });
  };
  // A worker, or the page, may be gone before it is counted.
  page.on('worker', (worker) => void countWorker(worker).catch(() => undefined));
  await page.addInitScript(countCalls, { made: 0, crashAfter: limit, inWorker: false });
  await page.goto(url);
  return {
    page,
    made,
    async count(next) {
      limit = orNull(next);
      await page.evaluate((last) => {
        Object.assign(Reflect.get(globalThis, 'storageCalls'), { made: 0, crashAfter: last });
      }, limit);
    },
  };
}

/**
 * Does something that a crash is to come in. It fails when the page goes; any other failure is what is
 * told where no crash comes.
 */
export async function crashDuring(page: Page, work: () => Promise<void>): Promise<void> {
  let failure: unknown;
  const crash = page.waitForEvent('crash', { timeout: 30_000 });
  work().catch((error: unknown) => (failure = error));
  await crash.catch((cause: unknown) => {
    throw new Error(`no crash came: ${String(failure ?? 'the work went on to its end')}`, {
      cause,
    });
  });
}

/** Runs in the page before its first line, and in each of its workers before it is asked anything. */
function countCalls(counting: Counting): void {
  const { inWorker } = counting;
  const calls = { made: counting.made, crashAfter: counting.crashAfter };
  Object.assign(globalThis, { storageCalls: calls });
  const tell = (type: string, payload = '') => {
    if (!inWorker) Reflect.get(globalThis, type)(payload);
    // A worker tells the page, which tells the test.
    else Reflect.get(globalThis, 'postMessage')({ storageCalls: type, payload });
  };
  const hold = () => {
    // Nothing else runs on this thread until the crash.
    for (const end = Date.now() + 30_000; Date.now() < end;);
  };
  for (const name of ['put', 'add', 'delete', 'clear'] as const) {
    const original = IDBObjectStore.prototype[name];
    Object.assign(IDBObjectStore.prototype, {
      [name](this: IDBObjectStore, ...given: unknown[]) {
        calls.made += 1;
        const request: IDBRequest = Reflect.apply(original, this, given);
        if (inWorker) tell('made');
        if (this.name === 'calls') {
          this.transaction.addEventListener('complete', () =>
            tell('reportCall', String(request.result)),
          );
        }
        if (calls.made === calls.crashAfter) {
          tell('reportLast');
          hold();
        }
        return request;
      },
    });
  }
  if (inWorker) {
    tell('counted');
    return;
  }
  const construct = (Original: typeof Worker, given: ConstructorParameters<typeof Worker>) => {
    const worker = new Original(...given);
    const counted = Promise.withResolvers<void>();
    const post = worker.postMessage.bind(worker);
    Object.assign(worker, {
      postMessage: (...message: Parameters<typeof post>) =>
        void counted.promise.then(() => post(...message)),
    });
    worker.addEventListener('message', (event: MessageEvent<unknown>) => {
      const { data } = event;
      if (typeof data !== 'object' || data === null || !('storageCalls' in data)) return;
      event.stopImmediatePropagation();
      if (data.storageCalls === 'counted') counted.resolve();
      else if (data.storageCalls === 'made') calls.made += 1;
      else {
        tell(String(data.storageCalls), String(Reflect.get(data, 'payload')));
        if (data.storageCalls === 'reportLast') hold();
      }
    });
    return worker;
  };
  Object.assign(globalThis, { Worker: new Proxy(Worker, { construct }) });
}
