import { MediaError, StorageError } from '../core/errors.ts';
import { makeTask, type Task, type TaskImage } from '../core/task.ts';

/** An image of the task being written, and what was done to it on the way in. */
export interface DraftImage {
  readonly image: TaskImage;
  readonly notes: readonly string[];
}

/** A PDF whose pages a person chooses from. */
export interface PdfPages {
  readonly name: string;
  readonly pages: number;
  /** A small picture of a 1-based page. */
  thumbnail(page: number, signal: AbortSignal): Promise<Blob>;
  load(page: number, signal: AbortSignal): Promise<DraftImage>;
  close(): void;
}

/** Reads files; both throw `MediaError` or `StorageError`. */
export interface TaskMedia {
  isPdf(file: File): Promise<boolean>;
  loadImage(file: File, signal: AbortSignal): Promise<DraftImage>;
  openPdf(file: File, signal: AbortSignal): Promise<PdfPages>;
}

/** The task as a person writes it: question, images, public information. */
export class TaskDraft {
  question = $state('');
  publicInformation = $state('');
  images: readonly DraftImage[] = $state.raw([]);
  /** Names of files being read. */
  reading: readonly string[] = $state.raw([]);
  /** What could not be read, newest last; each names the file and the cause. */
  refused: readonly string[] = $state.raw([]);
  /** The PDF whose pages are being chosen. */
  pdf: PdfPages | null = $state.raw(null);
  readonly ready = $derived(this.question.trim() !== '' && this.reading.length === 0);

  readonly #media: TaskMedia;
  #abort = new AbortController();

  constructor(media: TaskMedia) {
    this.#media = media;
  }

  /** The task as it stands. */
  toTask(): Task {
    return makeTask({
      question: this.question.trim(),
      publicInformation: this.publicInformation.trim(),
      images: this.images.map(({ image }) => image),
    });
  }

  /** Takes a stored task over, to change and run it again. */
  fill(task: Task): void {
    this.clear();
    this.question = task.question;
    this.publicInformation = task.publicInformation;
    this.images = task.images.map((image) => ({ image, notes: [] }));
  }

  clear(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.pdf?.close();
    this.question = '';
    this.publicInformation = '';
    this.images = [];
    this.reading = [];
    this.refused = [];
    this.pdf = null;
  }

  /** Reads files one after the other; what cannot be used is named and the rest is kept. */
  async add(files: readonly File[]): Promise<void> {
    this.refused = [];
    this.reading = [...this.reading, ...files.map(({ name }) => name)];
    for (const file of files) {
      await this.#attempt(file.name, async (signal) => {
        if (await this.#media.isPdf(file)) await this.#open(file, signal);
        else this.#keep(await this.#media.loadImage(file, signal));
      });
    }
  }

  /** Takes pages of the open PDF as images, in the order given, and closes it. */
  async addPages(pages: readonly number[]): Promise<void> {
    const { pdf } = this;
    if (pdf === null) return;
    this.pdf = null;
    const nameOf = (page: number) => `${pdf.name}, page ${page}`;
    this.reading = [...this.reading, ...pages.map(nameOf)];
    for (const page of pages) {
      await this.#attempt(nameOf(page), async (signal) => this.#keep(await pdf.load(page, signal)));
    }
    pdf.close();
  }

  closePdf(): void {
    this.pdf?.close();
    this.pdf = null;
  }

  /** Removes an image; returns what puts it back. */
  remove(index: number): () => void {
    const before = this.images;
    this.images = before.filter((_, at) => at !== index);
    return () => {
      this.images = before;
    };
  }

  async #open(file: File, signal: AbortSignal): Promise<void> {
    const pdf = await this.#media.openPdf(file, signal);
    if (pdf.pages > 1) {
      this.pdf?.close();
      this.pdf = pdf;
      return;
    }
    this.#keep(await pdf.load(1, signal));
    pdf.close();
  }

  #keep(added: DraftImage): void {
    if (this.images.some(({ image }) => image.hash === added.image.hash)) {
      this.refused = [...this.refused, `${added.image.name} is already part of this task.`];
      return;
    }
    this.images = [...this.images, added];
  }

  async #attempt(name: string, read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#abort;
    try {
      await read(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof MediaError || error instanceof StorageError)) throw error;
      this.refused = [...this.refused, error.message];
    } finally {
      if (!signal.aborted) this.reading = withoutOne(this.reading, name);
    }
  }
}

function withoutOne(names: readonly string[], name: string): readonly string[] {
  const at = names.indexOf(name);
  return at < 0 ? names : names.toSpliced(at, 1);
}
