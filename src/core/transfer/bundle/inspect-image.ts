import type { PixelSize } from '../../box.ts';
import type { BundleMediaType } from './bundle-format.ts';

/** What an image says of itself, without decoding its pixels. */
export interface ImageFacts extends PixelSize {
  readonly mediaType: BundleMediaType;
  /**
   * Something in it is not needed to show it: EXIF, XMP, comments, times, bytes after its end. Its name
   * is the hash of its bytes, so it cannot be taken out: the image stays out instead.
   */
  readonly hasMetadata: boolean;
}

/** Reads the structure of a PNG, JPEG or WebP from its first byte to its last; undefined where it is none, or broken. */
export function inspectImage(bytes: Uint8Array): ImageFacts | undefined {
  const facts = inspectPng(bytes) ?? inspectJpeg(bytes) ?? inspectWebp(bytes);
  return facts === undefined || facts.width < 1 || facts.height < 1 ? undefined : facts;
}

const PNG_SIGNATURE = '\u0089PNG\r\n\u001a\n';
const PNG_METADATA = new Set(['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME']);

function inspectPng(bytes: Uint8Array): ImageFacts | undefined {
  if (text(bytes, 0, 8) !== PNG_SIGNATURE || text(bytes, 12, 4) !== 'IHDR') return undefined;
  const view = viewOf(bytes);
  let hasMetadata = false;
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const type = text(bytes, at + 4, 4);
    const end = at + 12 + view.getUint32(at);
    if (end > bytes.length) return undefined;
    hasMetadata ||= PNG_METADATA.has(type);
    hasPixels ||= type === 'IDAT';
    at = end;
    if (type !== 'IEND') continue;
    if (!hasPixels) return undefined;
    return {
      mediaType: 'image/png',
      width: view.getUint32(16),
      height: view.getUint32(20),
      hasMetadata: hasMetadata || at < bytes.length,
    };
  }
  return undefined;
}

/** JFIF, an ICC profile and Adobe's colour marker say how to show the pixels; all else of APPn and COM does not. */
function isJpegMetadata(bytes: Uint8Array, at: number, marker: number): boolean {
  if (marker === 0xfe) return true;
  if (marker < 0xe0 || marker > 0xef) return false;
  if (marker === 0xe0) return text(bytes, at + 4, 4) !== 'JFIF';
  if (marker === 0xe2) return text(bytes, at + 4, 11) !== 'ICC_PROFILE';
  return marker !== 0xee;
}

function inspectJpeg(bytes: Uint8Array): ImageFacts | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return undefined;
  const view = viewOf(bytes);
  let size: PixelSize | undefined;
  let hasMetadata = false;
  for (let at = 2; at + 2 <= bytes.length;) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) {
      // Decoders skip fill bytes; nobody needs other bytes between segments.
      hasMetadata ||= bytes[at] !== 0xff;
      at += 1;
      continue;
    }
    if (marker === 0xd9) {
      if (size === undefined) return undefined;
      return {
        mediaType: 'image/jpeg',
        ...size,
        hasMetadata: hasMetadata || at + 2 < bytes.length,
      };
    }
    const alone = (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01;
    if (!alone && at + 4 > bytes.length) return undefined;
    const end = at + 2 + (alone ? 0 : view.getUint16(at + 2));
    if (end > bytes.length || (!alone && end < at + 4)) return undefined;
    if (isFrame(marker) && at + 9 <= bytes.length) {
      size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    hasMetadata ||= isJpegMetadata(bytes, at, marker);
    at = marker === 0xda ? endOfScan(bytes, end) : end;
  }
  return undefined;
}

/** SOF0 to SOF15, without DHT, JPG and DAC, which share the range. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Where entropy-coded data ends: the next real marker, or the end of the file. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

function inspectWebp(bytes: Uint8Array): ImageFacts | undefined {
  if (text(bytes, 0, 4) !== 'RIFF' || text(bytes, 8, 4) !== 'WEBP') return undefined;
  const view = viewOf(bytes);
  const end = 8 + view.getUint32(4, true);
  if (end > bytes.length) return undefined;
  let size: PixelSize | undefined;
  let hasMetadata = end < bytes.length;
  let at = 12;
  while (at + 8 <= end) {
    const type = text(bytes, at, 4);
    const length = view.getUint32(at + 4, true);
    if (at + 8 + length > end) return undefined;
    size ??= webpSize(view, type, { at: at + 8, length });
    hasMetadata ||= type === 'EXIF' || type === 'XMP ';
    at += 8 + length + (length % 2);
  }
  return size === undefined || at < end
    ? undefined
    : { mediaType: 'image/webp', ...size, hasMetadata };
}

function webpSize(
  view: DataView,
  type: string,
  { at, length }: { readonly at: number; readonly length: number },
): PixelSize | undefined {
  const u24 = (from: number) => view.getUint16(from, true) + view.getUint8(from + 2) * 0x10000;
  if (type === 'VP8X' && length >= 10) return { width: u24(at + 4) + 1, height: u24(at + 7) + 1 };
  if (type === 'VP8 ' && length >= 10) {
    const side = (from: number) => view.getUint16(from, true) & 0x3fff;
    return { width: side(at + 6), height: side(at + 8) };
  }
  if (type !== 'VP8L' || length < 5) return undefined;
  const bits = view.getUint32(at + 1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function text(bytes: Uint8Array, at: number, count: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + count));
}
