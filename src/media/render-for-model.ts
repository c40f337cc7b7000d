import type { ImagePart } from '../core/call.ts';
import { MediaError } from '../core/errors.ts';
import type { BlobStore } from '../core/ports.ts';
import { runPixelJob } from './pixel-job.ts';

/** Image bytes as an endpoint or an in-browser model takes them. */
export interface ModelImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/**
 * The bytes of an image part, scaled down where a side is longer than `maxSide` pixels (JPEG stays
 * JPEG, all else becomes PNG), else as stored. Throws `MediaError` `corrupt` where they are gone or
 * damaged, or the abort reason.
 */
export async function renderForModel(
  blobs: BlobStore,
  part: ImagePart,
  { maxSide, signal }: { maxSide: number; signal?: AbortSignal },
): Promise<ModelImage> {
  const name = `The image ${part.hash.slice(0, 8)}…`;
  const stored = await blobs.get(part.hash);
  if (stored === undefined) throw new MediaError('corrupt', `${name} is no longer stored.`);
  const { bytes, mediaType } = stored;
  const { width, height } = part;
  if (Math.max(width, height) <= maxSide) return { mediaType, bytes, width, height };
  const encode = mediaType === 'image/jpeg' ? mediaType : 'image/png';
  try {
    const source = new Blob([bytes], { type: mediaType });
    return { mediaType: encode, ...(await runPixelJob({ source, maxSide, encode }, signal)) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new MediaError('corrupt', `${name} is damaged: it could not be decoded.`, { cause });
  }
}
