/** The part of the composition root that builds the Models page, loaded with it. */
import type { Json } from './core/canonical.ts';
import type { LanguageEntry } from './core/models/model-entry.ts';
import type { ModelRack } from './core/models/model-rack.ts';
import { readDeviceFacts } from './engine/device-facts.ts';
import { modelsActivity } from './state/models/model-activity.ts';
import type { Encoders, Library, RunSetUp } from './state/models/model-choices.svelte.ts';
import { ModelsState } from './state/models/models.svelte.ts';
import type { ShellState } from './state/shell.svelte.ts';

export interface ModelsPagePorts {
  readonly recall: { readonly encoders: Encoders; readonly library: Library };
  readonly rack: ModelRack;
  readonly solve: RunSetUp;
  readonly settings: {
    get(key: string): Promise<Json | undefined>;
    set(key: string, value: Json): Promise<void>;
  };
  /** The browser's own model; reads reactive state. */
  own(): LanguageEntry | null;
  readonly shell: Pick<ShellState, 'addActivity' | 'notify'>;
}

/** The Models page's state; what goes on with models shows in the strip from then on. */
export function openModelsPage({
  recall: { encoders, library },
  rack,
  solve,
  settings,
  own,
  shell,
}: ModelsPagePorts): ModelsState {
  const models = new ModelsState({
    ...{ library, encoders, rack, solve, own },
    notify: (message) => shell.notify(message),
    readFacts: readDeviceFacts,
    getSetting: (key) => settings.get(key),
    setSetting: (key, value) => settings.set(key, value),
    nowMs: () => performance.now(),
    now: () => new Date().toISOString(),
  });
  shell.addActivity(() => modelsActivity(models));
  return models;
}
