import type { Json } from '../../../src/core/canonical.ts';
import { EMPTY_RUN_VIEW, type RunView } from '../../../src/core/evolve/run-view.ts';
import { EngineError, type LoadedModel } from '../../../src/core/models/engine.ts';
import type { ModelEntry } from '../../../src/core/models/model-entry.ts';
import type { HeldModel } from '../../../src/core/models/model-store.ts';
import type { ModelRack, RackState } from '../../../src/core/models/model-rack.ts';
import { DEFAULT_RUN_CONFIG, type RunConfig } from '../../../src/core/run.ts';
import type {
  Encoders,
  Library,
  RunSetUp,
} from '../../../src/state/models/model-choices.svelte.ts';
import type { LibraryModel, Standing } from '../../../src/state/models/model-standing.ts';
import type { BackboneChoice } from '../../../src/state/solve.svelte.ts';

const AT = '2026-12-03T10:00:00.000Z';

/** Standing of a model that is whole. */
export function heldStanding(entry: ModelEntry): Standing {
  return {
    type: 'held',
    bytes: entry.approximateBytes,
    files: entry.files.length,
    checkedAt: AT,
    addedAt: AT,
  };
}

export function libraryModel(
  entry: ModelEntry,
  standing: Standing,
  over: Partial<LibraryModel> = {},
): LibraryModel {
  const held: HeldModel = { entry, files: [], addedAt: AT, checkedAt: AT };
  return {
    entry,
    isRegistered: true,
    standing,
    held: standing.type === 'held' ? held : null,
    problem: null,
    note: null,
    roomShortBytes: null,
    ...over,
  };
}

/** A library in memory: what is asked of it is noted, and downloads are there when `arrive` is called. */
export class LibraryDouble implements Library {
  models: readonly LibraryModel[] = $state.raw([]);
  isOpen = $state(true);
  problem: string | null = $state(null);
  outcome: string | null = $state(null);
  reading: string | null = $state(null);
  freeBytes: number | null = 30e9;
  readonly working = null;
  readonly asked: string[] = [];
  #arrivals = new Map<string, () => void>();
  #removed = new Map<string, LibraryModel>();

  constructor(models: readonly LibraryModel[]) {
    this.models = models;
  }

  get usedBytes(): number {
    return this.models.reduce(
      (sum, { standing }) => sum + ('bytes' in standing ? standing.bytes : 0),
      0,
    );
  }

  model(id: string): LibraryModel | undefined {
    return this.models.find(({ entry }) => entry.id === id);
  }

  /** Ends the download of a model. */
  arrive(id: string): void {
    const model = this.model(id);
    if (model !== undefined) this.#put(libraryModel(model.entry, heldStanding(model.entry)));
    this.#arrivals.get(id)?.();
  }

  async open(): Promise<void> {}

  async download(entry: ModelEntry): Promise<void> {
    this.asked.push(`download ${entry.id}`);
    this.#put(libraryModel(entry, bringingStanding(entry)));
    await new Promise<void>((resolve) => this.#arrivals.set(entry.id, resolve));
  }

  async resume(id: string): Promise<void> {
    const entry = this.model(id)?.entry;
    if (entry !== undefined) await this.download(entry);
  }

  async remove(id: string): Promise<boolean> {
    const model = this.model(id);
    if (model === undefined) return false;
    this.#removed.set(id, model);
    this.#put({
      ...libraryModel(model.entry, { type: 'absent' }),
      isRegistered: model.isRegistered,
    });
    return true;
  }

  async putBack(id: string): Promise<void> {
    const model = this.#removed.get(id);
    if (model !== undefined) this.#put(model);
  }

  pause = (id: string) => void this.asked.push(`pause ${id}`);
  stop = (id: string) => void this.asked.push(`stop ${id}`);
  cancel = async (id: string) => void this.asked.push(`cancel ${id}`);
  verify = async (id: string) => void this.asked.push(`verify ${id}`);
  repair = async (id: string) => void this.asked.push(`repair ${id}`);
  addFolder = async (name: string, given: readonly { readonly path: string }[]) =>
    void this.asked.push(`folder ${name}: ${given.map(({ path }) => path).join(' ')}`);
  addFiles = async (given: readonly { readonly path: string }[]) =>
    void this.asked.push(`files: ${given.map(({ path }) => path).join(' ')}`);
  addByAddress = async (text: string) => void this.asked.push(`address ${text}`);

  #put(model: LibraryModel): void {
    this.models = this.models.map((other) => (other.entry.id === model.entry.id ? model : other));
  }
}

export function bringingStanding(entry: ModelEntry): Standing {
  return {
    type: 'bringing',
    kind: 'download',
    file: 4,
    files: 9,
    path: 'onnx/decoder_model_merged_q4f16.onnx_data',
    bytes: Math.round(entry.approximateBytes * 0.65),
    of: entry.approximateBytes,
    isExact: true,
    bytesPerSecond: 14_200_000,
    secondsLeft: 46,
  };
}

/** A rack of models that are loaded at once; `refusal` is why none is. */
export class RackDouble implements ModelRack {
  states: ReadonlyMap<string, RackState> = new Map();
  refusal: EngineError | null = null;
  readonly #watchers = new Set<(states: ReadonlyMap<string, RackState>) => void>();
  readonly #model: LoadedModel;

  constructor(model: LoadedModel) {
    this.#model = model;
  }

  watch(tell: (states: ReadonlyMap<string, RackState>) => void): () => void {
    this.#watchers.add(tell);
    return () => this.#watchers.delete(tell);
  }

  async load(id: string): Promise<LoadedModel> {
    if (this.refusal !== null) {
      const { code, message } = this.refusal;
      this.tell(id, { type: 'failed', code, message });
      throw this.refusal;
    }
    this.tell(id, { type: 'ready', device: 'wasm', calls: 0, usedAtMs: 0 });
    return this.#model;
  }

  unload(id: string): void {
    this.tell(id, null);
  }

  tell(id: string, state: RackState | null): void {
    const states = new Map(this.states);
    if (state === null) states.delete(id);
    else states.set(id, state);
    this.states = states;
    for (const tell of this.#watchers) tell(states);
  }
}

/** The set-up of runs. */
export class SetUpDouble implements RunSetUp {
  config: RunConfig = $state.raw(DEFAULT_RUN_CONFIG);
  backbones: readonly BackboneChoice[] = $state.raw([
    {
      id: 'simulated',
      label: 'Simulated solver: no model',
      model: 'metro-simulator',
      device: 'this-device',
      keepsMemory: false,
    },
    {
      id: 'endpoint:e1',
      label: 'qwen3-vl at localhost:11434',
      model: 'qwen3-vl',
      device: 'remote',
      keepsMemory: true,
    },
  ]);
  readonly runner: { readonly view: RunView } = { view: EMPTY_RUN_VIEW };

  setUp(change: Partial<RunConfig>): void {
    this.config = { ...this.config, ...change };
  }
}

/** Recall by the words in the box. */
export class EncodersDouble implements Encoders {
  held: Encoders['held'] = $state.raw([]);
  current: string | null | undefined = $state.raw(null);
  switching: Encoders['switching'] = $state.raw(null);
  problem: string | null = $state(null);

  async open(): Promise<void> {}

  async choose(model: Encoders['held'][number] | null): Promise<void> {
    this.current = model?.entry.id ?? null;
  }
}

/** Settings in memory. */
export function settingsDouble() {
  const kept = new Map<string, Json>();
  return {
    kept,
    getSetting: async (key: string) => kept.get(key),
    setSetting: async (key: string, value: Json) => void kept.set(key, value),
  };
}
