import type { BlobStore } from '../../../src/core/ports.ts';
import type { NamedBlob } from '../../../src/media/load-image.ts';
import { hashOfBytes } from '../../../src/storage/blob-store.ts';

/** A blob store in memory. The real one is tested with the other storage. */
export function memoryBlobs(): BlobStore & { readonly size: number } {
  const stored = new Map<string, { mediaType: string; bytes: Uint8Array<ArrayBuffer> }>();
  return {
    get size() {
      return stored.size;
    },
    async put(bytes, mediaType) {
      const hash = await hashOfBytes(bytes);
      stored.set(hash, { mediaType, bytes: bytes.slice() });
      return hash;
    },
    async get(hash) {
      const found = stored.get(hash);
      return found === undefined ? undefined : { hash, ...found };
    },
  };
}

/** A file as a person drops it. */
export function file(name: string, ...parts: (Uint8Array<ArrayBuffer> | string)[]): NamedBlob {
  return new File(parts, name);
}

/** Four corners of different colours: red, lime, blue, yellow, row by row; any turn shows. */
export const CORNERS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00'] as const;

/** An encoded picture of the four corners. */
export async function corners(
  width: number,
  height: number,
  type = 'image/png',
): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  CORNERS.forEach((colour, index) => {
    context.fillStyle = colour;
    const [column, row] = [index % 2, Math.floor(index / 2)];
    context.fillRect((column * width) / 2, (row * height) / 2, width / 2, height / 2);
  });
  return new Uint8Array(await (await canvas.convertToBlob({ type, quality: 1 })).arrayBuffer());
}

/** Red, green, blue and alpha of encoded bytes at a point given in fractions. */
export async function pixelAt(
  bytes: Uint8Array<ArrayBuffer>,
  x: number,
  y: number,
): Promise<readonly number[]> {
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  context.drawImage(bitmap, 0, 0);
  const at = [Math.floor(x * bitmap.width), Math.floor(y * bitmap.height)] as const;
  return [...context.getImageData(at[0], at[1], 1, 1).data];
}

/** Which of the four corner colours is nearest, by index. */
export async function cornerOrder(bytes: Uint8Array<ArrayBuffer>): Promise<number[]> {
  const order: number[] = [];
  for (const [x, y] of [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ] as const) {
    const [red = 0, green = 0, blue = 0] = await pixelAt(bytes, x, y);
    order.push(blue > 128 ? 2 : red > 128 ? (green > 128 ? 3 : 0) : 1);
  }
  return order;
}

/** Bytes joined. */
export function concat(...parts: (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** The bytes of Latin-1 text. */
export function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** A big-endian 32-bit number. */
export function u32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

/** An EXIF TIFF block with an orientation and a text that stands for a location. */
export function exifBlock(orientation: number): Uint8Array<ArrayBuffer> {
  const head = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1];
  return concat(head, [0, orientation, 0, 0, 0, 0, 0, 0], latin1('GPS-SECRET'));
}

/** A JPEG with an EXIF segment put in after its start marker. */
export function withExif(
  jpeg: Uint8Array<ArrayBuffer>,
  orientation: number,
): Uint8Array<ArrayBuffer> {
  const body = concat(latin1('Exif\0\0'), exifBlock(orientation));
  const length = body.length + 2;
  return concat([0xff, 0xd8, 0xff, 0xe1, length >> 8, length & 255], body, jpeg.subarray(2));
}

/** Whether text occurs in bytes. */
export function holds(bytes: Uint8Array, text: string): boolean {
  return new TextDecoder('latin1').decode(bytes).includes(text);
}

/** The bytes stored for an image. */
export async function storedBytes(
  blobs: BlobStore,
  hash: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const stored = await blobs.get(hash);
  if (stored === undefined) throw new Error(`nothing stored under ${hash}`);
  return stored.bytes;
}
