import { z } from 'zod';
import type { PixelRect } from '../core/box.ts';

/** Pixels to decode, and what to do with them. EXIF orientation is applied while decoding. */
export interface PixelJob {
  /** Encoded bytes, or an `ImageBitmap`, which is given away. */
  readonly source: Blob | ImageBitmap;
  /** Cut this out first; whole pixels of the upright image. */
  readonly region?: PixelRect;
  /** Scale down, never up, so that neither side is longer. */
  readonly maxSide?: number;
  /** Without it nothing is encoded: the job only proves that the bytes decode, and to what size. */
  readonly encode?: 'image/png' | 'image/jpeg';
}

const replySchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    width: z.number(),
    height: z.number(),
    bytes: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array).nullable(),
  }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

/** What came of a job. `bytes` is empty where the job encoded nothing. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Runs one job in a worker of its own, which ends with it: an abort stops decoding at once, and a
 * decoder that crashes takes nothing with it. Throws the abort reason, or an `Error` saying why the
 * pixels could not be had; callers turn it into a `MediaError` with the file's name.
 */
export async function runPixelJob(job: PixelJob, signal?: AbortSignal): Promise<Pixels> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./pixel-worker.ts', import.meta.url), { type: 'module' });
  const ended = Promise.withResolvers<unknown>();
  const abort = () => ended.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  worker.addEventListener('message', (event) => ended.resolve(event.data));
  worker.addEventListener('error', (event) =>
    ended.reject(new Error(event.message || 'the image worker did not start')),
  );
  try {
    worker.postMessage(job, job.source instanceof Blob ? [] : [job.source]);
    const reply = replySchema.parse(await ended.promise);
    if (!reply.ok) throw new Error(reply.message);
    return {
      width: reply.width,
      height: reply.height,
      bytes: reply.bytes ?? new Uint8Array(),
    };
  } finally {
    signal?.removeEventListener('abort', abort);
    worker.terminate();
  }
}
