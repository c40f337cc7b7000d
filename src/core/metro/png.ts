import type { Picture } from './raster.ts';
import { zlib } from './zlib.ts';

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const INDEXED = 3;

/** The picture as PNG bytes, indexed colour, 8 bits a pixel: the same bytes wherever it is made. */
export function encodePng(picture: Picture): Uint8Array<ArrayBuffer> {
  const { width, height, pixels, palette } = picture;
  const header = [...bigEndian(width), ...bigEndian(height), 8, INDEXED, 0, 0, 0];
  const colours = palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]);
  const rows = new Uint8Array((width + 1) * height);
  for (let row = 0; row < height; row++) {
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  return joined([
    Uint8Array.from(SIGNATURE),
    chunk('IHDR', Uint8Array.from(header)),
    chunk('PLTE', Uint8Array.from(colours)),
    chunk('IDAT', zlib(rows, width + 1)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

function bigEndian(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = joined([Uint8Array.from(type, (letter) => letter.charCodeAt(0)), data]);
  return joined([
    Uint8Array.from(bigEndian(data.length)),
    body,
    Uint8Array.from(bigEndian(crc32(body))),
  ]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) {
    value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  }
  return value;
});

function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = CRC_TABLE[(value ^ byte) & 255]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
