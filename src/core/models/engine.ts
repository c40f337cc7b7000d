import type { EncoderFacts, ModelEntry } from './model-entry.ts';

/** Why a model does not answer. */
export type EngineCode =
  /** A file it needs is not on this device. */
  | 'missing-file'
  /** The runtime does not take its files: damaged, or of a form it does not know. */
  | 'not-loadable'
  /** It was stopped, by a person or with its page. */
  | 'stopped'
  /** Its worker gave no sign of life for too long. */
  | 'silent'
  /** It broke off while it worked. */
  | 'failed';

/** A failure inside an engine; `message` says what to do. The engine can be started again. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineCode;

  constructor(code: EngineCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** An encoder that is loaded. Calls are answered in turn; each throws `EngineError`. */
export interface LoadedEncoder {
  readonly facts: EncoderFacts;
  /** A vector of length 1 a text, in order; zeros for a text without a token of its own. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
  /** Ends it and frees what it holds. */
  unload(): void;
}

/** Loads text encoders that lie on this device. */
export interface EncoderEngine {
  /** Throws `EngineError` (`missing-file`, `not-loadable`, `silent`). */
  loadEncoder(model: ModelEntry): Promise<LoadedEncoder>;
}
