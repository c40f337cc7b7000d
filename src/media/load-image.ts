import { MediaError } from '../core/errors.ts';
import type { BlobStore } from '../core/ports.ts';
import type { TaskImage } from '../core/task.ts';
import { joinRanges } from './format/scan.ts';
import { stripWebp } from './format/webp.ts';
import { runPixelJob, type PixelJob, type Pixels } from './pixel-job.ts';
import {
  detectFormat,
  label,
  MAX_FILE_BYTES,
  readHeader,
  svgText,
  type ImageHeader,
  type MediaFormat,
} from './read-header.ts';
import { rasterizeSvg } from './svg.ts';

/** A file as a person gives it. A pasted image needs a name given to it: `pasted image`. */
export type NamedBlob = Blob & { readonly name: string };

/** An image that is stored, and what a person should know about how it was read. */
export interface LoadedImage {
  readonly image: TaskImage;
  readonly notes: readonly string[];
}

/**
 * Reads a picture, proves that it decodes, and stores it upright and without EXIF, XMP or comments
 * (no location leaves with it). PNG, JPEG and WebP that are upright and still keep their pixels byte
 * for byte; all else is encoded anew, as PNG or, from JPEG, as JPEG. Throws `MediaError` whose
 * message names the file and the cause, `StorageError`, or the abort reason.
 */
export async function loadImage(
  file: NamedBlob,
  { blobs, signal }: { blobs: BlobStore; signal?: AbortSignal },
): Promise<LoadedImage> {
  const bytes = await readFile(file);
  signal?.throwIfAborted();
  const format = detectFormat(file.name, bytes);
  if (format === 'pdf') {
    throw new MediaError('unknown-format', `${file.name} is a PDF: choose its pages first.`);
  }
  const found =
    format === 'svg'
      ? await rasterizeSvg(file.name, svgText(bytes), signal)
      : await readRaster(file, bytes, readHeader(file.name, bytes, format), signal);
  return { image: await storeImage(file.name, found, blobs), notes: found.notes };
}

/** Whether a file is a PDF, by its first bytes: then `openPdf` is the way in. */
export async function isPdf(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 1024).arrayBuffer());
  return new TextDecoder('latin1').decode(head).includes('%PDF-');
}

/** All bytes of a file. Throws `MediaError`: `too-large` over the limit, `corrupt` where it is not readable. */
export async function readFile(file: NamedBlob): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > MAX_FILE_BYTES) {
    const megabytes = (bytes: number) => Math.ceil(bytes / (1024 * 1024));
    throw new MediaError(
      'too-large',
      `${file.name} is ${megabytes(file.size)} MB; at most ${megabytes(MAX_FILE_BYTES)} MB.`,
    );
  }
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (cause) {
    throw new MediaError('corrupt', `${file.name} could not be read from the disk.`, { cause });
  }
}

/** Encoded upright pixels on their way into the store. */
export interface EncodedImage extends Pixels {
  readonly mediaType: string;
}

/** Stores encoded pixels and says what they are. */
export async function storeImage(
  name: string,
  { bytes, mediaType, width, height }: EncodedImage,
  blobs: BlobStore,
): Promise<TaskImage> {
  const byteLength = bytes.byteLength;
  const hash = await blobs.put(bytes, mediaType);
  return { hash, name, mediaType, width, height, byteLength };
}

async function readRaster(
  file: NamedBlob,
  bytes: Uint8Array<ArrayBuffer>,
  header: ImageHeader,
  signal: AbortSignal | undefined,
): Promise<EncodedImage & { notes: string[] }> {
  const notes = notesOn(header);
  const { format } = header;
  const keepsBytes =
    ['png', 'jpeg', 'webp'].includes(format) &&
    header.orientation === 1 &&
    header.frames === 1 &&
    header.cmyk === 'no';
  if (keepsBytes) {
    const stripped =
      format === 'webp' ? stripWebp(bytes, header.keep) : joinRanges(bytes, header.keep);
    const mediaType = `image/${format}`;
    const source = new Blob([stripped], { type: mediaType });
    const { width, height } = await decode(file.name, format, { source }, signal);
    return { bytes: stripped, mediaType, width, height, notes };
  }
  const mediaType = format === 'jpeg' ? 'image/jpeg' : 'image/png';
  const source = new Blob([bytes], { type: `image/${format}` });
  const pixels = await decode(file.name, format, { source, encode: mediaType }, signal);
  return { ...pixels, mediaType, notes };
}

function notesOn(header: ImageHeader): string[] {
  const notes: string[] = [];
  if (header.frames > 1) notes.push(`The first of ${header.frames} frames is used.`);
  if (header.orientation !== 1) notes.push('Turned upright, as its EXIF data say.');
  if (header.cmyk !== 'no') notes.push('Changed from CMYK to screen colours.');
  if (header.cmyk === 'unmarked') {
    notes.push('Its colours may be wrong: the file does not say how its inks are written.');
  }
  return notes;
}

/** Runs a job whose failure means that the file is damaged. */
async function decode(
  name: string,
  format: MediaFormat,
  job: PixelJob,
  signal: AbortSignal | undefined,
): Promise<Pixels> {
  try {
    return await runPixelJob(job, signal);
  } catch (cause) {
    signal?.throwIfAborted();
    const message = `${name} is damaged: its ${label(format)} data could not be decoded.`;
    throw new MediaError('corrupt', message, { cause });
  }
}
