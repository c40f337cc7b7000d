import { expect, test } from 'vitest';
import { hashBytes } from '../../src/core/canonical.ts';
import { drawMap } from '../../src/core/metro/draw-map.ts';
import { generateMap } from '../../src/core/metro/generate-map.ts';
import { layOut } from '../../src/core/metro/lay-out.ts';
import { METRO_SEEDS, metroImage } from '../../src/core/metro/metro-tasks.ts';

test('Chromium draws every map with the bytes of the committed index', { timeout: 60_000 }, () => {
  const drawn = METRO_SEEDS.map((seed) => hashBytes(drawMap(layOut(generateMap(seed)))));
  expect(drawn).toEqual(METRO_SEEDS.map((seed) => metroImage(seed).hash));
});

test('Chromium opens a map at its full size and sees its colours', async () => {
  const scene = layOut(generateMap(1));
  const image = await createImageBitmap(new Blob([drawMap(scene)], { type: 'image/png' }));
  expect([image.width, image.height]).toEqual([1440, 960]);
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  context.drawImage(image, 0, 0);
  const row = scene.elements.find((element) => element.type === 'legend-row');
  if (row?.type !== 'legend-row') throw new Error('no legend');
  const [r, g, b] = context.getImageData(row.rect.x + 10, row.rect.y + 5, 1, 1).data;
  const hex = [r, g, b].map((each) => (each ?? 0).toString(16).padStart(2, '0')).join('');
  expect(`#${hex}`).toBe(row.colour);
});
