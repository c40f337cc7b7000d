import { blobParts } from '../zip/blob-parts.ts';

/** Where a file goes, part by part, in order. */
export interface ByteSink {
  write(part: Uint8Array<ArrayBuffer> | Blob): Promise<void>;
  /** What is still held back goes out; nothing may follow. */
  close(): Promise<void>;
}

/** A sink whose parts become a file; they spill into Blobs, which the browser may keep on disk. */
export function fileSink(type: string): { readonly sink: ByteSink; file(): Blob } {
  const parts = blobParts();
  return {
    sink: {
      write: async (part) => parts.push(part),
      close: async () => undefined,
    },
    file: () => new Blob([...parts.parts()], { type }),
  };
}
