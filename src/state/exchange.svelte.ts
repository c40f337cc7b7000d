import type { Tree } from '../core/bank/tree.ts';
import { StorageError } from '../core/errors.ts';
import type { Clock, LogHead, RunStore } from '../core/ports.ts';
import type { LessonDraft } from '../core/run.ts';
import { BundleError } from '../core/transfer/bundle/bundle-error.ts';
import type { BundleProgress } from '../core/transfer/bundle/bundle-progress.ts';
import type {
  BundleStore,
  HeldBank,
  ImportAs,
  ImportOutcome,
} from '../core/transfer/bundle/bundle-store.ts';
import type { ExportPreview } from '../core/transfer/bundle/preview.ts';
import { EXPORT_FORMATS, type TextFormat } from './exchange-formats.ts';
import type { ReadMemories } from './memory-import.ts';

export interface ExchangePorts {
  readonly bundles: BundleStore<Blob>;
  readonly runs: RunStore;
  readonly clock: Clock;
  nextId(): string;
  /** Hands a file to the person. */
  download(file: Blob, name: string): void;
  /** Remembers that a file of lessons was written: an erasure names those it cannot reach. */
  readonly exports: {
    note(written: {
      readonly kind: 'text';
      readonly bankId: string;
      readonly fileName: string;
      readonly at: string;
      readonly head: LogHead;
    }): Promise<void>;
  };
}

/** What an import waits for a person to say. */
export type ImportQuestion =
  | { readonly type: 'passphrase'; readonly file: File; readonly wrong: boolean }
  | {
      readonly type: 'relation';
      readonly file: File;
      readonly passphrase: string | undefined;
      readonly outcome: Extract<ImportOutcome, { type: 'newer' | 'older' | 'diverged' }>;
    }
  | { readonly type: 'memories'; readonly fileName: string; readonly read: ReadMemories };

/** How far an export or import is. */
export interface ExchangeJob {
  readonly what: string;
  readonly progress: BundleProgress | null;
}

/** Banks as files: what would leave, what comes in, and what is held until it is trusted. */
export class ExchangeState {
  job: ExchangeJob | null = $state.raw(null);
  question: ImportQuestion | null = $state.raw(null);
  /** Banks from outside that wait to be trusted. */
  held: readonly HeldBank[] = $state.raw([]);
  /** What went wrong, and what went well, last. */
  problem: string | null = $state(null);
  news: string | null = $state(null);

  readonly #ports: ExchangePorts;
  #abort: AbortController | null = null;

  constructor(ports: ExchangePorts) {
    this.#ports = ports;
  }

  async refresh(): Promise<void> {
    await this.#guard(async () => {
      this.held = await this.#ports.bundles.listHeld();
    });
  }

  stop(): void {
    this.#abort?.abort();
  }

  /** Forgets what was asked and said. */
  clear(): void {
    this.question = null;
    this.problem = null;
    this.news = null;
  }

  /** What a bundle of a bank would let out; null where it could not be told. */
  async preview(bankId: string, sources: boolean): Promise<ExportPreview | null> {
    let preview: ExportPreview | null = null;
    await this.#run('Looking through the bank', async (options) => {
      preview = await this.#ports.bundles.previewExport(bankId, { sources, ...options });
    });
    return preview;
  }

  async exportBundle(
    bankId: string,
    options: { readonly sources: boolean; readonly passphrase: string | undefined },
  ): Promise<boolean> {
    return this.#run('Writing the bundle', async (run) => {
      const made = await this.#ports.bundles.exportBundle(bankId, { ...options, ...run });
      this.#ports.download(made.file, made.fileName);
      const left = made.leftOut.length;
      this.news =
        left === 0
          ? `${made.fileName} is written.`
          : `${made.fileName} is written, without ${left} ${left === 1 ? 'image' : 'images'} that ${left === 1 ? 'is' : 'are'} not stored or not safe to send.`;
    });
  }

  async exportText(
    bank: { readonly tree: Tree; readonly head: LogHead },
    format: TextFormat,
  ): Promise<boolean> {
    return this.#run('Writing the lessons', async ({ signal }) => {
      const { exportText } = await import('./bank-export.ts');
      const extension = EXPORT_FORMATS.find((known) => known.format === format)?.extension ?? '';
      const name = bank.tree.manifest.name.replace(/[^\p{L}\p{N}]+/gu, '-').toLowerCase();
      const fileName = `${name}-${format}${extension}`;
      const file = await exportText(bank, format, signal);
      const { id: bankId } = bank.tree.manifest;
      const at = this.#ports.clock.now();
      await this.#ports.exports.note({ kind: 'text', bankId, fileName, at, head: bank.head });
      this.#ports.download(file, fileName);
      this.news = `${fileName} is written.`;
    });
  }

  /** Reads a file: a bundle is checked and held, a file of memory items is shown before it is taken. */
  async importFile(
    file: File,
    options: {
      readonly passphrase?: string | undefined;
      readonly as?: ImportAs | undefined;
    } = {},
  ): Promise<void> {
    this.clear();
    await this.#run(`Reading ${file.name}`, async (run) => {
      const { isBundleFile, readMemories } = await import('./memory-import.ts');
      if (!(await isBundleFile(file))) {
        const read = await readMemories(file);
        if (read.ok) this.question = { type: 'memories', fileName: file.name, read: read.value };
        else this.problem = `${file.name} was not imported. ${read.refusal.message}`;
        return;
      }
      try {
        const now = this.#ports.clock.now();
        const outcome = await this.#ports.bundles.importBundle(file, {
          ...options,
          ...run,
          now,
          fileName: file.name,
        });
        await this.#take(outcome, file, options.passphrase);
      } catch (error) {
        if (!(error instanceof BundleError)) throw error;
        const asks = error.code === 'needs-passphrase' || error.code === 'wrong-passphrase';
        if (!asks) throw error;
        this.question = { type: 'passphrase', file, wrong: error.code === 'wrong-passphrase' };
      }
    });
  }

  /** Takes memory items into a bank's inbox; gives how to take that back. */
  async takeMemories(bankId: string): Promise<(() => void) | null> {
    const { question } = this;
    if (question?.type !== 'memories') return null;
    let drafts: readonly LessonDraft[] = [];
    const done = await this.#run('Filling the inbox', async ({ signal }) => {
      const { draftsOf } = await import('./memory-import.ts');
      drafts = draftsOf(question.read, {
        bankId,
        fileName: question.fileName,
        at: this.#ports.clock.now(),
        nextId: () => this.#ports.nextId(),
      });
      signal.throwIfAborted();
      await this.#ports.runs.putDrafts(drafts);
    });
    if (!done) return null;
    this.question = null;
    const ids = drafts.map(({ id }) => id);
    return () => void this.#guard(() => this.#ports.runs.deleteDrafts(ids));
  }

  /** Makes a held bank one like any other; gives its id. */
  async trust(held: HeldBank): Promise<string | null> {
    let id: string | null = null;
    await this.#guard(async () => {
      id = (await this.#ports.bundles.trustHeld(held.heldId)).manifest.id;
      this.held = await this.#ports.bundles.listHeld();
    });
    return id;
  }

  async discard(held: HeldBank): Promise<void> {
    await this.#guard(async () => {
      await this.#ports.bundles.discardHeld(held.heldId);
      this.held = await this.#ports.bundles.listHeld();
    });
  }

  async #take(outcome: ImportOutcome, file: File, passphrase: string | undefined): Promise<void> {
    switch (outcome.type) {
      case 'held':
        this.news = `“${outcome.bank.manifest.name}” is here and checked. It is used for nothing until you trust it.`;
        break;
      case 'already-held':
        this.news = `“${outcome.bank.manifest.name}” was imported before, and waits for you to trust it.`;
        break;
      case 'already-here':
        this.news = outcome.sameSettings
          ? 'This bank is here already, entry for entry: there is nothing to import.'
          : 'This bank is here already, entry for entry, under other settings: those here stay.';
        break;
      default:
        this.question = { type: 'relation', file, passphrase, outcome };
    }
    this.held = await this.#ports.bundles.listHeld();
  }

  /** One job at a time; true where it came to its end. */
  async #run(
    what: string,
    work: (options: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: BundleProgress) => void;
    }) => Promise<void>,
  ): Promise<boolean> {
    if (this.job !== null) return false;
    const abort = new AbortController();
    this.#abort = abort;
    this.job = { what, progress: null };
    this.news = null;
    const onProgress = (progress: BundleProgress) => (this.job = { what, progress });
    const done = await this.#guard(() => work({ signal: abort.signal, onProgress }));
    this.job = null;
    return done;
  }

  async #guard(work: () => Promise<void>): Promise<boolean> {
    this.problem = null;
    try {
      await work();
      return true;
    } catch (error) {
      if (this.#abort?.signal.aborted === true) {
        this.news = 'Stopped: nothing was changed.';
        return false;
      }
      if (!(error instanceof StorageError || error instanceof BundleError)) throw error;
      this.problem = error.message;
      return false;
    }
  }
}
