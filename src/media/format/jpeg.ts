import { exifOrientation } from './exif.ts';
import { addRange, byteReader, type ByteRange, type ByteReader, type FormatScan } from './scan.ts';

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** SOF0 to SOF15, without DHT, JPG and DAC, which share the range. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Restart markers, TEM and SOI stand alone, without a length. */
function standsAlone(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01;
}

/** EXIF, XMP, IPTC, comments and pictures within pictures; JFIF, ICC profile and Adobe marker stay. */
function isMetadata(read: ByteReader, at: number, marker: number): boolean {
  if (marker === 0xfe) return true;
  if (marker < 0xe0 || marker > 0xef) return false;
  if (marker === 0xe0) return read.text(at + 4, 4) !== 'JFIF';
  if (marker === 0xe2) return read.text(at + 4, 11) !== 'ICC_PROFILE';
  return marker !== 0xee;
}

/** Where the entropy-coded data that begins at `from` ends: the next real marker, or the end. */
function endOfScan(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at !== -1 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
    at = bytes.indexOf(0xff, next === 0xff ? at + 1 : at + 2);
  }
  return bytes.length;
}

/** Walks the segments of a JPEG, baseline or progressive, to its end-of-image marker. */
export function scanJpeg(bytes: Uint8Array): FormatScan {
  const read = byteReader(bytes);
  const keep: ByteRange[] = [[0, 2]];
  let frame = { width: 0, height: 0, components: 0 };
  let orientation = 1;
  let adobe = false;
  let complete = false;
  let at = 2;
  while (at + 2 <= read.length && !complete) {
    const marker = read.u8(at + 1);
    if (read.u8(at) !== 0xff || marker === 0xff || marker === 0) {
      // Fill bytes, or a few stray ones that decoders skip as well.
      at += 1;
      continue;
    }
    complete = marker === END_OF_IMAGE;
    const length = complete || standsAlone(marker) ? 0 : read.u16(at + 2);
    let end = at + 2 + length;
    if (end > read.length) break;
    if (isFrameHeader(marker)) {
      frame = { height: read.u16(at + 5), width: read.u16(at + 7), components: read.u8(at + 9) };
    }
    if (marker === 0xe1 && read.text(at + 4, 4) === 'Exif') {
      orientation = exifOrientation(bytes.subarray(at + 10, end));
    }
    if (marker === 0xee && read.text(at + 4, 5) === 'Adobe') adobe = true;
    if (marker === START_OF_SCAN) end = endOfScan(bytes, end);
    if (!isMetadata(read, at, marker)) addRange(keep, at, end);
    at = end;
  }
  const cmyk = frame.components !== 4 ? 'no' : adobe ? 'marked' : 'unmarked';
  return {
    width: frame.width,
    height: frame.height,
    orientation,
    frames: 1,
    complete,
    keep,
    cmyk,
  };
}
