import { createContext } from 'svelte';

/** URLs of stored images, counted: each `acquire` is answered by one `release`. */
export interface ImageUrls {
  /** Throws `StorageError` where the image is not there. */
  acquire(hash: string): Promise<string>;
  release(hash: string): void;
}

/** How components reach stored images; the app sets it once. */
export const [getImageUrls, setImageUrls] = createContext<ImageUrls>();
