import { StorageError } from '../core/errors.ts';
import { entryOfFolder, type ModelFolder } from '../core/models/folder-entry.ts';
import type { ModelEntry } from '../core/models/model-entry.ts';
import { ModelFileError, type HeldModel, type ModelStore } from '../core/models/model-store.ts';
import { RecallError } from '../core/recall/recall-port.ts';
import type { ClosableRecall } from './bank-recall.ts';

/** A file as a person's folder holds it. */
export interface GivenFile {
  /** Below the folder that was picked. */
  readonly path: string;
  readonly file: Blob;
}

/** Recall by another encoder, beside the one in use. */
export interface PreparedRecall {
  readonly recall: ClosableRecall;
  /** Ends the model; the recall is not used after it. */
  unload(): void;
}

export interface RecallEncodersPorts {
  readonly registry: readonly ModelEntry[];
  readonly models: ModelStore<Blob>;
  readonly settings: {
    readonly offline: boolean;
    /** Lets requests to a host out. */
    allow(origin: string): Promise<void>;
  };
  banks(): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Which model recall uses: its id, or null for the words in the box. */
  inUse(): Promise<string | null>;
  /** null: by the words in the box. */
  prepare(model: HeldModel | null): Promise<PreparedRecall>;
  /** Every question goes there from now on, and after a reload. */
  use(id: string | null, prepared: PreparedRecall): Promise<void>;
  /** Throws away what a model made of the banks. */
  removeIndexes(model: HeldModel): Promise<void>;
  /** When files of removed models may go: once nobody can put them back. */
  nextSweep(): Promise<void>;
  /** A switch that was begun: a model's id, or null. Kept over reloads. */
  readonly begun: {
    get(): Promise<string | null>;
    set(id: string | null): Promise<void>;
  };
}

/** Files of a model that are coming in. */
export interface Bringing {
  readonly entry: ModelEntry;
  readonly path: string;
  readonly bytes: number;
  readonly isDownload: boolean;
}

/** Banks being encoded anew, while questions are answered by the encoder that was there before. */
export interface Switching {
  /** null: to the words in the box. */
  readonly model: HeldModel | null;
  readonly bank: string;
  /** Which bank of how many, from 1. */
  readonly number: number;
  readonly banks: number;
  /** Entries of its log. */
  readonly done: number;
  readonly of: number;
  readonly state: 'going' | 'pausing' | 'paused';
}

const PAUSED = new Error('the person paused');
const CANCELLED = new Error('the person cancelled');

/** Which encoder recall uses, the models there are for it, and the way from one to another. */
export class RecallEncoders {
  held: readonly HeldModel[] = $state.raw([]);
  /** The model in use; null: the words in the box. undefined: not known yet. */
  current: string | null | undefined = $state.raw(undefined);
  bringing: Bringing | null = $state.raw(null);
  switching: Switching | null = $state.raw(null);
  problem: string | null = $state(null);

  readonly #ports: RecallEncodersPorts;
  #bringing = new AbortController();
  #going = new AbortController();
  #prepared: PreparedRecall | null = null;

  constructor(ports: RecallEncodersPorts) {
    this.#ports = ports;
  }

  /** Models of the registry that are not here. */
  get offered(): readonly ModelEntry[] {
    const here = new Set(this.held.map(({ entry }) => entry.id));
    return this.#ports.registry.filter(({ id }) => !here.has(id));
  }

  /** Looks at what is here; a switch that a reload cut off is shown as paused. */
  async open(): Promise<void> {
    await this.#telling(async () => {
      // Once: later on, what was removed may still be put back.
      if (this.current === undefined) await this.#ports.models.sweep();
      await this.#look();
      if (this.switching !== null) return;
      const begun = await this.#ports.begun.get();
      const model = this.held.find(({ entry }) => entry.id === begun);
      if (begun === null || model === undefined || begun === this.current) return;
      this.switching = { ...NOWHERE, model, state: 'paused' };
    });
  }

  /** Downloads a model of the registry; its host is let out from now on. */
  async download(entry: ModelEntry): Promise<void> {
    const { settings } = this.#ports;
    if (settings.offline) {
      this.problem =
        'The Offline switch is on: nothing can be downloaded until you turn it off under Privacy.';
      return;
    }
    if (entry.source !== null) await settings.allow(entry.source.host);
    await this.#bring(entry, 'download');
  }

  /** Takes a model in from a folder that a person picked. */
  async addFolder(name: string, given: readonly GivenFile[]): Promise<void> {
    const files = new Map(given.map(({ path, file }) => [path, file]));
    const folder: ModelFolder = {
      name,
      sizes: new Map(given.map(({ path, file }) => [path, file.size])),
      text: async (path) => (await files.get(path)?.text()) ?? '',
    };
    const entry = await entryOfFolder(folder, this.#ports.registry);
    if (!entry.ok) {
      this.problem = entry.refusal.message;
      return;
    }
    await this.#bring(entry.value, files);
  }

  stopBringing(): void {
    this.#bringing.abort(CANCELLED);
  }

  /** Begins to use a model, or the words in the box, once every bank is encoded by it. */
  async choose(model: HeldModel | null): Promise<void> {
    if (this.switching !== null) return;
    this.switching = { ...NOWHERE, model };
    await this.#go(model);
  }

  pause(): void {
    if (this.switching?.state !== 'going') return;
    this.switching = { ...this.switching, state: 'pausing' };
    this.#going.abort(PAUSED);
  }

  async resume(): Promise<void> {
    if (this.switching?.state !== 'paused') return;
    this.switching = { ...this.switching, state: 'going' };
    await this.#go(this.switching.model);
  }

  /** Stays with the encoder there was. What was encoded is kept for another try. */
  async cancel(): Promise<void> {
    this.#going.abort(CANCELLED);
    if (this.switching?.state === 'paused') await this.#end();
  }

  /** Removes a model; it can be put back until its files go, a little later. */
  async remove(model: HeldModel): Promise<void> {
    const { models, removeIndexes, nextSweep } = this.#ports;
    const { id } = model.entry;
    await this.#telling(async () => {
      await models.forget(id);
      await this.#look();
    });
    await nextSweep();
    await this.#telling(async () => {
      if ((await models.get(id)) !== undefined) return;
      await models.sweep();
      await removeIndexes(model);
    });
  }

  async putBack(model: HeldModel): Promise<void> {
    await this.#telling(async () => {
      await this.#ports.models.putBack(model);
      await this.#look();
    });
  }

  async #look(): Promise<void> {
    this.current = await this.#ports.inUse();
    const models = await this.#ports.models.list();
    this.held = models.filter(({ entry }) => entry.roles.includes('encoder'));
  }

  async #bring(entry: ModelEntry, sources: ReadonlyMap<string, Blob> | 'download'): Promise<void> {
    if (this.bringing !== null) return;
    const isDownload = sources === 'download';
    this.#bringing = new AbortController();
    this.bringing = { entry, path: '', bytes: 0, isDownload };
    await this.#telling(() =>
      this.#ports.models.add(entry, sources, {
        signal: this.#bringing.signal,
        onProgress: ({ path, bytes }) => (this.bringing = { entry, path, bytes, isDownload }),
      }),
    );
    this.bringing = null;
    await this.#telling(() => this.#look());
  }

  async #go(model: HeldModel | null): Promise<void> {
    this.#going = new AbortController();
    const { signal } = this.#going;
    await this.#ports.begun.set(model?.entry.id ?? null);
    const wentThrough = await this.#telling(async () => {
      this.#prepared ??= await this.#ports.prepare(model);
      await this.#encodeAll(this.#prepared, signal);
      await this.#ports.use(model?.entry.id ?? null, this.#prepared);
      // It is in use now, and not to be closed with the switch.
      this.#prepared = null;
    });
    if (!wentThrough && signal.reason === PAUSED && this.switching !== null) {
      this.switching = { ...this.switching, state: 'paused' };
      return;
    }
    await this.#end();
    if (wentThrough) await this.#telling(() => this.#look());
  }

  /** Every bank, and those that are new meanwhile. */
  async #encodeAll({ recall }: PreparedRecall, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const banks = await this.#ports.banks();
    for (const [at, { id, name }] of banks.entries()) {
      signal.throwIfAborted();
      const here = { bank: name, number: at + 1, banks: banks.length, done: 0, of: 0 };
      this.#tell(here);
      await recall.at(id, { signal, tell: (done, of) => this.#tell({ ...here, done, of }) });
    }
  }

  #tell(news: Partial<Switching>): void {
    if (this.switching !== null) this.switching = { ...this.switching, ...news };
  }

  async #end(): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = null;
    this.switching = null;
    await this.#ports.begun.set(null);
    if (prepared === null) return;
    await prepared.recall.close().catch(() => undefined);
    prepared.unload();
  }

  /** Runs `work`; an expected failure becomes the problem on screen. False where it did not go through. */
  async #telling(work: () => Promise<unknown>): Promise<boolean> {
    this.problem = null;
    try {
      await work();
      return true;
    } catch (error) {
      if (error === PAUSED || error === CANCELLED) return false;
      const isExpected =
        error instanceof ModelFileError ||
        error instanceof RecallError ||
        error instanceof StorageError ||
        error instanceof DOMException;
      if (!isExpected) throw error;
      this.problem = error.message;
      return false;
    }
  }
}

const NOWHERE: Omit<Switching, 'model'> = {
  ...{ bank: '', number: 0, banks: 0, done: 0, of: 0 },
  state: 'going',
};
