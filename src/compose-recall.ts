/** The part of the composition root that recall and the files of models need, loaded with the first question, Settings or Models. */
import { z } from 'zod';
import type { Json } from './core/canonical.ts';
import type { EncoderEngine } from './core/models/engine.ts';
import { isEncoderEntry } from './core/models/model-entry.ts';
import type { ModelStore } from './core/models/model-store.ts';
import type { RecallEncoder } from './core/recall/recall-port.ts';
import { makingOf } from './core/recall/recalled-bank.ts';
import { modelHub } from './engine/files/model-hub.ts';
import { modelStore } from './engine/files/model-store.ts';
import { REGISTRY } from './engine/registry.ts';
import { transformersEngine } from './engine/transformers/transformers-client.ts';
import type { BankLoader } from './state/bank-loader.ts';
import { makeBankRecall, type ClosableRecall } from './state/bank-recall.ts';
import { modelEncoder, type ModelEncoder } from './state/models/model-encoder.ts';
import { ModelLibrary } from './state/models/model-library.svelte.ts';
import {
  RecallEncoders,
  type HeldEncoder,
  type PreparedRecall,
} from './state/models/recall-encoders.svelte.ts';
import { NOTICE_MS, type Activity } from './state/shell.svelte.ts';
import { switchedRecall, type SwitchedRecall } from './state/models/switched-recall.ts';
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

/** Recall over this browser's banks, the choice of its encoder, and the models that lie here. */
export interface RecallParts {
  readonly recall: SwitchedRecall;
  readonly encoders: RecallEncoders;
  readonly models: ModelStore<Blob>;
  readonly library: ModelLibrary;
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

  async function prepare(model: HeldEncoder | null): Promise<PreparedRecall> {
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
  const encoderInUse = async () => (await chosenModel(storage, models))?.entry.id ?? null;
  const library = new ModelLibrary({
    registry: REGISTRY,
    models,
    hub: modelHub(downloadHeaders),
    settings: {
      get offline() {
        return policy.offline;
      },
      allow: (origin) => policy.allow(origin),
    },
    encoderInUse,
    async removed({ entry, ...held }) {
      if (!isEncoderEntry(entry)) return;
      const making = JSON.stringify(makingOf(modelEncoder({ ...held, entry }, engine).id));
      for (const { manifest } of await banks.listBanks()) {
        await store.removeRecall(manifest.id, making);
      }
    },
    nextSweep: () => new Promise((resolve) => setTimeout(resolve, NOTICE_MS + 1000)),
    nowMs: () => performance.now(),
  });
  const encoders = new RecallEncoders({
    library,
    async banks() {
      return (await banks.listBanks()).map(({ manifest }) => manifest);
    },
    inUse: encoderInUse,
    prepare,
    async use(id, next) {
      await keep(storage, IN_USE, id);
      await recall.use(next.recall);
      inUse.unload();
      inUse = next;
    },
    begun: {
      get: () => read(storage, BEGUN),
      set: (id) => keep(storage, BEGUN, id),
    },
  });
  return { recall, encoders, models, library };
}

/** What the encoders do, for the strip. Stop is Pause where there is something to go on with. */
export function encoderActivity(encoders: RecallEncoders): Activity | null {
  const { switching } = encoders;
  const none = { role: 'Encoder', tokens: null, elapsedMs: null };
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
  model: HeldEncoder | null,
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
): Promise<HeldEncoder | null> {
  const id = await read(storage, IN_USE);
  const held = id === null ? undefined : await models.get(id);
  if (held === undefined || !isEncoderEntry(held.entry)) return null;
  return { ...held, entry: held.entry };
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
