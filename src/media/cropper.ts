import { boxToPixels } from '../core/box.ts';
import { MediaError } from '../core/errors.ts';
import type { BlobStore, Cropper } from '../core/ports.ts';
import { runPixelJob } from './pixel-job.ts';

/**
 * Crops as PNG, at the source's own resolution, stored by content hash. In one browser the same
 * source and box give the same bytes. Throws `MediaError` `corrupt` where the source is gone or damaged.
 */
export function makeCropper(blobs: BlobStore): Cropper {
  return {
    async crop(image, box, signal) {
      const stored = await blobs.get(image.hash);
      if (stored === undefined) {
        throw new MediaError('corrupt', `${image.name} is no longer stored, so it cannot be cut.`);
      }
      const region = boxToPixels(box, image);
      const source = new Blob([stored.bytes], { type: stored.mediaType });
      const mediaType = 'image/png';
      const pixels = await runPixelJob({ source, region, encode: mediaType }, signal).catch(
        (cause: unknown) => {
          signal?.throwIfAborted();
          const message = `${image.name} is damaged: no part of it could be cut out.`;
          throw new MediaError('corrupt', message, { cause });
        },
      );
      return {
        hash: await blobs.put(pixels.bytes, mediaType),
        mediaType,
        width: pixels.width,
        height: pixels.height,
        sourceHash: image.hash,
        sourceWidth: image.width,
        sourceHeight: image.height,
        box,
      };
    },
  };
}
