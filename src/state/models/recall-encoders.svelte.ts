import { StorageError } from '../../core/errors.ts';
import { isEncoderEntry, type EncoderEntry } from '../../core/models/model-entry.ts';
import { ModelFileError, type HeldModel } from '../../core/models/model-store.ts';
import { RecallError } from '../../core/recall/recall-port.ts';
import type { ClosableRecall } from '../bank-recall.ts';
import type { LibraryModel } from './model-standing.ts';

/** An encoder whose files are on this device. */
export type HeldEncoder = HeldModel<EncoderEntry>;

/** Recall by another encoder, beside the one in use. */
export interface PreparedRecall {
  readonly recall: ClosableRecall;
  /** Ends the model; the recall is not used after it. */
  unload(): void;
}

export interface RecallEncodersPorts {
  /** Where encoders come from and go to. */
  readonly library: {
    readonly models: readonly LibraryModel[];
    open(): Promise<void>;
  };
  banks(): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Which model recall uses: its id, or null for the words in the box. */
  inUse(): Promise<string | null>;
  /** null: by the words in the box. */
  prepare(model: HeldEncoder | null): Promise<PreparedRecall>;
  /** Every question goes there from now on, and after a reload. */
  use(id: string | null, prepared: PreparedRecall): Promise<void>;
  /** A switch that was begun: a model's id, or null. Kept over reloads. */
  readonly begun: {
    get(): Promise<string | null>;
    set(id: string | null): Promise<void>;
  };
}

/** Banks being encoded anew, while questions are answered by the encoder that was there before. */
export interface Switching {
  /** null: to the words in the box. */
  readonly model: HeldEncoder | null;
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

/** Which encoder recall uses, and the way from one to another. */
export class RecallEncoders {
  /** The model in use; null: the words in the box. undefined: not known yet. */
  current: string | null | undefined = $state.raw(undefined);
  switching: Switching | null = $state.raw(null);
  problem: string | null = $state(null);

  readonly #ports: RecallEncodersPorts;
  #going = new AbortController();
  #prepared: PreparedRecall | null = null;

  constructor(ports: RecallEncodersPorts) {
    this.#ports = ports;
  }

  /** The encoders on this device. */
  get held(): readonly HeldEncoder[] {
    return this.#ports.library.models.flatMap(({ held }) =>
      held !== null && isEncoderEntry(held.entry) ? [{ ...held, entry: held.entry }] : [],
    );
  }

  /** Looks at what is here; a switch that a reload cut off is shown as paused. */
  async open(): Promise<void> {
    await this.#telling(async () => {
      await this.#ports.library.open();
      this.current = await this.#ports.inUse();
      if (this.switching !== null) return;
      const begun = await this.#ports.begun.get();
      const model = this.held.find(({ entry }) => entry.id === begun);
      if (begun === null || model === undefined || begun === this.current) return;
      this.switching = { ...NOWHERE, model, state: 'paused' };
    });
  }

  /** Begins to use a model, or the words in the box, once every bank is encoded by it. */
  async choose(model: HeldEncoder | null): Promise<void> {
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

  async #go(model: HeldEncoder | null): Promise<void> {
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
    if (wentThrough) this.current = await this.#ports.inUse();
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
