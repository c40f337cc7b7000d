import type { PixelSize } from '../core/box.ts';
import { MediaError } from '../core/errors.ts';
import { scanGif } from './format/gif.ts';
import { scanJpeg } from './format/jpeg.ts';
import { scanPng } from './format/png.ts';
import { byteReader, type FormatScan } from './format/scan.ts';
import { scanWebp } from './format/webp.ts';

/** What Grove opens as pictures, and PDF, which is opened page by page. */
export type MediaFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'bmp' | 'avif' | 'svg' | 'pdf';

/** Formats whose pixels the browser decodes itself. */
export type RasterFormat = Exclude<MediaFormat, 'svg' | 'pdf'>;

/** The most pixels an image may have: 100 megapixels. */
export const MAX_MEGAPIXELS = 100;

/** The largest file that is opened, in bytes. */
export const MAX_FILE_BYTES = 200 * 1024 * 1024;

const SUPPORTED = 'PNG, JPEG, WebP, GIF, SVG, BMP, AVIF and PDF';

/** Formats that are known and not opened, so that a refusal can name them. */
const REFUSED: readonly (readonly [name: string, starts: (head: string) => boolean])[] = [
  ['TIFF', (head) => head.startsWith('II*\0') || head.startsWith('MM\0*')],
  ['HEIC', (head) => /^.{4}ftyp(heic|heix|hevc|heim|heis|mif1|msf1)/s.test(head)],
  ['JPEG XL', (head) => head.startsWith('\xff\x0a') || head.startsWith('\0\0\0\x0cJXL ')],
  ['JPEG 2000', (head) => head.startsWith('\0\0\0\x0cjP  ')],
  ['Photoshop', (head) => head.startsWith('8BPS')],
  ['icon (ICO)', (head) => head.startsWith('\0\0\x01\0')],
  ['compressed (gzip)', (head) => head.startsWith('\x1f\x8b')],
  ['ZIP', (head) => head.startsWith('PK\x03\x04')],
];

/**
 * Tells a format by its first bytes; the file's name and type are not believed. Throws `MediaError`
 * `empty-file` or `unknown-format`.
 */
export function detectFormat(name: string, bytes: Uint8Array): MediaFormat {
  if (bytes.length === 0) throw new MediaError('empty-file', `${name} is empty (0 bytes).`);
  const head = byteReader(bytes).text(0, 1024);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^RIFF.{4}WEBP/s.test(head)) return 'webp';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  if (/^BM.{12}[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0/s.test(head)) return 'bmp';
  if (/^.{4}ftyp(avif|avis)/s.test(head)) return 'avif';
  if (/^.{4}ftypmif1.{4}[^]{0,32}avif/s.test(head)) return 'avif';
  if (head.includes('%PDF-')) return 'pdf';
  if (looksLikeSvg(bytes)) return 'svg';
  const known = REFUSED.find(([, starts]) => starts(head))?.[0];
  throw new MediaError(
    'unknown-format',
    known === undefined
      ? `${name} is not an image in a known format. Grove opens ${SUPPORTED}.`
      : `${name} is a ${known} file, which browsers do not show. Grove opens ${SUPPORTED}.`,
  );
}

function looksLikeSvg(bytes: Uint8Array): boolean {
  const head = svgText(bytes.subarray(0, 8192)).trimStart();
  return head.startsWith('<') && /<(?:[\w-]+:|!DOCTYPE\s+)?svg[\s>]/.test(head);
}

/** The text of an SVG file, by its byte order mark; UTF-8 without one. */
export function svgText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** A picture's header: upright size, frames, orientation, and what its bytes hold besides pixels. */
export interface ImageHeader extends FormatScan {
  readonly format: RasterFormat;
  /** The size as seen, with EXIF orientation applied. */
  readonly upright: PixelSize;
}

/**
 * Reads format and size without decoding pixels. Throws `MediaError`: `corrupt` where the file is cut
 * off or says no size, `too-many-pixels` over 100 megapixels, with the number.
 */
export function readHeader(name: string, bytes: Uint8Array, format: RasterFormat): ImageHeader {
  const scan = scanFormat(bytes, format);
  if (scan.width > 0 && scan.height > 0) checkPixels(name, scan);
  if (!scan.complete) {
    throw new MediaError('corrupt', `${name} is cut off: the ${label(format)} data end too early.`);
  }
  if (scan.width === 0 || scan.height === 0) {
    throw new MediaError('corrupt', `${name} is damaged: its ${label(format)} header has no size.`);
  }
  const turned = scan.orientation >= 5;
  const upright = turned ? { width: scan.height, height: scan.width } : scan;
  return { ...scan, format, upright: { width: upright.width, height: upright.height } };
}

/** Refuses more than 100 megapixels, with the number. */
export function checkPixels(name: string, { width, height }: PixelSize): void {
  const megapixels = (width * height) / 1e6;
  if (megapixels <= MAX_MEGAPIXELS) return;
  const number = (value: number) => value.toLocaleString('en-US');
  const shown = number(megapixels > 101 ? Math.round(megapixels) : Math.ceil(megapixels * 10) / 10);
  throw new MediaError(
    'too-many-pixels',
    `${name} is too large: ${number(width)} × ${number(height)} = ${shown} megapixels; at most ${MAX_MEGAPIXELS}.`,
  );
}

/** A format as people write it. */
export function label(format: MediaFormat): string {
  return format === 'webp' ? 'WebP' : format.toUpperCase();
}

function scanFormat(bytes: Uint8Array, format: RasterFormat): FormatScan {
  switch (format) {
    case 'png':
      return scanPng(bytes);
    case 'jpeg':
      return scanJpeg(bytes);
    case 'webp':
      return scanWebp(bytes);
    case 'gif':
      return scanGif(bytes);
    case 'bmp':
      return { ...WHOLE, ...bmpSize(bytes), keep: [[0, bytes.length]] };
    case 'avif':
      return { ...WHOLE, ...avifSize(bytes), keep: [[0, bytes.length]] };
  }
}

/** For formats that are always decoded and stored anew. */
const WHOLE = { orientation: 1, frames: 1, complete: true, cmyk: 'no' } as const;

function bmpSize(bytes: Uint8Array): PixelSize {
  const read = byteReader(bytes, 'little');
  if (read.u8(14) === 12) return { width: read.u16(18), height: read.u16(20) };
  // A negative height means rows from the top down.
  return { width: read.u32(18), height: Math.abs(read.u32(22) | 0) };
}

/** The largest `ispe` box: tiles and alpha planes have smaller ones. */
function avifSize(bytes: Uint8Array): PixelSize {
  const read = byteReader(bytes);
  const text = read.text(0, 4096);
  let size = { width: 0, height: 0 };
  for (let at = text.indexOf('ispe'); at !== -1; at = text.indexOf('ispe', at + 4)) {
    const [width, height] = [read.u32(at + 8), read.u32(at + 12)];
    if (width * height > size.width * size.height) size = { width, height };
  }
  return size;
}
