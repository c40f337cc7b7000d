/** The part of the composition root that recall needs, loaded with the first question or with Settings. */
import { z } from 'zod';
import type { Json } from './core/canonical.ts';
import type { EncoderEngine } from './core/models/engine.ts';
import type { HeldModel, ModelStore } from './core/models/model-store.ts';
import type { RecallEncoder } from './core/recall/recall-port.ts';
import { makingOf } from './core/recall/recalled-bank.ts';
import { modelStore } from './engine/model-store.ts';
import { REGISTRY } from './engine/registry.ts';
import { transformersEngine } from './engine/transformers-client.ts';
import type { BankLoader } from './state/bank-loader.ts';
import { makeBankRecall, type ClosableRecall } from './state/bank-recall.ts';
import { modelEncoder, type ModelEncoder } from './state/model-encoder.ts';
import { RecallEncoders, type PreparedRecall } from './state/recall-encoders.svelte.ts';
import { NOTICE_MS, type Activity } from './state/shell.svelte.ts';
import { switchedRecall, type SwitchedRecall } from './state/switched-recall.ts';
import type { GroveStorage } from './storage/open-storage.ts';
import { startRecallWorker, type RecallWorker } from './work/recall-client.ts';

/** Settings: the model that recall uses, and one that it is on the way to. */
const IN_USE = 'recall.encoder';
const BEGUN = 'recall.encoder-begun';

export interface RecallPorts {
  readonly storage: GroveStorage;
  readonly loader: BankLoader;
  /** What a download's requests carry. */
  readonly downloadHeaders: Readonly<Record<string, string>>;
  readonly policy: { readonly offline: boolean; allow(origin: string): Promise<void> };
}

/** Recall over this browser's banks, and the choice of its encoder. */
export interface RecallParts {
  readonly recall: SwitchedRecall;
  readonly encoders: RecallEncoders;
}

/**
 * Opens recall by the encoder that was chosen. Where its model is not here any more, the words in the
 * box serve; where they do not load either, words alone decide.
 */
export async function openRecall(ports: RecallPorts): Promise<RecallParts> {
  const { storage, loader, downloadHeaders, policy } = ports;
  const worker = startRecallWorker();
  const engine = transformersEngine();
  const now = () => new Date().toISOString();
  const models = modelStore({ headers: downloadHeaders, now });
  const { banks, recall: store } = storage;
  const recallBy = (encoder: RecallEncoder | null) =>
    makeBankRecall({ banks, loader, store, recall: worker, encoder });
  let words: Promise<ClosableRecall> | undefined;
  const byWords = () =>
    (words ??= loadWords(worker)
      .catch(() => null)
      .then(recallBy));

  async function prepare(model: HeldModel | null): Promise<PreparedRecall> {
    if (model === null) return { recall: await byWords(), unload: () => undefined };
    const encoder = modelEncoder(model, engine);
    // A model that does not load is told before anything is encoded.
    await encoder.encode([''], 'question');
    return { recall: recallBy(encoder), unload: () => encoder.unload() };
  }

  const chosen = await chosenModel(storage, models);
  let inUse = prepared(chosen, engine, recallBy) ?? {
    recall: await byWords(),
    unload: () => undefined,
  };
  const recall = switchedRecall(inUse.recall);
  const encoders = new RecallEncoders({
    registry: REGISTRY,
    models,
    settings: {
      get offline() {
        return policy.offline;
      },
      allow: (origin) => policy.allow(origin),
    },
    async banks() {
      return (await banks.listBanks()).map(({ manifest }) => manifest);
    },
    inUse: async () => (await chosenModel(storage, models))?.entry.id ?? null,
    prepare,
    async use(id, next) {
      await keep(storage, IN_USE, id);
      await recall.use(next.recall);
      inUse.unload();
      inUse = next;
    },
    async removeIndexes(model) {
      const making = JSON.stringify(makingOf(modelEncoder(model, engine).id));
      for (const { manifest } of await banks.listBanks()) {
        await store.removeRecall(manifest.id, making);
      }
    },
    begun: {
      get: () => read(storage, BEGUN),
      set: (id) => keep(storage, BEGUN, id),
    },
    nextSweep: () => new Promise((resolve) => setTimeout(resolve, NOTICE_MS + 1000)),
  });
  return { recall, encoders };
}

/** What the encoders do, for the strip. Stop is Pause where there is something to go on with. */
export function encoderActivity(encoders: RecallEncoders): Activity | null {
  const { bringing, switching } = encoders;
  const none = { role: 'Encoder', tokens: null, elapsedMs: null };
  if (bringing !== null) {
    const { entry, bytes, isDownload } = bringing;
    return {
      ...none,
      model: entry.name,
      phase: isDownload ? 'downloading' : 'taking in',
      progress: Math.min(1, bytes / entry.approximateBytes),
      stop: () => encoders.stopBringing(),
    };
  }
  if (switching === null || switching.state === 'paused') return null;
  const { model, number, banks, done, of } = switching;
  return {
    ...none,
    model: model?.entry.name ?? 'words in the box',
    phase: number === 0 ? 'loading' : `encoding bank ${number} of ${banks}`,
    progress: of === 0 ? null : done / of,
    stop: () => (number === 0 ? void encoders.cancel() : encoders.pause()),
  };
}

function prepared(
  model: HeldModel | null,
  engine: EncoderEngine,
  recallBy: (encoder: ModelEncoder) => ClosableRecall,
): PreparedRecall | null {
  if (model === null) return null;
  const encoder = modelEncoder(model, engine);
  return { recall: recallBy(encoder), unload: () => encoder.unload() };
}

/** The model that was chosen, as far as it is here. */
async function chosenModel(
  storage: GroveStorage,
  models: ModelStore<Blob>,
): Promise<HeldModel | null> {
  const id = await read(storage, IN_USE);
  return id === null ? null : ((await models.get(id)) ?? null);
}

async function read({ settings }: GroveStorage, key: string): Promise<string | null> {
  return z.string().safeParse(await settings.get(key)).data ?? null;
}

async function keep(
  { settings }: GroveStorage,
  key: string,
  value: Extract<Json, string> | null,
): Promise<void> {
  await (value === null ? settings.remove(key) : settings.set(key, value));
}

async function loadWords(recall: RecallWorker): Promise<RecallEncoder> {
  const response = await fetch(`${import.meta.env.BASE_URL}encoder/words.bin`);
  if (!response.ok) throw new Error(`the word vectors answered ${response.status}`);
  return recall.loadWords(new Uint8Array(await response.arrayBuffer()));
}
