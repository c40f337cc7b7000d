import {
  EngineError,
  type LanguageEngine,
  type LoadedModel,
  type LoadPhase,
} from '../core/models/engine.ts';
import type { ModelRack, RackState } from '../core/models/model-rack.ts';
import type { Device, LanguageEntry } from '../core/models/model-entry.ts';

export interface ModelRackPorts {
  /** A language model that lies on this device; undefined where there is none of that id. */
  entry(id: string): Promise<LanguageEntry | undefined>;
  engineFor(entry: LanguageEntry): Promise<LanguageEngine>;
  /** Where a model runs here. Throws `EngineError` (`no-gpu`). */
  deviceFor(entry: LanguageEntry): Promise<Device>;
  /** Asks a model that was loaded what it must know. Throws `EngineError` `wrong-answer`. */
  check(model: LoadedModel, entry: LanguageEntry, signal: AbortSignal): Promise<void>;
  /** Memory that loaded models may take together, in bytes. */
  readonly memoryBytes: number;
  nowMs(): number;
}

/** Held by the tab that loads the model whose id follows. */
const LOADING_LOCK = 'grove.model-loading.';

interface Slot {
  readonly entry: LanguageEntry;
  readonly loading: AbortController;
  readonly model: Promise<LoadedModel>;
}

/** The models of this tab. */
export function modelRack(ports: ModelRackPorts): ModelRack {
  const slots = new Map<string, Slot>();
  const watchers = new Set<(states: ReadonlyMap<string, RackState>) => void>();
  let states: ReadonlyMap<string, RackState> = new Map();

  function tell(id: string, state: RackState | null): void {
    const next = new Map(states);
    if (state === null) next.delete(id);
    else next.set(id, state);
    states = next;
    for (const watcher of watchers) watcher(next);
  }

  function remove(id: string, error: EngineError): void {
    slots.delete(id);
    const failed = error.code === 'stopped' ? null : error;
    tell(id, failed && { type: 'failed', code: failed.code, message: failed.message });
  }

  /** Counts calls, so that what is at work is not unloaded for another model's sake. */
  function counted(id: string, model: LoadedModel): LoadedModel {
    let calls = 0;
    const change = (by: number) => {
      calls += by;
      // Loaded anew meanwhile, or gone: then there is nothing to count for.
      if (slots.get(id)?.entry.id !== id || states.get(id)?.type !== 'ready') return;
      tell(id, { type: 'ready', device: model.device, calls, usedAtMs: ports.nowMs() });
    };
    return {
      ...model,
      async *generate(request, signal) {
        change(1);
        try {
          yield* model.generate(request, signal);
        } finally {
          change(-1);
        }
      },
    };
  }

  /** Unloads what was used longest ago until the new model fits; what is at work stays. */
  function makeRoom({ id, memoryBytes }: LanguageEntry): void {
    const idle = [...slots.values()]
      .filter(({ entry }) => entry.id !== id && isIdle(states.get(entry.id)))
      .sort((a, b) => usedAt(states.get(a.entry.id)) - usedAt(states.get(b.entry.id)));
    const taken = () =>
      [...slots.values()]
        .filter(({ entry }) => entry.id !== id)
        .reduce((sum, { entry }) => sum + entry.memoryBytes, 0);
    for (const { entry } of idle) {
      if (taken() + memoryBytes <= ports.memoryBytes) return;
      rack.unload(entry.id);
    }
  }

  /** One load at a time: two at once would want the memory of both. */
  let turn: Promise<unknown> = Promise.resolve();

  function loadInTurn(entry: LanguageEntry, signal: AbortSignal): Promise<LoadedModel> {
    tell(entry.id, { type: 'loading', phase: 'waiting' });
    const loading = untilAborted(turn, signal).then(() => loadNow(entry, signal));
    turn = Promise.allSettled([turn, loading]);
    return loading;
  }

  async function loadNow(entry: LanguageEntry, signal: AbortSignal): Promise<LoadedModel> {
    signal.throwIfAborted();
    const device = await ports.deviceFor(entry);
    const engine = await ports.engineFor(entry);
    makeRoom(entry);
    const lockName = `${LOADING_LOCK}${entry.id}`;
    return navigator.locks.request(lockName, { ifAvailable: true }, async (lock) => {
      if (lock === null) throw busyError(entry);
      const model = await engine.load(entry, {
        device,
        signal,
        onPhase: (phase) => tellPhase(entry, phase),
        onDownload: (downloaded) => {
          if (slots.has(entry.id)) {
            tell(entry.id, { type: 'loading', phase: 'reading', downloaded });
          }
        },
      });
      tellPhase(entry, 'checking');
      await ports.check(model, entry, signal).catch((error: unknown) => {
        model.unload();
        throw error;
      });
      tell(entry.id, { type: 'ready', device, calls: 0, usedAtMs: ports.nowMs() });
      return counted(entry.id, model);
    });
  }

  function tellPhase({ id }: LanguageEntry, phase: LoadPhase | 'checking'): void {
    if (slots.has(id)) tell(id, { type: 'loading', phase });
  }

  function begin(entry: LanguageEntry): Slot {
    const loading = new AbortController();
    const model = loadInTurn(entry, loading.signal);
    const slot: Slot = { entry, loading, model };
    slots.set(entry.id, slot);
    const end = (error: unknown) => {
      if (slots.get(entry.id) !== slot) return;
      remove(entry.id, error instanceof EngineError ? error : stoppedError(entry));
    };
    model.then(({ ended }) => void ended.then(end), end);
    return slot;
  }

  const rack: ModelRack = {
    get states() {
      return states;
    },
    watch(tellStates) {
      watchers.add(tellStates);
      return () => watchers.delete(tellStates);
    },
    async load(id, signal) {
      signal?.throwIfAborted();
      const known = slots.get(id);
      const entry = known === undefined ? await ports.entry(id) : known.entry;
      if (entry === undefined) {
        throw new EngineError(
          'missing-file',
          'That model is not on this device any more. Get it again on the Models page, or choose another.',
        );
      }
      const slot = slots.get(id) ?? begin(entry);
      return untilAborted(slot.model, signal);
    },
    unload(id) {
      const slot = slots.get(id);
      if (slot === undefined) return;
      slots.delete(id);
      tell(id, null);
      slot.loading.abort(stoppedError(slot.entry));
      slot.model.then((model) => model.unload()).catch(() => undefined);
    },
  };
  return rack;
}

function isIdle(state: RackState | undefined): boolean {
  return state?.type === 'ready' && state.calls === 0;
}

function usedAt(state: RackState | undefined): number {
  return state?.type === 'ready' ? state.usedAtMs : 0;
}

function busyError({ name }: LanguageEntry): EngineError {
  return new EngineError(
    'busy',
    `Another tab of Grove is loading ${name} right now, so it was not loaded here too. Try again when that is done.`,
  );
}

function stoppedError({ name }: LanguageEntry): EngineError {
  return new EngineError('stopped', `${name} was unloaded.`);
}

/** Waits no longer than the signal lets it; the load itself goes on for whoever asks next. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  work.catch(() => undefined);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
