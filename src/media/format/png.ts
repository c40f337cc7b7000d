import { exifOrientation } from './exif.ts';
import { addRange, byteReader, type ByteRange, type FormatScan } from './scan.ts';

const SIGNATURE_LENGTH = 8;
/** Chunks that say who, where and when, and nothing about pixels. */
const METADATA = new Set(['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME']);

/** Walks the chunks of a PNG (also an animated one). */
export function scanPng(bytes: Uint8Array): FormatScan {
  const read = byteReader(bytes);
  const keep: ByteRange[] = [[0, SIGNATURE_LENGTH]];
  let orientation = 1;
  let frames = 1;
  let complete = false;
  let at = SIGNATURE_LENGTH;
  while (at + 12 <= read.length) {
    const length = read.u32(at);
    const type = read.text(at + 4, 4);
    const end = at + 12 + length;
    if (end > read.length) break;
    if (type === 'eXIf') orientation = exifOrientation(bytes.subarray(at + 8, at + 8 + length));
    if (type === 'acTL') frames = Math.max(1, read.u32(at + 8));
    if (!METADATA.has(type)) addRange(keep, at, end);
    at = end;
    if (type === 'IEND') {
      complete = true;
      break;
    }
  }
  const hasHeader = read.text(12, 4) === 'IHDR';
  return {
    width: hasHeader ? read.u32(16) : 0,
    height: hasHeader ? read.u32(20) : 0,
    orientation,
    frames,
    complete,
    keep,
    cmyk: 'no',
  };
}
