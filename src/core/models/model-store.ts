import type { ModelEntry } from './model-entry.ts';

/** A file as it was brought in; the hash says which one it is. */
export interface HeldFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A model whose files are all on this device. */
export interface HeldModel<Entry extends ModelEntry = ModelEntry> {
  readonly entry: Entry;
  readonly files: readonly HeldFile[];
  readonly addedAt: string;
  /** When every byte was last read and hashed, ISO 8601; null: kept by an older Grove that did not note it. */
  readonly checkedAt: string | null;
}

/** What is wrong with a file: its size or its hash is another than when it came, or it is gone. */
export interface DamagedFile {
  readonly path: string;
  readonly why: 'size' | 'hash' | 'gone';
}

/** A model that was whole once; it is not used until it is repaired. */
export interface DamagedModel {
  readonly model: HeldModel;
  readonly damaged: readonly DamagedFile[];
}

/** A model of which some files, or parts of one, came. */
export interface PartialModel {
  readonly entry: ModelEntry;
  readonly from: 'download' | 'folder';
  /** Of all its files so far. */
  readonly bytes: number;
  /** Somebody brings it in right now, here or in another tab. */
  readonly isBusy: boolean;
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

/** How far work on a model's files is. */
export interface FileProgress {
  readonly path: string;
  /** Which file of how many, from 1. */
  readonly file: number;
  readonly files: number;
  /** Of all files together so far. */
  readonly bytes: number;
  /** Of them, those that came in this work and were not there before it. */
  readonly came: number;
  /** Of all files together, as far as it is known. */
  readonly of: number;
  /** Every file's size is known. */
  readonly isExact: boolean;
}

export interface FileWorkOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: FileProgress) => void;
}

/** A person's files by path, or the model's own source. */
export type ModelSources<File> = ReadonlyMap<string, File> | 'download';

/**
 * The models on this device; `File` is what the platform gives for a file. Whatever writes a model's
 * files is refused with `busy` while anybody else does, in this tab or another.
 */
export interface ModelStore<File> {
  /** Those that can be used, by id. Sizes are looked at, so that a file which was cut short shows. */
  list(): Promise<readonly HeldModel[]>;
  get(id: string): Promise<HeldModel | undefined>;
  damaged(): Promise<readonly DamagedModel[]>;
  partial(): Promise<readonly PartialModel[]>;
  /** Notes a model that is to be brought in, so that it is listed as partial from now on. */
  begin(entry: ModelEntry): Promise<void>;
  /**
   * Brings a model's files in and checks them. It goes on where an earlier try from the same source
   * stopped, if `resume` (the default for a download). One of the same id stays until the new is whole.
   *
   * @throws ModelFileError; the signal's reason.
   */
  add(
    entry: ModelEntry,
    sources: ModelSources<File>,
    options?: FileWorkOptions & { readonly resume?: boolean },
  ): Promise<HeldModel>;
  /**
   * Reads and hashes every byte of a model, and notes what is damaged.
   *
   * @throws ModelFileError; the signal's reason.
   */
  verify(id: string, options?: FileWorkOptions): Promise<readonly DamagedFile[]>;
  /**
   * Brings in the damaged files only, each as it was.
   *
   * @throws ModelFileError; the signal's reason.
   */
  repair(id: string, sources: ModelSources<File>, options?: FileWorkOptions): Promise<HeldModel>;
  /** Removes what came of a model that is not whole; one of the same id that is whole stays. */
  discard(id: string): Promise<void>;
  /** It is no longer a model; its files are there until `sweep`, and `putBack` makes it one again. */
  forget(id: string): Promise<void>;
  /** False where its files are gone already. */
  putBack(id: string): Promise<boolean>;
  /** Removes the files of a model that was forgotten, or of all, and what no model needs. */
  sweep(id?: string): Promise<void>;
  /** What the browser still gives, in bytes, about; null where it does not say. */
  freeBytes(): Promise<number | null>;
}
