import { EngineError } from '../../core/models/engine.ts';
import type {
  EngineMessage,
  Generated,
  GenerateRequest,
  LoadPhase,
} from '../../core/models/engine.ts';
import type { Device, ModelEntry } from '../../core/models/model-entry.ts';
import {
  engineCodeSchema,
  engineOrderSchema,
  PIECES_AHEAD,
  type EngineAnswer,
  type EngineOrder,
} from './engine-protocol.ts';

/** How often a worker that is at work says so, where its thread lets it, in milliseconds. */
const HEARTBEAT_MS = 2000;

/** Where orders come from and answers go to: a worker's own scope, or a port. */
export interface EnginePort {
  postMessage(message: unknown, options: { readonly transfer: Transferable[] }): void;
  addEventListener(type: 'message', listen: (event: MessageEvent<unknown>) => void): void;
}

/** What a generation is given besides its request. */
export interface GenerateMeans {
  readonly signal: AbortSignal;
  /** Sends a piece of the reply, and waits while too many are not taken. */
  push(text: string): Promise<void>;
}

/** One runtime inside a worker. Every call may throw `EngineError`; anything else is a failure of it. */
export interface EngineRuntime {
  load(
    model: ModelEntry,
    device: Device,
    means: { tell(phase: LoadPhase): void; lost(message: string): void },
  ): Promise<void>;
  embed(texts: readonly string[], tell: () => void): Promise<Float32Array<ArrayBuffer>>;
  generate(request: GenerateRequest, means: GenerateMeans): Promise<Generated>;
  /** Logits of the first token of a reply; `not-askable` where the runtime does not say them. */
  score(messages: readonly EngineMessage[]): Promise<Float32Array<ArrayBuffer>>;
}

/** Serves a runtime's orders from a port, one after the other; `pull` and `abort` are heard meanwhile. */
export function serveEngine(port: EnginePort, runtime: EngineRuntime): void {
  const waiting = new Map<number, Streaming>();
  let turn: Promise<void> = Promise.resolve();

  function tell(answer: EngineAnswer, transfer: Transferable[] = []): void {
    port.postMessage(answer, { transfer });
  }

  async function carryOut(order: WorkOrder): Promise<void> {
    const { id } = order;
    const beat = setInterval(() => tell({ type: 'working', id }), HEARTBEAT_MS);
    tell({ type: 'working', id });
    try {
      await answer(order);
    } catch (error) {
      tell({ type: 'failure', id, ...failureOf(error) });
    } finally {
      clearInterval(beat);
      waiting.delete(id);
    }
  }

  async function answer(order: WorkOrder): Promise<void> {
    const { id } = order;
    switch (order.type) {
      case 'load':
        await runtime.load(order.model, order.device, {
          tell: (phase) => tell({ type: 'phase', id, phase }),
          lost: (message) => tell({ type: 'lost', message }),
        });
        tell({ type: 'loaded', id });
        return;
      case 'embed': {
        const vectors = await runtime.embed(order.texts, () => tell({ type: 'working', id }));
        tell({ type: 'embedded', id, vectors }, [vectors.buffer]);
        return;
      }
      case 'score': {
        const logits = await runtime.score(order.messages);
        tell({ type: 'scored', id, logits }, [logits.buffer]);
        return;
      }
      case 'generate': {
        const streaming = waiting.get(id) ?? new Streaming();
        const generated = await runtime.generate(order.request, {
          signal: streaming.signal,
          async push(text) {
            await streaming.room();
            tell({ type: 'text', id, text });
          },
        });
        tell({ type: 'generated', id, generated });
      }
    }
  }

  port.addEventListener('message', ({ data }) => {
    const order = engineOrderSchema.parse(data);
    if (order.type === 'pull') waiting.get(order.id)?.add(order.pieces);
    else if (order.type === 'abort') waiting.get(order.id)?.abort();
    else {
      if (order.type === 'generate') waiting.set(order.id, new Streaming());
      turn = turn.then(() => carryOut(order));
    }
  });
}

type WorkOrder = Exclude<EngineOrder, { type: 'pull' | 'abort' }>;

/** The pieces that a generation may still send, and whether it is to end. */
class Streaming {
  readonly #ending = new AbortController();
  #room = PIECES_AHEAD;
  #waits: (() => void) | null = null;

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  add(pieces: number): void {
    this.#room += pieces;
    this.#waits?.();
  }

  abort(): void {
    this.#ending.abort(new EngineError('stopped', 'It was stopped.'));
    this.#waits?.();
  }

  /** Takes one place; waits for it where there is none. Throws the abort's reason. */
  async room(): Promise<void> {
    while (this.#room === 0 && !this.signal.aborted) {
      await new Promise<void>((resolve) => (this.#waits = resolve));
    }
    this.signal.throwIfAborted();
    this.#room -= 1;
  }
}

function failureOf(
  error: unknown,
): Pick<Extract<EngineAnswer, { type: 'failure' }>, 'code' | 'message'> {
  if (!(error instanceof EngineError)) {
    return { code: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
  const code = engineCodeSchema.safeParse(error.code);
  return { code: code.data ?? 'failed', message: error.message };
}
