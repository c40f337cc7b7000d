import { EngineError, type LanguageEngine } from '../../../src/core/models/engine.ts';
import type { LanguageEntry } from '../../../src/core/models/model-entry.ts';
import { modelRack, type ModelRackPorts } from '../../../src/engine/model-rack.ts';

/** A language model that is nothing but its entry. */
export function entryOf(id: string, memoryBytes = 1): LanguageEntry {
  return {
    ...{ id, name: `Model ${id}`, source: null, approximateBytes: 1, licence: 'MIT', notes: '' },
    ...{ roles: ['text'], runtime: 'transformers', dtype: { wasm: 'fp32' }, requires: [] },
    ...{ memoryBytes, otherwise: null, files: [{ path: 'a', bytes: null, sha256: null }] },
    language: {
      ...{ architecture: 'causal', context: 64, promptBudget: 32 },
      ...{ images: null, library: null, selfTest: null },
    },
  };
}

/** An engine double: loads when it is let, and answers each call with its model's name. */
export class EngineDouble implements LanguageEngine {
  readonly loads: string[] = [];
  readonly unloads: string[] = [];
  /** Awaited in the middle of each load. */
  gate: () => Promise<void> = async () => undefined;
  /** Awaited before each reply. */
  reply: () => Promise<void> = async () => undefined;
  readonly #ending = new Map<string, (error: EngineError) => void>();

  /** Ends a loaded model by itself. */
  end(id: string, error: EngineError): void {
    this.#ending.get(id)?.(error);
  }

  async load(
    entry: LanguageEntry,
    { device, signal, onPhase }: Parameters<LanguageEngine['load']>[1],
  ) {
    const { id, name } = entry;
    onPhase?.('compiling');
    await this.gate();
    signal?.throwIfAborted();
    this.loads.push(id);
    const ending = Promise.withResolvers<EngineError>();
    this.#ending.set(id, ending.resolve);
    const engine = this;
    let ended: EngineError | null = null;
    void ending.promise.then((error) => (ended = error));
    return {
      device,
      async *generate() {
        if (ended !== null) throw ended;
        await Promise.race([engine.reply(), ending.promise.then((error) => Promise.reject(error))]);
        const counts = { promptTokens: 3, completionTokens: 2, prefillMs: 1, decodeMs: 1 };
        yield { type: 'text', text: name } as const;
        yield {
          type: 'finish',
          generated: { text: name, finishReason: 'stop', ...counts },
        } as const;
      },
      score: async () => new Float32Array(1),
      unload: () => {
        engine.unloads.push(id);
        ending.resolve(new EngineError('stopped', 'unloaded'));
      },
      ended: ending.promise,
    };
  }
}

/** A rack over an engine double. */
export function rackOver(
  engine: EngineDouble,
  entries: readonly LanguageEntry[],
  over: Partial<ModelRackPorts> = {},
) {
  let now = 0;
  return modelRack({
    entry: async (id) => entries.find((entry) => entry.id === id),
    engineFor: async () => engine,
    deviceFor: async () => 'wasm',
    check: async () => undefined,
    memoryBytes: 10,
    nowMs: () => (now += 1),
    ...over,
  });
}
