import { byteReader } from './scan.ts';

const ORIENTATION_TAG = 0x0112;

/** The EXIF orientation (1 to 8) of a TIFF block, as JPEG, PNG and WebP carry it; 1 where it says none. */
export function exifOrientation(tiff: Uint8Array): number {
  const order = byteReader(tiff).text(0, 2);
  if (order !== 'II' && order !== 'MM') return 1;
  const read = byteReader(tiff, order === 'II' ? 'little' : 'big');
  const directory = read.u32(4);
  const count = read.u16(directory);
  for (let index = 0; index < count; index += 1) {
    const entry = directory + 2 + index * 12;
    if (entry + 12 > read.length) break;
    if (read.u16(entry) !== ORIENTATION_TAG) continue;
    const value = read.u16(entry + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
