import type { EngineCode, LoadedModel, LoadPhase } from './engine.ts';
import type { Device } from './model-entry.ts';

/** What a model on this device is doing. */
export type RackState =
  | {
      readonly type: 'loading';
      readonly phase: LoadPhase | 'checking' | 'waiting';
      /** From 0 to 1: the browser downloads its own model. */
      readonly downloaded?: number;
    }
  | {
      readonly type: 'ready';
      readonly device: Device;
      /** Calls that run or wait. */
      readonly calls: number;
      /** Monotonic milliseconds at which it last began or ended a call. */
      readonly usedAtMs: number;
    }
  | { readonly type: 'failed'; readonly code: EngineCode; readonly message: string };

/**
 * The models that are loaded: loaded when they are first needed, one at a time over all tabs, and unloaded
 * where another needs the room. A model whose state is not listed is not loaded.
 */
export interface ModelRack {
  readonly states: ReadonlyMap<string, RackState>;
  /** Tells of every change; returns how to end that. */
  watch(tell: (states: ReadonlyMap<string, RackState>) => void): () => void;
  /** A model that is loaded; loads it first where it is not. Throws `EngineError`; the signal's reason. */
  load(id: string, signal?: AbortSignal): Promise<LoadedModel>;
  /** Ends a model; what is asked of it fails as `stopped`. Nothing where it is not loaded. */
  unload(id: string): void;
}
