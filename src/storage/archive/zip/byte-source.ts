/** Bytes that are read piece by piece: a file, or what an encrypted one says. */
export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /** The bytes from `start` up to `end`, fewer only where the source ends before. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** How many bytes are read at a time where all of something is read. */
export const PIECE_BYTES = 256 * 1024;

/** How many bytes of a file are asked for at least: small reads that follow each other come from those. */
const AHEAD_BYTES = 1 << 20;

/** A file as it is. Reads throw the browser's `DOMException` where it cannot be read. */
export function fileSource(file: Blob): ByteSource {
  let ahead = { start: 0, bytes: new Uint8Array(0) };
  return {
    size: file.size,
    async read(start, end) {
      const known = ahead;
      const at = start - known.start;
      if (at >= 0 && end <= known.start + known.bytes.byteLength) {
        return known.bytes.slice(at, at + end - start);
      }
      const reach = Math.max(end, Math.min(file.size, start + AHEAD_BYTES));
      const bytes = new Uint8Array(await file.slice(start, reach).arrayBuffer());
      ahead = { start, bytes };
      return bytes.slice(0, end - start);
    },
  };
}

/** The bytes from `start` up to `end`, a piece at a time. */
export async function* readPieces(
  source: ByteSource,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = start; at < end; at += PIECE_BYTES) {
    yield await source.read(at, Math.min(end, at + PIECE_BYTES));
  }
}
