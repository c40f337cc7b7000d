/** Runs one model in transformers.js off the page's thread; a failure ends what this worker is good for. */
import { EngineError } from '../core/models/engine.ts';
import { engineOrderSchema, type EngineAnswer, type EngineOrder } from './engine-protocol.ts';
import { TransformersEncoder } from './transformers-encoder.ts';

let encoder: TransformersEncoder | null = null;
/** Orders are carried out one after the other. */
let turn: Promise<void> = Promise.resolve();

function tell(answer: EngineAnswer, transfer: readonly ArrayBuffer[] = []): void {
  postMessage(answer, { transfer: [...transfer] });
}

async function carryOut(order: EngineOrder): Promise<void> {
  const { id } = order;
  tell({ type: 'working', id });
  if (order.type === 'load') {
    encoder = await TransformersEncoder.load(order.model);
    tell({ type: 'loaded', id });
    return;
  }
  if (encoder === null) throw new EngineError('failed', 'No model is loaded.');
  const vectors = await encoder.embed(order.texts, () => tell({ type: 'working', id }));
  tell({ type: 'embedded', id, vectors }, [vectors.buffer]);
}

function tellFailure({ id }: EngineOrder, error: unknown): void {
  if (
    error instanceof EngineError &&
    (error.code === 'missing-file' || error.code === 'not-loadable')
  ) {
    tell({ type: 'failure', id, code: error.code, message: error.message });
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  tell({ type: 'failure', id, code: 'failed', message });
}

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const order = engineOrderSchema.parse(data);
  turn = turn.then(() => carryOut(order)).catch((error: unknown) => tellFailure(order, error));
});
