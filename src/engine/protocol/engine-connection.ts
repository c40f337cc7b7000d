import {
  EngineError,
  type EngineMessage,
  type GenerateEvent,
  type GenerateRequest,
} from '../../core/models/engine.ts';
import { AsyncQueue } from './async-queue.ts';
import {
  engineAnswerSchema,
  leavesUsable,
  PIECES_AHEAD,
  type EngineAnswer,
  type EngineOrder,
} from './engine-protocol.ts';

/** How long a worker may be without a sign of life while something is asked of it, in milliseconds. */
export const SILENT_MS = 120_000;

/** The page's side of a worker or a port. */
export interface EngineEnd {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listen: (event: MessageEvent<unknown>) => void): void;
  /** Ends what is on the other side. */
  close(): void;
}

export interface ConnectionOptions {
  /** As messages name the model. */
  readonly name: string;
  readonly silentMs?: number;
}

type Order = EngineOrder extends infer O ? (O extends EngineOrder ? Omit<O, 'id'> : never) : never;
type Waiting = AsyncQueue<EngineAnswer>;

/**
 * The page's end of one worker: orders, their answers, and a watch over its silence. Whatever fails in a
 * runtime may spoil all that comes after it in the same realm, so a failure ends the connection.
 */
export class EngineConnection {
  /** Resolves with why it can no longer be asked. */
  readonly ended: Promise<EngineError>;

  readonly #end: EngineEnd;
  readonly #name: string;
  readonly #silentMs: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ending = Promise.withResolvers<EngineError>();
  #lastId = 0;
  #stopped: EngineError | null = null;
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor(end: EngineEnd, { name, silentMs = SILENT_MS }: ConnectionOptions) {
    this.#end = end;
    this.#name = name;
    this.#silentMs = silentMs;
    this.ended = this.#ending.promise;
    end.addEventListener('message', ({ data }) => this.#take(engineAnswerSchema.parse(data)));
  }

  /** Asks, and waits for the answer that ends the order. Throws `EngineError`. */
  async ask<Type extends EngineAnswer['type']>(
    order: Order,
    type: Type,
    hear?: (answer: EngineAnswer) => void,
  ): Promise<Extract<EngineAnswer, { type: Type }>> {
    const { answers, id } = this.#send(order);
    try {
      for await (const answer of answers) {
        if (isOf(answer, type)) return answer;
        hear?.(answer);
      }
    } finally {
      this.#waiting.delete(id);
    }
    throw new Error(`the engine ended ${order.type} without ${type}`);
  }

  /** Streams a reply. Throws `EngineError`: `stopped` as soon as the signal fires. */
  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateEvent> {
    if (signal.aborted) throw stopped(this.#name);
    const { answers, id } = this.#send({ type: 'generate', request: plain(request) });
    const abort = () => {
      this.#end.postMessage({ type: 'abort', id });
      answers.fail(stopped(this.#name));
    };
    signal.addEventListener('abort', abort, { once: true });
    let [whole, taken] = [false, 0];
    try {
      for await (const answer of answers) {
        if (answer.type === 'text') {
          yield { type: 'text', text: answer.text };
          taken += 1;
          if (taken < PIECES_AHEAD / 2) continue;
          this.#end.postMessage({ type: 'pull', id, pieces: taken });
          taken = 0;
        }
        if (answer.type !== 'generated') continue;
        whole = true;
        yield { type: 'finish', generated: answer.generated };
        return;
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#waiting.delete(id);
      // Whoever listened went away: nobody wants the rest.
      if (!whole && !signal.aborted) this.#end.postMessage({ type: 'abort', id });
    }
  }

  /** Logits of the first token of a reply. Throws `EngineError`. */
  async score(messages: readonly EngineMessage[]): Promise<Float32Array> {
    const order = { type: 'score', messages: plainMessages(messages) } as const;
    return (await this.ask(order, 'scored')).logits;
  }

  /** Ends the worker; whatever is asked of it fails with this. */
  stop(error: EngineError): void {
    if (this.#stopped !== null) return;
    this.#stopped = error;
    this.#end.close();
    clearTimeout(this.#watch);
    for (const answers of this.#waiting.values()) answers.fail(error);
    this.#waiting.clear();
    this.#ending.resolve(error);
  }

  #send(order: Order): { readonly answers: Waiting; readonly id: number } {
    if (this.#stopped !== null) throw this.#stopped;
    this.#lastId += 1;
    const id = this.#lastId;
    const answers: Waiting = new AsyncQueue();
    this.#waiting.set(id, answers);
    this.#end.postMessage({ ...order, id });
    this.#listen();
    return { answers, id };
  }

  #take(answer: EngineAnswer): void {
    if (answer.type === 'lost') {
      this.stop(
        new EngineError(
          'device-lost',
          `The GPU was taken away from ${this.#name}: ${answer.message}`,
        ),
      );
      return;
    }
    this.#listen();
    if (answer.type === 'working') return;
    if (answer.type !== 'failure') {
      this.#waiting.get(answer.id)?.push(answer);
      return;
    }
    const said = answer.code === 'failed' ? `${this.#name} stopped working: ` : '';
    const error = new EngineError(answer.code, `${said}${answer.message}`);
    if (leavesUsable(answer.code)) this.#waiting.get(answer.id)?.fail(error);
    else this.stop(error);
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

function stopped(name: string): EngineError {
  return new EngineError('stopped', `${name} was stopped.`);
}

/** Structured clone takes readonly arrays as they are; the schema wants them to be mutable. */
function plain({ messages, schema, ...rest }: GenerateRequest) {
  return {
    ...rest,
    schema: schema === null ? null : { ...schema },
    messages: plainMessages(messages),
  };
}

function plainMessages(messages: readonly EngineMessage[]) {
  return messages.map(({ role, parts }) => ({ role, parts: [...parts] }));
}

function isOf<Type extends EngineAnswer['type']>(
  answer: EngineAnswer,
  type: Type,
): answer is Extract<EngineAnswer, { type: Type }> {
  return answer.type === type;
}
