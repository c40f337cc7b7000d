import type { ModelRequest } from '../core/call.ts';
import { ModelCallError } from '../core/errors.ts';
import { metroAnswerSchema, type MetroAnswer, type MetroOrder } from './metro-protocol.ts';

/** The metro worker as the page sees it. */
export interface MetroWorker {
  /** A question of the sample as a task, its known answer, and the PNG of its map. */
  question(questionId: string): Promise<Extract<MetroAnswer, { type: 'question' }>>;
  /** The simulated solver's whole reply. Throws `ModelCallError`, `aborted` once the signal fires. */
  reply(request: ModelRequest, signal: AbortSignal): Promise<string>;
}

type Order = MetroOrder extends infer O ? (O extends MetroOrder ? Omit<O, 'id'> : never) : never;

/** Starts the worker. Where it fails, every order that waits fails with it, and it is not used again. */
export function startMetroWorker(): MetroWorker {
  const worker = new Worker(new URL('./metro-worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, PromiseWithResolvers<MetroAnswer>>();
  let lastId = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const answer = metroAnswerSchema.parse(data);
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  worker.addEventListener('error', (event) => {
    const message = `The simulated solver stopped working: ${event.message}.`;
    for (const { reject } of waiting.values()) {
      reject(new ModelCallError('model-failed', message, { hint: 'Reload the page.' }));
    }
    waiting.clear();
  });

  async function ask(order: Order): Promise<MetroAnswer> {
    lastId += 1;
    const answer = Promise.withResolvers<MetroAnswer>();
    waiting.set(lastId, answer);
    worker.postMessage({ ...order, id: lastId });
    return answer.promise;
  }

  return {
    async question(questionId) {
      const answer = await ask({ type: 'question', questionId });
      if (answer.type !== 'question') throw new Error(`the metro worker answered ${answer.type}`);
      return answer;
    },
    async reply(request, signal) {
      if (signal.aborted) throw new ModelCallError('aborted', 'The call was stopped.');
      const answer = await ask({ type: 'reply', request });
      if (answer.type === 'reply') return answer.text;
      if (answer.type === 'question') throw new Error('the metro worker answered with a task');
      const { message, hint } = answer;
      throw new ModelCallError('model-failed', message, hint === undefined ? {} : { hint });
    },
  };
}
