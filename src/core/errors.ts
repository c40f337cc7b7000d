/** Why a model call failed. Each has its own sentence for people; code branches on the code only. */
export type ModelCallCode =
  | 'aborted'
  | 'blocked-by-gate'
  | 'offline'
  | 'server-unreachable'
  | 'cors-refused'
  | 'wrong-key'
  | 'unknown-model'
  | 'no-image-support'
  | 'context-overflow'
  | 'rate-limited'
  | 'server-error'
  | 'truncated-stream'
  | 'not-json'
  | 'bad-request'
  | 'empty-reply'
  | 'model-failed';

/** A model call that did not complete. `message` is a plain sentence; `hint` says what to do next. */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';
  readonly code: ModelCallCode;
  readonly hint: string | undefined;
  readonly status: number | undefined;

  constructor(
    code: ModelCallCode,
    message: string,
    options: { cause?: unknown; hint?: string; status?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.status = options.status;
  }
}

/** Why storage refused or failed. */
export type StorageCode =
  'quota-exceeded' | 'head-moved' | 'not-found' | 'corrupt' | 'newer-version' | 'closed' | 'failed';

/** A storage call that did not take place. What was stored before it is untouched. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageCode;

  constructor(code: StorageCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** Why a picture or document could not be used. */
export type MediaCode =
  | 'empty-file'
  | 'unknown-format'
  | 'corrupt'
  | 'too-many-pixels'
  | 'too-large'
  | 'encrypted'
  | 'no-pages';

/** A file that is not usable as an image; `message` names the file and the cause. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly code: MediaCode;

  constructor(code: MediaCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
