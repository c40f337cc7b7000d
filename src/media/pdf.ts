import type { BlobStore } from '../core/ports.ts';
import { MediaError } from '../core/errors.ts';
import type { TaskImage } from '../core/task.ts';
import { readFile, storeImage, type NamedBlob } from './load-image.ts';
import { detectFormat } from './read-header.ts';
import { runPixelJob, type Pixels } from './pixel-job.ts';
import type { PDFDocumentProxy } from 'pdfjs-dist';

/** A page is drawn this large on its long side: about 175 dots an inch on A4. */
const PAGE_LONG_SIDE_PX = 2048;
const THUMBNAIL_LONG_SIDE_PX = 240;

/** An open PDF. Pages are numbered from 1. Its worker lives until `close`. */
export interface OpenPdf {
  readonly name: string;
  readonly pages: number;
  /** A small PNG of a page. Throws `MediaError` `corrupt`. */
  thumbnail(page: number, signal?: AbortSignal): Promise<Blob>;
  /** Draws a page and stores it as a PNG named `NAME, page N`. Throws `MediaError` or `StorageError`. */
  load(page: number, options: { blobs: BlobStore; signal?: AbortSignal }): Promise<TaskImage>;
  close(): Promise<void>;
}

/**
 * Opens a PDF with pdf.js, which is fetched from this origin when the first PDF comes. Scripts in a
 * PDF never run. Throws `MediaError`: `encrypted` where it wants a password, `no-pages`, `corrupt`,
 * `empty-file`, `unknown-format`.
 */
export async function openPdf(file: NamedBlob, signal?: AbortSignal): Promise<OpenPdf> {
  const { name } = file;
  const bytes = await readFile(file);
  if (detectFormat(name, bytes) !== 'pdf') {
    throw new MediaError('unknown-format', `${name} is not a PDF.`);
  }
  const { openDocument } = await import('./pdf-engine.ts');
  const { document: pdf, close } = await openDocument(bytes, signal).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw openFailure(name, cause);
  });
  if (pdf.numPages < 1) {
    await close();
    throw new MediaError('no-pages', `${name} has no pages.`);
  }
  return {
    name,
    pages: pdf.numPages,
    async thumbnail(page, signal) {
      const pixels = await drawPage(name, { pdf, page, longSide: THUMBNAIL_LONG_SIDE_PX, signal });
      return new Blob([pixels.bytes], { type: 'image/png' });
    },
    async load(page, { blobs, signal }) {
      const pixels = await drawPage(name, { pdf, page, longSide: PAGE_LONG_SIDE_PX, signal });
      return storeImage(`${name}, page ${page}`, { ...pixels, mediaType: 'image/png' }, blobs);
    },
    close,
  };
}

function openFailure(name: string, cause: unknown): MediaError {
  if (cause instanceof Error && cause.name === 'PasswordException') {
    const message = `${name} is encrypted: it asks for a password. Save it without one, then add it again.`;
    return new MediaError('encrypted', message, { cause });
  }
  return new MediaError('corrupt', `${name} is damaged: it could not be opened as a PDF.`, {
    cause,
  });
}

interface PageDrawing {
  readonly pdf: PDFDocumentProxy;
  readonly page: number;
  readonly longSide: number;
  readonly signal: AbortSignal | undefined;
}

async function drawPage(name: string, { pdf, page, longSide, signal }: PageDrawing) {
  if (!Number.isInteger(page) || page < 1 || page > pdf.numPages) {
    throw new RangeError(`${name} has no page ${page}: it has ${pdf.numPages}.`);
  }
  signal?.throwIfAborted();
  try {
    return await renderPage({ pdf, page, longSide, signal });
  } catch (cause) {
    signal?.throwIfAborted();
    const message = `Page ${page} of ${name} is damaged: it could not be drawn.`;
    throw new MediaError('corrupt', message, { cause });
  }
}

async function renderPage({ pdf, page, longSide, signal }: PageDrawing): Promise<Pixels> {
  const source = await pdf.getPage(page);
  const { width, height } = source.getViewport({ scale: 1 });
  const viewport = source.getViewport({ scale: longSide / Math.max(width, height) });
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  // `print` draws without waiting for animation frames, which a tab in the background does not get.
  const task = source.render({ canvas, viewport, background: 'white', intent: 'print' });
  const abort = () => task.cancel();
  signal?.addEventListener('abort', abort);
  try {
    await task.promise;
  } finally {
    signal?.removeEventListener('abort', abort);
    source.cleanup();
  }
  const bitmap = await createImageBitmap(canvas);
  canvas.width = 0;
  return runPixelJob({ source: bitmap, encode: 'image/png' }, signal);
}
