import { EngineError, type EncoderEngine, type LoadedEncoder } from '../core/models/engine.ts';
import type { ModelEntry } from '../core/models/model-entry.ts';
import { engineAnswerSchema, type EngineAnswer, type EngineOrder } from './engine-protocol.ts';

/** How long a worker may be without a sign of life while something is asked of it, in milliseconds. */
const SILENT_MS = 120_000;

type Order = EngineOrder extends infer O ? (O extends EngineOrder ? Omit<O, 'id'> : never) : never;

/** Encoders in transformers.js, each in a worker of its own, which ends where anything fails in it. */
export function transformersEngine({ silentMs = SILENT_MS } = {}): EncoderEngine {
  return {
    async loadEncoder(model) {
      const worker = new EngineWorker(model, silentMs);
      await worker.ask({ type: 'load', model }, 'loaded');
      const { dimension } = model.encoder;
      return {
        facts: model.encoder,
        async embed(texts) {
          if (texts.length === 0) return [];
          const { vectors } = await worker.ask({ type: 'embed', texts: [...texts] }, 'embedded');
          return texts.map((_, at) => vectors.subarray(at * dimension, (at + 1) * dimension));
        },
        unload: () => worker.stop(new EngineError('stopped', `${model.name} was unloaded.`)),
      } satisfies LoadedEncoder;
    },
  };
}

/** The page's end of one worker: orders, their answers, and a watch over its silence. */
class EngineWorker {
  readonly #worker: Worker;
  readonly #name: string;
  readonly #silentMs: number;
  readonly #waiting = new Map<number, PromiseWithResolvers<EngineAnswer>>();
  #lastId = 0;
  #stopped: EngineError | null = null;
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor({ name }: ModelEntry, silentMs: number) {
    this.#name = name;
    this.#silentMs = silentMs;
    this.#worker = new Worker(new URL('./transformers-worker.ts', import.meta.url), {
      type: 'module',
    });
    this.#worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      this.#take(engineAnswerSchema.parse(data));
    });
    this.#worker.addEventListener('error', ({ message }) => {
      const why = message === '' ? 'its worker could not be started' : message;
      this.stop(new EngineError('failed', `${name} stopped working: ${why}.`));
    });
  }

  async ask<Type extends EngineAnswer['type']>(
    order: Order,
    type: Type,
  ): Promise<Extract<EngineAnswer, { type: Type }>> {
    if (this.#stopped !== null) throw this.#stopped;
    this.#lastId += 1;
    const waited = Promise.withResolvers<EngineAnswer>();
    this.#waiting.set(this.#lastId, waited);
    this.#worker.postMessage({ ...order, id: this.#lastId });
    this.#listen();
    const answer = await waited.promise;
    if (isOf(answer, type)) return answer;
    throw new Error(`the engine answered ${answer.type}`);
  }

  /** Ends the worker; whatever is asked of it fails with this. */
  stop(error: EngineError): void {
    this.#stopped ??= error;
    this.#worker.terminate();
    clearTimeout(this.#watch);
    for (const { reject } of this.#waiting.values()) reject(this.#stopped);
    this.#waiting.clear();
  }

  #take(answer: EngineAnswer): void {
    this.#listen();
    if (answer.type === 'working') return;
    if (answer.type === 'failure') {
      // Whatever fails in transformers.js spoils all that comes after it in the same realm.
      const said = answer.code === 'failed' ? `${this.#name} stopped working: ` : '';
      this.stop(new EngineError(answer.code, `${said}${answer.message}`));
      return;
    }
    this.#waiting.get(answer.id)?.resolve(answer);
    this.#waiting.delete(answer.id);
  }

  /** Begins to wait for the next sign of life. */
  #listen(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      if (this.#waiting.size === 0) return;
      const seconds = Math.round(this.#silentMs / 1000);
      this.stop(
        new EngineError(
          'silent',
          `${this.#name} gave no sign of life for ${seconds} seconds, so it was ended. Try again; on a slow device take a smaller model.`,
        ),
      );
    }, this.#silentMs);
  }
}

function isOf<Type extends EngineAnswer['type']>(
  answer: EngineAnswer,
  type: Type,
): answer is Extract<EngineAnswer, { type: Type }> {
  return answer.type === type;
}
