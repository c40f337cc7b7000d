/** How much gathers on the heap before it becomes a Blob, which the browser may keep on disk. */
const SPILL_BYTES = 1 << 20;

/** A file that grows part by part. */
export interface BlobParts {
  push(part: Uint8Array<ArrayBuffer> | Blob): void;
  /** Everything so far, as the parts of a larger file. */
  parts(): readonly Blob[];
}

export function blobParts(): BlobParts {
  const parts: Blob[] = [];
  let pending: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const spill = () => {
    if (pending.length > 0) parts.push(new Blob(pending));
    pending = [];
    bytes = 0;
  };
  return {
    push(part) {
      if (part instanceof Blob) {
        spill();
        parts.push(part);
        return;
      }
      pending.push(part);
      bytes += part.byteLength;
      if (bytes >= SPILL_BYTES) spill();
    },
    parts() {
      spill();
      return parts;
    },
  };
}
