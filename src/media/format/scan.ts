/** A half-open range of bytes: `[start, end)`. */
export type ByteRange = readonly [start: number, end: number];

/** What the structure of a picture file says before any pixel is decoded. */
export interface FormatScan {
  /** Pixels as stored, before any orientation; 0 where the file ends before it says. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, 1 to 8; 1 is upright. */
  readonly orientation: number;
  readonly frames: number;
  /** Whether the file is all there; false for one that was cut off. */
  readonly complete: boolean;
  /** The file without what is not needed to show it: EXIF, XMP, comments, times, trailing bytes. */
  readonly keep: readonly ByteRange[];
  /** Whether colours are CMYK, and whether the file says how they are written (Adobe marker). */
  readonly cmyk: 'no' | 'marked' | 'unmarked';
}

/** Reads big- or little-endian numbers of a file; past its end they read as 0. */
export interface ByteReader {
  readonly length: number;
  u8(at: number): number;
  u16(at: number): number;
  u32(at: number): number;
  /** `count` bytes as Latin-1 text. */
  text(at: number, count: number): string;
}

export function byteReader(bytes: Uint8Array, endian: 'big' | 'little' = 'big'): ByteReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = endian === 'little';
  return {
    length: bytes.length,
    u8: (at) => bytes[at] ?? 0,
    u16: (at) => (at + 2 <= bytes.length ? view.getUint16(at, little) : 0),
    u32: (at) => (at + 4 <= bytes.length ? view.getUint32(at, little) : 0),
    text: (at, count) => String.fromCharCode(...bytes.subarray(at, at + count)),
  };
}

/** Adds a range to a list, growing the last one where they touch. */
export function addRange(ranges: ByteRange[], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && last[1] === start) ranges[ranges.length - 1] = [last[0], end];
  else ranges.push([start, end]);
}

/** The bytes of the ranges, one after another. The same array where they cover all of it. */
export function joinRanges(
  bytes: Uint8Array<ArrayBuffer>,
  ranges: readonly ByteRange[],
): Uint8Array<ArrayBuffer> {
  const length = ranges.reduce((sum, [start, end]) => sum + end - start, 0);
  if (length === bytes.length) return bytes;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const [start, end] of ranges) {
    joined.set(bytes.subarray(start, end), at);
    at += end - start;
  }
  return joined;
}
