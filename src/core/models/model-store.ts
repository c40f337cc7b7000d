import type { ModelEntry } from './model-entry.ts';

/** A model whose files are all on this device. */
export interface HeldModel {
  readonly entry: ModelEntry;
  /** As they were brought in; the hashes say which model it is. */
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  readonly addedAt: string;
}

export type ModelFileCode =
  /** A file that the model needs was not given. */
  | 'missing'
  /** The size or hash is not the one the registry knows. */
  | 'not-the-file'
  | 'no-room'
  | 'not-reached'
  | 'refused'
  /** Another tab brings it in. */
  | 'busy'
  | 'failed';

/** Why files did not come; `message` says what to do. What came is kept for another try. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';
  readonly code: ModelFileCode;

  constructor(code: ModelFileCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

export interface AddModelOptions {
  readonly signal?: AbortSignal;
  /** Bytes of all files together so far, and the file that is coming. */
  readonly onProgress?: (progress: { readonly path: string; readonly bytes: number }) => void;
}

/** The models on this device; `File` is what the platform gives for a file. */
export interface ModelStore<File> {
  /** By id. */
  list(): Promise<readonly HeldModel[]>;
  get(id: string): Promise<HeldModel | undefined>;
  /**
   * Brings a model's files in, from a person's files by path or from its source, and checks them. A
   * download goes on where an earlier one stopped.
   *
   * @throws ModelFileError; the signal's reason.
   */
  add(
    entry: ModelEntry,
    sources: ReadonlyMap<string, File> | 'download',
    options?: AddModelOptions,
  ): Promise<HeldModel>;
  /** It is no longer a model; its files are there until `sweep`, and `putBack` makes it one again. */
  forget(id: string): Promise<void>;
  putBack(held: HeldModel): Promise<void>;
  /** Removes the files of models that were forgotten. */
  sweep(): Promise<void>;
}
