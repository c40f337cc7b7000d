import { RecallError, type Recall, type RecallEncoder } from '../core/recall/recall-port.ts';
import { recallAnswerSchema, type RecallAnswer, type RecallOrder } from './recall-protocol.ts';

type Order = RecallOrder extends infer O ? (O extends RecallOrder ? Omit<O, 'id'> : never) : never;

/** Texts that word vectors are made of at a time: some milliseconds. */
const BATCH = 512;

/** The recall worker as the page sees it. `stop` ends it and what it holds. */
export interface RecallWorker extends Recall {
  /** Loads the word vectors that ship with the app; throws `RecallError` where they do not read. */
  loadWords(bytes: Uint8Array<ArrayBuffer>): Promise<RecallEncoder>;
  stop(): void;
}

/** Starts the worker. Where it fails, every order that waits fails with it, and it is not used again. */
export function startRecallWorker(): RecallWorker {
  const worker = new Worker(new URL('./recall-worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, PromiseWithResolvers<RecallAnswer>>();
  let lastId = 0;
  let stopped: RecallError | null = null;
  worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const answer = recallAnswerSchema.parse(data);
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  const stop = (message: string) => {
    stopped = new RecallError('stopped', message);
    worker.terminate();
    for (const { reject } of waiting.values()) reject(stopped);
    waiting.clear();
  };
  worker.addEventListener('error', ({ message }) => stop(`Recall stopped working: ${message}.`));

  async function ask<Type extends RecallAnswer['type']>(
    order: Order,
    type: Type,
    transfer: readonly ArrayBuffer[] = [],
  ) {
    if (stopped !== null) throw stopped;
    lastId += 1;
    const waited = Promise.withResolvers<RecallAnswer>();
    waiting.set(lastId, waited);
    worker.postMessage({ ...order, id: lastId }, { transfer: [...transfer] });
    const answer = await waited.promise;
    if (answer.type === 'failure') throw new RecallError(answer.code, answer.message);
    if (!isOf(answer, type)) throw new Error(`the recall worker answered ${answer.type}`);
    return answer;
  }

  return {
    async open(index, { settings, encoder }, stored) {
      const parts = stored === null ? null : new Map(stored);
      const { head, size, refusal } = await ask(
        { type: 'open', index, settings, encoder, stored: parts },
        'opened',
        [...new Set([...(parts?.values() ?? [])].map(({ buffer }) => buffer))],
      );
      return { head, size, refusal };
    },
    async apply(index, { head, changes }) {
      return (await ask({ type: 'apply', index, head, changes: [...changes] }, 'done')).size;
    },
    async query(index, query) {
      return (await ask({ type: 'query', index, query }, 'found')).candidates;
    },
    async store(index) {
      return (await ask({ type: 'store', index }, 'stored')).parts;
    },
    async close(index) {
      await ask({ type: 'close', index }, 'done');
    },
    async loadWords(bytes) {
      const { encoder } = await ask({ type: 'load-words', bytes }, 'words-loaded', [bytes.buffer]);
      return {
        id: encoder,
        batch: BATCH,
        encode: async (texts) =>
          (await ask({ type: 'encode', texts: [...texts] }, 'encoded')).vectors,
      };
    },
    stop: () => stop('Recall was stopped.'),
  };
}

function isOf<Type extends RecallAnswer['type']>(
  answer: RecallAnswer,
  type: Type,
): answer is Extract<RecallAnswer, { type: Type }> {
  return answer.type === type;
}
