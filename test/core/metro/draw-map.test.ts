import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { hashBytes } from '../../../src/core/canonical.ts';
import { drawMap } from '../../../src/core/metro/draw-map.ts';
import { textWidth } from '../../../src/core/metro/font.ts';
import { generateMap } from '../../../src/core/metro/generate-map.ts';
import index from '../../../src/core/metro/index.json' with { type: 'json' };
import { layOut } from '../../../src/core/metro/lay-out.ts';
import { METRO_SEEDS, metroImage } from '../../../src/core/metro/metro-tasks.ts';
import { zlib } from '../../../src/core/metro/zlib.ts';
import type { Scene } from '../../../src/core/metro/scene.ts';

/** Width, height and RGB rows of a PNG, by Node's own inflate: an unfiltered indexed picture only. */
function decode(png: Uint8Array): { width: number; colourAt: (x: number, y: number) => string } {
  const bytes = Buffer.from(png);
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const width = chunks.get('IHDR')!.readUInt32BE(0);
  const rows = inflateSync(chunks.get('IDAT')!);
  const palette = chunks.get('PLTE')!;
  const colourAt = (x: number, y: number) => {
    const entry = rows[y * (width + 1) + 1 + x]! * 3;
    return `#${palette.toString('hex', entry, entry + 3)}`;
  };
  return { width, colourAt };
}

test('the committed index has every map, each below 150 kB', () => {
  expect(index.map(({ seed }) => seed)).toEqual(METRO_SEEDS);
  expect(Math.max(...index.map(({ byteLength }) => byteLength))).toBeLessThan(150_000);
});

// After a wanted change to maps or drawing: npx vitest run --project unit -u test/core/metro/draw-map.test.ts
test('every map comes out with the bytes of the index', { timeout: 60_000 }, async () => {
  const drawn = METRO_SEEDS.map((seed) => {
    const png = drawMap(layOut(generateMap(seed)));
    return { seed, sha256: hashBytes(png), byteLength: png.length };
  });
  await expect(`${JSON.stringify(drawn, null, 2)}\n`).toMatchFileSnapshot(
    '../../../src/core/metro/index.json',
  );
  expect(drawn.map(({ seed }) => metroImage(seed).hash)).toEqual(drawn.map(({ sha256 }) => sha256));
});

test('tracks, swatches and marks have their colours where the scene says', () => {
  const scene: Scene = layOut(generateMap(1));
  const { colourAt } = decode(drawMap(scene));
  for (const element of scene.elements) {
    if (element.type === 'legend-row') {
      expect(colourAt(element.rect.x + 10, element.rect.y + 5)).toBe(element.colour);
    }
    if (element.type === 'station-mark') {
      expect(colourAt(element.at.x, element.at.y)).toBe('#ffffff');
    }
    if (element.type === 'station-label') {
      const { x, y, width, height } = element.rect;
      const colours = new Set<string>();
      for (let i = 0; i < width * height; i++) {
        colours.add(colourAt(x + (i % width), y + Math.floor(i / width)));
      }
      expect(colours.has('#1d2733')).toBe(true);
    }
  }
});

test('nothing of a text is drawn outside its width', () => {
  const text = 'Quarwood jpgy 0123456789';
  const rect = { x: 20, y: 10, width: textWidth(text, 18), height: 25 };
  const scene: Scene = {
    seed: 0,
    size: { width: rect.width + 40, height: 50 },
    elements: [{ type: 'station-label', station: 's', text, rect, sizePx: 18 }],
  };
  const { width, colourAt } = decode(drawMap(scene));
  const paper = colourAt(0, 0);
  const outside: string[] = [];
  for (let y = 0; y < 50; y++) {
    for (let x = 0; x < width; x++) {
      const inside = x >= 19 && x <= 20 + rect.width && y >= 9 && y <= 35;
      if (!inside && colourAt(x, y) !== paper) outside.push(`${x},${y}`);
    }
  }
  expect(outside).toEqual([]);
});

test('the zlib stream unpacks to what went in, whatever it is', () => {
  const noise = Uint8Array.from(
    { length: 70_001 },
    (_, at) => (Math.imul(at, 2654435761) >>> 13) & 255,
  );
  const flat = new Uint8Array(100_000).fill(9);
  const rows = Uint8Array.from({ length: 90_000 }, (_, at) => (at % 300) & 255);
  for (const bytes of [
    noise,
    flat,
    rows,
    new Uint8Array(0),
    Uint8Array.of(1),
    Uint8Array.of(1, 1, 1, 1, 1, 1),
  ]) {
    expect(Buffer.from(inflateSync(zlib(bytes, 300))).equals(Buffer.from(bytes))).toBe(true);
  }
});
