/** Bytes that are read piece by piece: a file, or what an encrypted one says. */
export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /** The bytes from `start` up to `end`, fewer only where the source ends before. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** How many bytes are read at a time where all of something is read. */
export const PIECE_BYTES = 256 * 1024;

/** A file as it is. Reads throw the browser's `DOMException` where it cannot be read. */
export function fileSource(file: Blob): ByteSource {
  return {
    size: file.size,
    read: async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer()),
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
