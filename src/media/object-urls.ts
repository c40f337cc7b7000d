import type { Hash } from '../core/canonical.ts';
import { MediaError } from '../core/errors.ts';
import type { BlobStore } from '../core/ports.ts';

/** Object URLs of stored images, shared and counted: the last release frees the bytes. */
export interface ImageUrls {
  /**
   * A URL for `<img>`; every acquire needs one release, also one that failed. Throws `MediaError`
   * `corrupt` where nothing is stored under the hash.
   */
  acquire(hash: Hash): Promise<string>;
  release(hash: Hash): void;
  /** Frees all of them, whoever still holds one. */
  close(): void;
}

export function makeImageUrls(blobs: BlobStore): ImageUrls {
  const held = new Map<Hash, { url: Promise<string>; count: number }>();
  const create = async (hash: Hash) => {
    const stored = await blobs.get(hash);
    if (stored === undefined) {
      throw new MediaError('corrupt', `The image ${hash.slice(0, 8)}… is no longer stored.`);
    }
    return URL.createObjectURL(new Blob([stored.bytes], { type: stored.mediaType }));
  };
  // A URL that is still being made is revoked as soon as it is there; one that failed has nothing to free.
  const free = (url: Promise<string>) => void url.then(URL.revokeObjectURL, () => undefined);
  return {
    acquire(hash) {
      const entry = held.get(hash) ?? { url: create(hash), count: 0 };
      entry.count += 1;
      held.set(hash, entry);
      return entry.url;
    },
    release(hash) {
      const entry = held.get(hash);
      if (entry === undefined) return;
      entry.count -= 1;
      if (entry.count > 0) return;
      held.delete(hash);
      free(entry.url);
    },
    close() {
      for (const { url } of held.values()) free(url);
      held.clear();
    },
  };
}
