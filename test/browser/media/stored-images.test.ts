import { describe, expect, test } from 'vitest';
import type { Box } from '../../../src/core/box.ts';
import type { TaskImage } from '../../../src/core/task.ts';
import { makeCropper } from '../../../src/media/cropper.ts';
import { loadImage } from '../../../src/media/load-image.ts';
import { makeImageUrls } from '../../../src/media/object-urls.ts';
import { renderForModel } from '../../../src/media/render-for-model.ts';
import {
  cornerOrder,
  corners,
  file,
  memoryBlobs,
  pixelAt,
  storedBytes,
  withExif,
} from './fixtures.ts';

async function stored(bytes: Uint8Array<ArrayBuffer>) {
  const blobs = memoryBlobs();
  const { image } = await loadImage(file('corners', bytes), { blobs });
  return { blobs, image };
}

const part = (image: TaskImage) => ({ ...image, type: 'image' as const });

describe('a crop', () => {
  const LOWER_LEFT: Box = [0, 0.5, 0.5, 1];

  test('holds the pixels of its box, at the resolution of the source', async () => {
    const { blobs, image } = await stored(await corners(120, 80));
    const crop = await makeCropper(blobs).crop(image, LOWER_LEFT);
    expect(crop).toEqual({
      hash: crop.hash,
      mediaType: 'image/png',
      width: 60,
      height: 40,
      sourceHash: image.hash,
      sourceWidth: 120,
      sourceHeight: 80,
      box: LOWER_LEFT,
    });
    const bytes = await storedBytes(blobs, crop.hash);
    for (const [x, y] of [
      [0, 0],
      [0.99, 0],
      [0, 0.99],
      [0.99, 0.99],
    ] as const) {
      expect(await pixelAt(bytes, x, y)).toEqual([0, 0, 255, 255]);
    }
  });

  test('of a turned photograph is cut from the upright picture', async () => {
    const { blobs, image } = await stored(withExif(await corners(128, 64, 'image/jpeg'), 6));
    const crop = await makeCropper(blobs).crop(image, [0.5, 0, 1, 0.5]);
    expect([crop.width, crop.height]).toEqual([32, 64]);
    const [red = 0, green = 0, blue = 0] = await pixelAt(
      await storedBytes(blobs, crop.hash),
      0.5,
      0.5,
    );
    expect([red > 200, green < 50, blue < 50]).toEqual([true, true, true]);
  });

  test('is the same bytes each time it is cut', async () => {
    const { blobs, image } = await stored(await corners(120, 80));
    const cropper = makeCropper(blobs);
    const [first, second] = [
      await cropper.crop(image, [0.1, 0.1, 0.9, 0.9]),
      await cropper.crop(image, [0.1, 0.1, 0.9, 0.9]),
    ];
    expect(second).toEqual(first);
    expect(blobs.size).toBe(2);
  });

  test('of an image that is gone says so', async () => {
    const { image } = await stored(await corners(120, 80));
    const cropper = makeCropper(memoryBlobs());
    await expect(cropper.crop(image, LOWER_LEFT)).rejects.toMatchObject({
      name: 'MediaError',
      message: 'corners is no longer stored, so it cannot be cut.',
    });
  });
});

describe('an image for a model', () => {
  test('that is small enough goes as it is stored', async () => {
    const { blobs, image } = await stored(await corners(120, 80));
    const sent = await renderForModel(blobs, part(image), { maxSide: 120 });
    expect(sent).toEqual({
      mediaType: 'image/png',
      bytes: await storedBytes(blobs, image.hash),
      width: 120,
      height: 80,
    });
  });

  test.for([
    ['image/png', 'image/png'],
    ['image/jpeg', 'image/jpeg'],
    ['image/webp', 'image/png'],
  ] as const)('that is too large is scaled down: %s goes as %s', async ([type, sentAs]) => {
    const { blobs, image } = await stored(await corners(1200, 800, type));
    const sent = await renderForModel(blobs, part(image), { maxSide: 300 });
    expect(sent).toMatchObject({ mediaType: sentAs, width: 300, height: 200 });
    expect(await cornerOrder(sent.bytes)).toEqual([0, 1, 2, 3]);
    expect(blobs.size).toBe(1);
  });
});

describe('object URLs', () => {
  test('are shared, and freed with the last release', async () => {
    const { blobs, image } = await stored(await corners(12, 8));
    const urls = makeImageUrls(blobs);
    const [first, second] = await Promise.all([urls.acquire(image.hash), urls.acquire(image.hash)]);
    expect(second).toBe(first);
    urls.release(image.hash);
    expect((await fetch(first)).headers.get('content-type')).toBe('image/png');
    urls.release(image.hash);
    await Promise.resolve();
    await expect(fetch(first)).rejects.toThrow();
    const third = await urls.acquire(image.hash);
    expect(third).not.toBe(first);
    urls.close();
    await Promise.resolve();
    await expect(fetch(third)).rejects.toThrow();
  });

  test('of an image that is gone are refused', async () => {
    const urls = makeImageUrls(memoryBlobs());
    await expect(urls.acquire('0123456789')).rejects.toMatchObject({
      name: 'MediaError',
      message: 'The image 01234567… is no longer stored.',
    });
  });
});
