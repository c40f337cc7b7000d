/** The part of the composition root that runs models on this device, loaded with the first call to one. */
import { memoryForModels } from './core/models/device-facts.ts';
import type { LanguageEngine } from './core/models/engine.ts';
import { isLanguageEntry, type LanguageEntry } from './core/models/model-entry.ts';
import type { ModelRack } from './core/models/model-rack.ts';
import type { ModelStore } from './core/models/model-store.ts';
import { checkByQuestion } from './core/models/self-test.ts';
import type { Backbone, BlobStore } from './core/ports.ts';
import { engineBackbone } from './engine/engine-backbone.ts';
import { deviceFor } from './engine/gpu.ts';
import { modelRack } from './engine/model-rack.ts';

/** The rack, and backbones over it. */
export interface ModelParts {
  readonly rack: ModelRack;
  /** The language model of that id as it lies here; undefined where it does not. */
  entry(id: string): Promise<LanguageEntry | undefined>;
  backboneOf(entry: LanguageEntry): Backbone;
}

export interface ModelPartsPorts {
  readonly store: Pick<ModelStore<Blob>, 'get'>;
  readonly blobs: BlobStore;
  /** The browser's own model, where it has one. */
  own(): LanguageEntry | null;
}

export function openModels({ store, blobs, own }: ModelPartsPorts): ModelParts {
  const entry = async (id: string) => {
    const held = (await store.get(id))?.entry;
    if (held !== undefined) return isLanguageEntry(held) ? held : undefined;
    const browsers = own();
    return browsers?.id === id ? browsers : undefined;
  };
  const rack = modelRack({
    entry,
    engineFor,
    deviceFor,
    check: checkByQuestion,
    memoryBytes: memoryForModels({ memoryBytes: memoryBytes() }),
    nowMs: () => performance.now(),
  });
  return {
    rack,
    entry,
    backboneOf: (model) =>
      engineBackbone({
        entry: model,
        rack,
        async render(part, options) {
          const { renderForModel } = await import('./media/render-for-model.ts');
          const { bytes, mediaType } = await renderForModel(blobs, part, options);
          return { type: 'image', bytes, mediaType };
        },
      }),
  };
}

async function engineFor({ runtime }: LanguageEntry): Promise<LanguageEngine> {
  switch (runtime) {
    case 'transformers':
      return (await import('./engine/transformers/transformers-client.ts')).transformersEngine();
    case 'web-llm':
      return (await import('./engine/web-llm/web-llm-client.ts')).webLlmEngine();
    case 'browser':
      return (await import('./engine/prompt-api/prompt-api-engine.ts')).promptApiEngine();
  }
}

/** null where the browser does not say it; those that do say eight gigabytes where there is more. */
function memoryBytes(): number | null {
  const gibibytes: unknown = Reflect.get(navigator, 'deviceMemory');
  return typeof gibibytes === 'number' ? gibibytes * 2 ** 30 : null;
}
