import type { Device, EncoderEntry, EncoderFacts, LanguageEntry } from './model-entry.ts';

/** Why a model does not answer. */
export type EngineCode =
  /** A file it needs is not on this device. */
  | 'missing-file'
  /** The runtime does not take its files: damaged, or of a form it does not know. */
  | 'not-loadable'
  /** No GPU can be used here, and it has no weights for the processor. */
  | 'no-gpu'
  /** The GPU lacks what its weights need. */
  | 'no-feature'
  /** The GPU or this device has no more memory for it. */
  | 'no-memory'
  /** The GPU was taken away while it worked. */
  | 'device-lost'
  /** Prompt, images and reply are more than it takes. */
  | 'prompt-too-long'
  /** What was asked cannot be asked of it: an image of a model without eyes, a schema it does not know. */
  | 'not-askable'
  /** Another tab loads it right now. */
  | 'busy'
  /** It computes wrongly on this device. */
  | 'wrong-answer'
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
  loadEncoder(model: EncoderEntry): Promise<LoadedEncoder>;
}

/** A part of a message to a model on this device: text, or an image's bytes (PNG, JPEG or WebP). */
export type EnginePart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly mediaType: string;
    };

export interface EngineMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly EnginePart[];
}

export interface GenerateRequest {
  readonly messages: readonly EngineMessage[];
  /** JSON Schema: the reply is a value of it, and nothing else can be decoded. null: free text. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly maxNewTokens: number;
  /** 0 takes the likeliest token each time. */
  readonly temperature: number;
}

/** A whole reply, and what it took. Counts are the model's own tokens, those of images included. */
export interface Generated {
  readonly text: string;
  readonly finishReason: 'stop' | 'length';
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Until the first token, and from there on. */
  readonly prefillMs: number;
  readonly decodeMs: number;
}

/** Pieces of a reply, then exactly one `finish`. */
export type GenerateEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'finish'; readonly generated: Generated };

/** A language model that is loaded. Calls are answered in turn. */
export interface LoadedModel {
  readonly device: Device;
  /**
   * Decoding waits while what was streamed is not taken. Throws `EngineError`; after an abort
   * `stopped`, at once. Codes other than `prompt-too-long`, `not-askable` and `stopped` end the model.
   */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateEvent>;
  /**
   * Logits of the first token of a reply, one for each token of the vocabulary. Throws `EngineError`:
   * `not-askable` where the runtime does not say them.
   */
  score(messages: readonly EngineMessage[]): Promise<Float32Array>;
  /** Ends it and frees what it holds. */
  unload(): void;
  /** Resolves with why it is not usable any more. */
  readonly ended: Promise<EngineError>;
}

/** What a load is at. `reading`: files from the disk; `warming`: a first token is made. */
export type LoadPhase = 'reading' | 'compiling' | 'warming';

export interface LoadOptions {
  readonly device: Device;
  readonly signal?: AbortSignal;
  readonly onPhase?: (phase: LoadPhase) => void;
  /** How much has been downloaded, from 0 to 1, where loading begins with a download: the browser's own. */
  readonly onDownload?: (fraction: number) => void;
}

/** Loads language models that lie on this device. */
export interface LanguageEngine {
  /** Throws `EngineError`; the signal's reason. */
  load(model: LanguageEntry, options: LoadOptions): Promise<LoadedModel>;
}
