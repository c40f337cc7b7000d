import type { RecallHead, StoredRecall } from './index/stored-form.ts';
import type {
  EncoderId,
  NodeChange,
  QuantisedVector,
  RecallCandidate,
  RecallQuery,
  RecallSettings,
} from './index/recall-types.ts';

/** How an index is made. Another encoder or other settings are another index. */
export interface RecallMaking {
  readonly settings: RecallSettings;
  /** null: words alone. */
  readonly encoder: EncoderId | null;
}

export interface OpenedRecall {
  /** Where in the log the index stands: feed it what came after. Null: it is empty, feed it everything. */
  readonly head: RecallHead | null;
  /** How many nodes it holds. */
  readonly size: number;
  /** Why the stored index was not used; null where it was, or where there was none. */
  readonly refusal: 'corrupt' | 'made-otherwise' | null;
}

/** Changes, and where in the log the index stands once they are taken in. */
export interface RecallBatch {
  readonly head: RecallHead;
  readonly changes: readonly NodeChange[];
}

/**
 * Exact recall over indexes that something else holds, each by a name the caller gives: a bank, or a bank
 * and an encoder while another one takes over. Every call throws `RecallError`.
 */
export interface Recall {
  /**
   * Starts an index, from stored bytes where they hold; replaces one of the same name. The bytes are taken
   * over, not copied: the caller's are empty afterwards.
   */
  open(name: string, making: RecallMaking, stored: StoredRecall | null): Promise<OpenedRecall>;
  /** Takes changes in, all or none; returns how many nodes there are. */
  apply(name: string, batch: RecallBatch): Promise<number>;
  /** Best first. */
  query(name: string, query: RecallQuery): Promise<readonly RecallCandidate[]>;
  /** The index as bytes, for `open`. */
  store(name: string): Promise<StoredRecall>;
  close(name: string): Promise<void>;
}

/** A frozen text encoder (EpiCon 4.3), wherever it runs. */
export interface RecallEncoder {
  readonly id: EncoderId;
  /** How many texts are encoded at a time: some milliseconds of work, or a second of a large model's. */
  readonly batch: number;
  /**
   * A vector a text, in order, of questions or of what they are to find: some encoders make the two
   * differently. Throws `RecallError`.
   */
  encode(texts: readonly string[], as: 'question' | 'passage'): Promise<readonly QuantisedVector[]>;
}

/** Why recall did not answer. */
export type RecallCode =
  /** No index of this name is open. */
  | 'not-open'
  /** A vector was made by another encoder than the index's, or has another dimension. */
  | 'other-encoder'
  /** Something went wrong inside: the index is closed, and is to be opened and fed again. */
  | 'broken'
  /** The encoder made no vectors: its model is gone, damaged or stopped. The index is as it was stored. */
  | 'encoder-failed'
  /** The worker is gone. */
  | 'stopped';

export class RecallError extends Error {
  override readonly name = 'RecallError';
  readonly code: RecallCode;

  constructor(code: RecallCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
