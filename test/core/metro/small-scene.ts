import type { PixelRect } from '../../../src/core/box.ts';
import type { Point, Scene, SceneElement } from '../../../src/core/metro/scene.ts';

/**
 * A map made by hand: two blues that both join Ash and Elm (one by Birch, Cedar and Dove, one by Oak), a
 * red loop Elm, Fir, Gorse, Hazel, and a legend in small print.
 */
const AT: Readonly<Record<string, Point>> = {
  Ash: { x: 100, y: 300 },
  Birch: { x: 250, y: 200 },
  Cedar: { x: 400, y: 200 },
  Dove: { x: 480, y: 240 },
  Oak: { x: 300, y: 400 },
  Elm: { x: 550, y: 300 },
  Fir: { x: 700, y: 200 },
  Gorse: { x: 850, y: 300 },
  Hazel: { x: 780, y: 420 },
  Ivy: { x: 640, y: 430 },
};

export const NAVY = '#1f4fb4';
export const ROYAL = '#2f66cf';
export const RED = '#c8322b';

const LINES: readonly (readonly [colour: string, stations: readonly string[]])[] = [
  [NAVY, ['Ash', 'Birch', 'Cedar', 'Dove', 'Elm']],
  [ROYAL, ['Ash', 'Oak', 'Elm']],
  [RED, ['Elm', 'Fir', 'Gorse', 'Hazel', 'Ivy', 'Elm']],
];

export const PANEL: PixelRect = { x: 1000, y: 600, width: 400, height: 200 };

export const smallScene: Scene = {
  seed: 7,
  size: { width: 1440, height: 960 },
  elements: [
    ...LINES.flatMap(([colour, stations]) => tracks(colour, stations)),
    ...Object.entries(AT).flatMap(([name, at]) => stationElements(name, at)),
    { type: 'legend-panel', rect: PANEL, sizePx: 2 },
    ...legendRow(NAVY, 'Harbour', 0),
    ...legendRow(ROYAL, 'Castle', 1),
    ...legendRow(RED, 'Park', 2),
    ...smallPrint('Harbour line trains do not stop at Cedar.', 3),
    {
      type: 'arrow',
      line: 'c',
      from: 'Fir',
      to: 'Elm',
      rect: rectAt(625, 240, 12, 12),
      sizePx: 10,
    },
    {
      type: 'arrow',
      line: 'c',
      from: 'Hazel',
      to: 'Gorse',
      rect: rectAt(830, 365, 12, 12),
      sizePx: 10,
    },
  ],
};

function tracks(colour: string, stations: readonly string[]): readonly SceneElement[] {
  return stations.slice(1).map((to, index) => {
    const from = stations[index] ?? to;
    const points = [AT[from]!, AT[to]!];
    const [a, b] = [points[0]!, points[1]!];
    const rect = rectAt(
      Math.min(a.x, b.x),
      Math.min(a.y, b.y),
      Math.abs(a.x - b.x),
      Math.abs(a.y - b.y),
    );
    return { type: 'track', line: colour, colour, from, to, points, rect, sizePx: 8 };
  });
}

function stationElements(name: string, at: Point): readonly SceneElement[] {
  return [
    {
      type: 'station-mark',
      station: name,
      at,
      interchange: false,
      rect: rectAt(at.x - 8, at.y - 8, 16, 16),
      sizePx: 16,
    },
    {
      type: 'station-label',
      station: name,
      text: name,
      rect: rectAt(at.x + 10, at.y - 30, 80, 18),
      sizePx: 18,
    },
  ];
}

function legendRow(colour: string, text: string, row: number): readonly SceneElement[] {
  return [
    {
      type: 'legend-row',
      line: colour,
      colour,
      text,
      rect: rectAt(1020, 620 + row * 30, 120, 10),
      sizePx: 8,
    },
  ];
}

function smallPrint(text: string, row: number): readonly SceneElement[] {
  return [{ type: 'small-print', text, rect: rectAt(1020, 620 + row * 30, 300, 10), sizePx: 8 }];
}

function rectAt(x: number, y: number, width: number, height: number): PixelRect {
  return { x, y, width, height };
}
