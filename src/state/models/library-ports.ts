import { StorageError } from '../../core/errors.ts';
import type { ModelEntry } from '../../core/models/model-entry.ts';
import type { ModelHub } from '../../core/models/model-hub.ts';
import { ModelFileError, type HeldModel, type ModelStore } from '../../core/models/model-store.ts';

export interface ModelLibraryPorts {
  readonly registry: readonly ModelEntry[];
  readonly models: ModelStore<Blob>;
  readonly hub: ModelHub;
  readonly settings: {
    readonly offline: boolean;
    /** Lets requests to a host out. */
    allow(origin: string): Promise<void>;
  };
  /** The encoder that recall uses, which is not removed under it; null: none of these. */
  encoderInUse(): Promise<string | null>;
  /** Throws away what was made by a model whose files are gone for good. */
  removed(model: HeldModel): Promise<void>;
  /** When files of a removed model may go: once nobody can put it back. */
  nextSweep(): Promise<void>;
  /** Monotonic milliseconds. */
  nowMs(): number;
}

/** What an expected failure is told as; throws what is not expected. */
export function sentenceOf(error: unknown): string {
  const isExpected =
    error instanceof ModelFileError ||
    error instanceof StorageError ||
    error instanceof DOMException;
  if (!isExpected) throw error;
  return error.message;
}
