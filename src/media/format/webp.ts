import { exifOrientation } from './exif.ts';
import { addRange, byteReader, joinRanges, type ByteRange, type FormatScan } from './scan.ts';

const RIFF_HEADER = 12;
const EXIF_FLAG = 0x08;
const XMP_FLAG = 0x04;

/** Walks the chunks of a WebP: lossy, lossless, extended, animated. */
export function scanWebp(bytes: Uint8Array): FormatScan {
  const read = byteReader(bytes, 'little');
  const keep: ByteRange[] = [[0, RIFF_HEADER]];
  const u24 = (at: number) => read.u16(at) + read.u8(at + 2) * 0x10000;
  let [width, height, orientation, animationFrames] = [0, 0, 1, 0];
  const riffEnd = 8 + read.u32(4);
  let at = RIFF_HEADER;
  while (at + 8 <= Math.min(riffEnd, read.length)) {
    const type = read.text(at, 4);
    const length = read.u32(at + 4);
    const body = at + 8;
    // Chunks are padded to an even length; a last one without its pad is tolerated.
    const end = Math.min(body + length + (length % 2), Math.max(body + length, read.length));
    if (body + length > read.length) break;
    if (type === 'VP8X') [width, height] = [u24(body + 4) + 1, u24(body + 7) + 1];
    if (width === 0 && type === 'VP8 ') {
      [width, height] = [read.u16(body + 6) & 0x3fff, read.u16(body + 8) & 0x3fff];
    }
    if (width === 0 && type === 'VP8L') {
      const bits = read.u32(body + 1);
      [width, height] = [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    if (type === 'ANMF') animationFrames += 1;
    if (type === 'EXIF') orientation = exifBlock(bytes.subarray(body, body + length));
    else if (type !== 'XMP ') addRange(keep, at, end);
    at = end;
  }
  return {
    width,
    height,
    orientation,
    frames: Math.max(1, animationFrames),
    complete: riffEnd <= read.length && at >= Math.min(riffEnd, read.length),
    keep,
    cmyk: 'no',
  };
}

/** Some writers put JPEG's `Exif\0\0` before the TIFF block. */
function exifBlock(block: Uint8Array): number {
  const prefixed = byteReader(block).text(0, 4) === 'Exif';
  return exifOrientation(prefixed ? block.subarray(6) : block);
}

/** A WebP without its metadata chunks: length and flags of the container follow. */
export function stripWebp(
  bytes: Uint8Array<ArrayBuffer>,
  keep: readonly ByteRange[],
): Uint8Array<ArrayBuffer> {
  const joined = joinRanges(bytes, keep);
  if (joined === bytes) return bytes;
  const view = new DataView(joined.buffer);
  view.setUint32(4, joined.length - 8, true);
  if (byteReader(joined).text(RIFF_HEADER, 4) === 'VP8X') {
    view.setUint8(RIFF_HEADER + 8, view.getUint8(RIFF_HEADER + 8) & ~(EXIF_FLAG | XMP_FLAG));
  }
  return joined;
}
