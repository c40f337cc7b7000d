import { describe, expect, test } from 'vitest';
import type { MediaCode } from '../../../src/core/errors.ts';
import { loadImage } from '../../../src/media/load-image.ts';
import { concat, file, memoryBlobs, pixelAt, storedBytes } from './fixtures.ts';

const found = import.meta.glob<string>(['../../../../shared/data/images/*', '!**/*.json'], {
  query: '?url&no-inline',
  import: 'default',
});
const urls = new Map(
  Object.entries(found).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url]),
);

if (urls.size === 0) console.warn('SKIPPED: ../shared/data/images is not on this machine.');

async function sharedFile(name: string) {
  const url = await urls.get(name)?.();
  if (url === undefined) throw new Error(`no ${name}`);
  const response = await fetch(url);
  expect(response.ok).toBe(true);
  return file(name, new Uint8Array(await response.arrayBuffer()));
}

/** Upright sizes, as the files were made. */
const SIZES: Record<string, readonly [width: number, height: number, note?: string]> = {
  'chart-line-deaths.png': [896, 560],
  'chart-quarterly-revenue.png': [1040, 650],
  'diagram-mcp-real.webp': [1400, 825],
  'document-page-scan.png': [384, 191],
  'gen-animated-6frames.gif': [120, 60, 'The first of 6 frames is used.'],
  'gen-cmyk.jpg': [896, 560, 'Changed from CMYK to screen colours.'],
  'gen-exif-orientation6.jpg': [800, 500, 'Turned upright, as its EXIF data say.'],
  'gen-lossy.webp': [400, 250],
  'gen-script.svg': [1024, 512, 'Scripts in this SVG were not run.'],
  'gen-wide-9000x240.png': [9000, 240],
  'map-us-state-capitals.png': [1344, 840],
};

const REFUSED: Record<string, readonly [code: MediaCode, message: string]> = {
  'gen-corrupt-truncated.png': [
    'corrupt',
    'gen-corrupt-truncated.png is cut off: the PNG data end too early.',
  ],
  'gen-empty.png': ['empty-file', 'gen-empty.png is empty (0 bytes).'],
};

describe.skipIf(urls.size === 0)('the shared sample images', () => {
  test('are all known here', () => {
    const known = [...Object.keys(SIZES), ...Object.keys(REFUSED)].toSorted();
    expect([...urls.keys()].toSorted()).toEqual(known);
  });

  test.for(Object.entries(SIZES))('%s works', async ([name, [width, height, note]]) => {
    const blobs = memoryBlobs();
    const { image, notes } = await loadImage(await sharedFile(name), { blobs });
    expect(image).toMatchObject({ name, width, height });
    expect(notes).toEqual(note === undefined ? [] : [note]);
    const bytes = await storedBytes(blobs, image.hash);
    const decoded = await createImageBitmap(new Blob([bytes], { type: image.mediaType }));
    expect([decoded.width, decoded.height]).toEqual([width, height]);
  });

  test.for(Object.entries(REFUSED))('%s is refused', async ([name, [code, message]]) => {
    const blobs = memoryBlobs();
    const loading = loadImage(await sharedFile(name), { blobs });
    await expect(loading).rejects.toMatchObject({ name: 'MediaError', code, message });
    expect(blobs.size).toBe(0);
  });

  test('the CMYK picture is white where its paper is, not a negative', async () => {
    const blobs = memoryBlobs();
    const { image } = await loadImage(await sharedFile('gen-cmyk.jpg'), { blobs });
    const [red, green, blue] = await pixelAt(await storedBytes(blobs, image.hash), 0.5, 0.02);
    expect(Math.min(red ?? 0, green ?? 0, blue ?? 0)).toBeGreaterThan(245);
  });

  test('a CMYK picture that does not say how its inks are written gets a warning', async () => {
    const marked = new Uint8Array(await (await sharedFile('gen-cmyk.jpg')).arrayBuffer());
    // Its Adobe marker comes first, 16 bytes long.
    const unmarked = concat(marked.subarray(0, 2), marked.subarray(18));
    const { notes } = await loadImage(file('inks.jpg', unmarked), { blobs: memoryBlobs() });
    expect(notes).toContain(
      'Its colours may be wrong: the file does not say how its inks are written.',
    );
  });

  test('the script in the SVG sets none of its flags', async () => {
    await loadImage(await sharedFile('gen-script.svg'), { blobs: memoryBlobs() });
    expect(Object.keys(window).filter((key) => key.startsWith('__svg'))).toEqual([]);
  });
});
