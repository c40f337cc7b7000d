import { describe, expect, test } from 'vitest';
import { loadImage } from '../../../src/media/load-image.ts';
import {
  concat,
  cornerOrder,
  corners,
  exifBlock,
  file,
  holds,
  latin1,
  memoryBlobs,
  storedBytes,
  u32,
  withExif,
} from './fixtures.ts';

async function load(name: string, bytes: Uint8Array<ArrayBuffer>) {
  const blobs = memoryBlobs();
  const { image, notes } = await loadImage(file(name, bytes), { blobs });
  return { image, notes, bytes: await storedBytes(blobs, image.hash) };
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(type: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const typed = concat(latin1(type), body);
  return concat(u32(body.length), typed, u32(crc32(typed)));
}

/** A PNG with chunks put in after its header. */
function withChunks(png: Uint8Array<ArrayBuffer>, ...chunks: Uint8Array[]) {
  return concat(png.subarray(0, 33), ...chunks, png.subarray(33));
}

/** For each EXIF orientation, where the corners of the stored picture stand when seen upright. */
const UPRIGHT: Record<number, readonly number[]> = {
  1: [0, 1, 2, 3],
  2: [1, 0, 3, 2],
  3: [3, 2, 1, 0],
  4: [2, 3, 0, 1],
  5: [0, 2, 1, 3],
  6: [2, 0, 3, 1],
  7: [3, 1, 2, 0],
  8: [1, 3, 0, 2],
};

describe('a picture that browsers and models can use as it is', () => {
  test.for(['png', 'jpeg', 'webp'])('keeps its bytes: %s', async (format) => {
    const original = await corners(64, 32, `image/${format}`);
    const { image, notes, bytes } = await load(`plain.${format}`, original);
    expect(bytes).toEqual(original);
    expect(image).toMatchObject({ mediaType: `image/${format}`, width: 64, height: 32 });
    expect(image.byteLength).toBe(original.length);
    expect(notes).toEqual([]);
  });

  test('goes by its bytes, not by its name', async () => {
    const { image } = await load('really-a-png.jpg', await corners(8, 8));
    expect(image.mediaType).toBe('image/png');
  });
});

describe('what a file says besides pixels', () => {
  test('is left out of a JPEG without touching its pixels', async () => {
    const original = await corners(64, 32, 'image/jpeg');
    const comment = concat([0xff, 0xfe, 0, 12], latin1('GPS-SECRET'));
    const tail = latin1('GPS-SECRET');
    const tagged = withExif(
      concat(original.subarray(0, 2), comment, original.subarray(2), tail),
      1,
    );
    expect((await load('tagged.jpg', tagged)).bytes).toEqual(original);
  });

  test('is left out of a PNG without touching its pixels', async () => {
    const original = await corners(64, 32);
    const text = chunk('tEXt', latin1('Comment\0GPS-SECRET'));
    const tagged = withChunks(original, chunk('eXIf', exifBlock(1)), text);
    expect((await load('tagged.png', tagged)).bytes).toEqual(original);
  });

  test('is left out of a WebP, whose container says so', async () => {
    const original = await corners(64, 32, 'image/webp');
    expect(holds(original.subarray(0, 16), 'VP8X')).toBe(true);
    const exif = exifBlock(1);
    const tagged = concat(original, latin1('EXIF'), u32(exif.length).toReversed(), exif);
    tagged.set(u32(tagged.length - 8).toReversed(), 4);
    tagged[20] = (tagged[20] ?? 0) | 0x08;
    expect((await load('tagged.webp', tagged)).bytes).toEqual(original);
  });
});

describe('EXIF orientation', () => {
  test.for(Object.entries(UPRIGHT))('%s is applied to a JPEG', async ([orientation, order]) => {
    const jpeg = withExif(await corners(64, 32, 'image/jpeg'), Number(orientation));
    const { image, notes, bytes } = await load('turned.jpg', jpeg);
    const [width, height] = Number(orientation) >= 5 ? [32, 64] : [64, 32];
    expect(image).toMatchObject({ width, height, mediaType: 'image/jpeg' });
    expect(await cornerOrder(bytes)).toEqual(order);
    expect(holds(bytes, 'GPS-SECRET')).toBe(false);
    expect(notes.length).toBe(orientation === '1' ? 0 : 1);
  });
});

test('EXIF orientation is applied to a PNG', async () => {
  const tagged = withChunks(await corners(64, 32), chunk('eXIf', exifBlock(6)));
  const { image, bytes } = await load('turned.png', tagged);
  expect(image).toMatchObject({ width: 32, height: 64, mediaType: 'image/png' });
  expect(await cornerOrder(bytes)).toEqual([2, 0, 3, 1]);
});

test('a BMP becomes a PNG', async () => {
  const rows = [
    [255, 0, 0],
    [0, 255, 255],
    [0, 0],
    [0, 0, 255],
    [0, 255, 0],
    [0, 0],
  ].flat();
  const little = (value: number) => u32(value).toReversed();
  const info = [40, 2, 2]
    .flatMap(little)
    .concat([1, 0, 24, 0], [0, 16, 0, 0, 0, 0].flatMap(little));
  const bytes = concat(latin1('BM'), little(70), little(0), little(54), info, rows);
  const { image, bytes: stored } = await load('old.bmp', bytes);
  expect(image).toMatchObject({ width: 2, height: 2, mediaType: 'image/png' });
  expect(await cornerOrder(stored)).toEqual([0, 1, 2, 3]);
});

describe('an animation', () => {
  test('of PNG frames gives its first frame', async () => {
    const png = await corners(64, 32);
    const control = concat(u32(0), u32(64), u32(32), u32(0), u32(0), [0, 1, 0, 10, 0, 0]);
    const tagged = withChunks(png, chunk('acTL', concat(u32(3), u32(0))), chunk('fcTL', control));
    const { notes, bytes } = await load('moving.png', tagged);
    expect(notes).toEqual(['The first of 3 frames is used.']);
    expect(holds(bytes, 'acTL')).toBe(false);
    expect(await cornerOrder(bytes)).toEqual([0, 1, 2, 3]);
  });
});

describe('an image is refused with its name and the cause', () => {
  const cases: readonly (readonly [string, string, () => Promise<Uint8Array<ArrayBuffer>>])[] = [
    ['empty.png', 'empty.png is empty (0 bytes).', async () => new Uint8Array()],
    [
      'notes.txt',
      'notes.txt is not an image in a known format. Grove opens PNG, JPEG, WebP, GIF, SVG, BMP, AVIF and PDF.',
      async () => latin1('hello'),
    ],
    [
      'photo.heic',
      'photo.heic is a HEIC file, which browsers do not show. Grove opens PNG, JPEG, WebP, GIF, SVG, BMP, AVIF and PDF.',
      async () => latin1('\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
    ],
    [
      'scan.tif',
      'scan.tif is a TIFF file, which browsers do not show. Grove opens PNG, JPEG, WebP, GIF, SVG, BMP, AVIF and PDF.',
      async () => latin1('II*\0\x08\0\0\0'),
    ],
    [
      'cut.jpg',
      'cut.jpg is cut off: the JPEG data end too early.',
      async () => (await corners(64, 32, 'image/jpeg')).slice(0, -40),
    ],
    [
      'cut.webp',
      'cut.webp is cut off: the WebP data end too early.',
      async () => (await corners(64, 32, 'image/webp')).slice(0, -10),
    ],
    [
      'broken.jpg',
      'broken.jpg is damaged: its JPEG header has no size.',
      async () => Uint8Array.of(0xff, 0xd8, 0xff, 0xd9),
    ],
    [
      'broken.png',
      'broken.png is damaged: its PNG data could not be decoded.',
      async () =>
        concat(
          latin1('\x89PNG\r\n\x1a\n'),
          chunk('IHDR', concat(u32(8), u32(8), [8, 2, 0, 0, 0])),
          chunk('IDAT', latin1('not deflated')),
          chunk('IEND', new Uint8Array()),
        ),
    ],
  ];

  test.for(cases)('%s', async ([name, message, bytes]) => {
    const blobs = memoryBlobs();
    const loading = loadImage(file(name, await bytes()), { blobs });
    await expect(loading).rejects.toMatchObject({ name: 'MediaError', message });
    expect(blobs.size).toBe(0);
  });

  test.for([
    [12_000, 12_000, '12,000 × 12,000 = 144 megapixels; at most 100.'],
    [10_000, 10_001, '10,000 × 10,001 = 100.1 megapixels; at most 100.'],
  ] as const)('over 100 megapixels, before decoding: %i × %i', async ([width, height, said]) => {
    // Only a header: were it decoded or read on, the refusal would be another.
    const header = concat(u32(width), u32(height), [8, 2, 0, 0, 0]);
    const bytes = concat(latin1('\x89PNG\r\n\x1a\n'), chunk('IHDR', header));
    await expect(
      loadImage(file('huge.png', bytes), { blobs: memoryBlobs() }),
    ).rejects.toMatchObject({ code: 'too-many-pixels', message: `huge.png is too large: ${said}` });
  });
});

test('an abort ends the loading with its reason', async () => {
  const controller = new AbortController();
  const bytes = await corners(64, 32, 'image/jpeg');
  const loading = loadImage(file('plain.jpg', bytes), {
    blobs: memoryBlobs(),
    signal: controller.signal,
  });
  controller.abort(new Error('left the page'));
  await expect(loading).rejects.toThrow('left the page');
});
