import { expect, test } from 'vitest';
import type { PixelRect } from '../../../src/core/box.ts';
import { generateMap } from '../../../src/core/metro/generate-map.ts';
import { keyRegion } from '../../../src/core/metro/key-region.ts';
import { layOut } from '../../../src/core/metro/lay-out.ts';
import { METRO_SEEDS } from '../../../src/core/metro/metro-tasks.ts';
import type { Scene, SceneElement } from '../../../src/core/metro/scene.ts';

const scenes = METRO_SEEDS.map((seed) => layOut(generateMap(seed)));

function of<Type extends SceneElement['type']>(scene: Scene, type: Type) {
  return scene.elements.filter(
    (element): element is Extract<SceneElement, { type: Type }> => element.type === type,
  );
}

function meet(a: PixelRect, b: PixelRect): boolean {
  const apart =
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
  return !apart;
}

function within(inner: PixelRect, outer: PixelRect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

test('labels keep clear of each other, of marks, arrows, the panel and the title', () => {
  const clashes = scenes.flatMap((scene) => {
    const labels = of(scene, 'station-label');
    const others = [
      ...of(scene, 'station-mark'),
      ...of(scene, 'arrow'),
      ...of(scene, 'legend-panel'),
      ...of(scene, 'title'),
    ];
    return labels.flatMap((label, index) =>
      [...labels.slice(index + 1), ...others]
        .filter((other) => meet(label.rect, other.rect))
        .map((other) => `${scene.seed}: ${label.text} and ${other.type}`),
    );
  });
  expect(clashes).toEqual([]);
});

test('no track runs through a label', () => {
  const clashes = scenes.flatMap((scene) =>
    of(scene, 'track').flatMap(({ points }) => {
      const [a, b] = [points[0]!, points.at(-1)!];
      return of(scene, 'station-label')
        .filter(({ rect }) =>
          Array.from({ length: 501 }, (_, step) => ({
            x: a.x + ((b.x - a.x) * step) / 500 - 4,
            y: a.y + ((b.y - a.y) * step) / 500 - 4,
            width: 8,
            height: 8,
          })).some((dot) => meet(dot, rect)),
        )
        .map(({ text }) => `${scene.seed}: ${text}`);
    }),
  );
  expect(clashes).toEqual([]);
});

test('everything lies on the map, and every station has its mark and its label', () => {
  for (const scene of scenes) {
    const map = { x: 0, y: 0, ...scene.size };
    expect(scene.elements.filter(({ rect }) => !within(rect, map))).toEqual([]);
    const marks = of(scene, 'station-mark').map((mark) => mark.station);
    expect(of(scene, 'station-label').map((label) => label.station)).toEqual(marks);
  }
});

test('in the whole picture at 512 px names are legible; legend, small print and arrows are not', () => {
  const scale = 512 / 1440;
  for (const scene of scenes) {
    const shown = (types: readonly SceneElement['type'][]) =>
      scene.elements.filter(({ type }) => types.includes(type)).map(({ sizePx }) => sizePx * scale);
    expect(Math.min(...shown(['station-label', 'title']))).toBeGreaterThan(6.3);
    expect(Math.max(...shown(['legend-row', 'small-print', 'arrow']))).toBeLessThan(4.5);
  }
});

test('the key region holds what must be read and is shown at its own scale', () => {
  for (const scene of scenes) {
    for (const [needs, types] of [
      ['legend', ['legend-panel', 'legend-row', 'small-print']],
      ['arrows', ['arrow']],
    ] as const) {
      const region = keyRegion(scene, needs);
      const held = scene.elements.filter(({ type }) => (types as readonly string[]).includes(type));
      expect(held.length).toBeGreaterThan(0);
      const loop = scene.elements.filter(
        (element) => element.type === 'track' && element.line === 'o' && needs === 'arrows',
      );
      expect([...held, ...loop].filter(({ rect }) => !within(rect, region))).toEqual([]);
      expect(within(region, { x: 0, y: 0, ...scene.size })).toBe(true);
      expect(Math.max(region.width, region.height)).toBeLessThanOrEqual(512);
      expect(Math.min(region.width, region.height)).toBeGreaterThanOrEqual(28);
    }
  }
});

test('legend rows and small print lie inside the panel and apart from each other', () => {
  for (const scene of scenes) {
    const [panel] = of(scene, 'legend-panel');
    const rows = [...of(scene, 'legend-row'), ...of(scene, 'small-print')];
    expect(rows.filter(({ rect }) => !within(rect, panel!.rect))).toEqual([]);
    const touching = rows.flatMap((row, index) =>
      rows.slice(index + 1).filter((other) => meet(row.rect, other.rect)),
    );
    expect(touching).toEqual([]);
  }
});
