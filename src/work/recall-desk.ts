import type { Encoder } from '../core/recall/encoder/encoder.ts';
import { quantise } from '../core/recall/encoder/quantise.ts';
import { makeWordEncoder } from '../core/recall/encoder/word-encoder.ts';
import { RecallIndex } from '../core/recall/index/recall-index.ts';
import type { NodeChange, Tokenizer } from '../core/recall/index/recall-types.ts';
import { openRecall, storeRecall, type RecallHead } from '../core/recall/index/stored-form.ts';
import { unreachable } from '../core/result.ts';
import type { RecallAnswer, RecallOrder } from './recall-protocol.ts';
import { makeKernel } from './simd-kernel.ts';

interface Held {
  readonly index: RecallIndex;
  readonly head: RecallHead | null;
}

/** The open indexes, and what orders do to them. */
export class RecallDesk {
  readonly #tokenizer: Tokenizer;
  readonly #held = new Map<string, Held>();
  #encoder: Encoder | null = null;

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** Never throws: an index that something went wrong in is closed, and the answer says so. */
  carryOut(order: RecallOrder): RecallAnswer {
    try {
      return this.#carryOut(order);
    } catch (error) {
      if ('index' in order) this.#held.delete(order.index);
      const why = error instanceof Error ? error.message : String(error);
      return failure(order, 'broken', `Recall of this bank stopped working: ${why}.`);
    }
  }

  #carryOut(order: RecallOrder): RecallAnswer {
    if (order.type === 'load-words') return this.#loadWords(order);
    if (order.type === 'encode') return this.#encode(order);
    const { id, index: name } = order;
    if (order.type === 'open') return this.#open(order);
    if (order.type === 'close') {
      this.#held.delete(name);
      return { type: 'done', id, size: 0 };
    }
    const held = this.#held.get(name);
    if (held === undefined) return failure(order, 'not-open', 'This bank is not open for recall.');
    switch (order.type) {
      case 'apply':
        return this.#apply(order, held);
      case 'query': {
        const found = held.index.query(order.query);
        return found.ok
          ? { type: 'found', id, candidates: [...found.value] }
          : failure(order, found.refusal.reason, found.refusal.message);
      }
      case 'store': {
        const head = held.head ?? EMPTY_LOG;
        return { type: 'stored', id, parts: new Map(storeRecall(held.index, head)) };
      }
      default:
        return unreachable(order);
    }
  }

  #loadWords({ id, bytes }: OrderOf<'load-words'>): RecallAnswer {
    const made = makeWordEncoder(bytes);
    if (!made.ok) return failure({ id }, 'broken', made.refusal.message);
    this.#encoder = made.value;
    return { type: 'words-loaded', id, encoder: made.value.provenance };
  }

  #encode({ id, texts }: OrderOf<'encode'>): RecallAnswer {
    const encoder = this.#encoder;
    if (encoder === null) return failure({ id }, 'not-open', 'No encoder is loaded.');
    return { type: 'encoded', id, vectors: texts.map((text) => quantise(encoder.encode(text))) };
  }

  #open({ id, index: name, settings, encoder, stored }: OrderOf<'open'>): RecallAnswer {
    const options = { settings, encoder, tokenizer: this.#tokenizer, kernel: makeKernel() };
    const opened = stored === null ? null : openRecall(stored, options);
    if (opened?.ok === true) {
      const { index, head } = opened.value;
      this.#held.set(name, { index, head });
      return { type: 'opened', id, head, size: index.size, refusal: null };
    }
    this.#held.set(name, {
      index: new RecallIndex({ ...options, kernel: makeKernel() }),
      head: null,
    });
    const refusal = opened?.refusal.reason ?? null;
    return { type: 'opened', id, head: null, size: 0, refusal };
  }

  #apply(order: OrderOf<'apply'>, { index }: Held): RecallAnswer {
    const dimension = index.options.encoder?.dimension;
    const isForeign = (change: NodeChange) =>
      change.type === 'put' && change.vector !== null && change.vector.values.length !== dimension;
    if (order.changes.some(isForeign)) {
      return failure(order, 'other-encoder', 'A vector is of another dimension than this bank’s.');
    }
    for (const change of order.changes) index.apply(change);
    this.#held.set(order.index, { index, head: order.head });
    return { type: 'done', id: order.id, size: index.size };
  }
}

/** Before the first entry of any log. */
const EMPTY_LOG: RecallHead = { seq: 0, hash: '' };

type OrderOf<Type extends RecallOrder['type']> = Extract<RecallOrder, { type: Type }>;

function failure(
  { id }: Pick<RecallOrder, 'id'>,
  code: 'not-open' | 'other-encoder' | 'broken',
  message: string,
): RecallAnswer {
  return { type: 'failure', id, code, message };
}
