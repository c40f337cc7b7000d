import type { PixelRect } from '../box.ts';
import { textHeight, textWidth } from './font.ts';
import { inflate, overlaps, trackCrosses } from './rect.ts';
import { MAP_SIZE, type MetroMap, type Point, type SceneElement } from './scene.ts';

type Of<Type extends SceneElement['type']> = Extract<SceneElement, { type: Type }>;

/** Cap height of station names: legible where the map is shown at 512 px on its long side. */
export const LABEL_CAP_PX = 18;
/** Between a mark and its label, between labels, and to the map's edge. */
const GAP_PX = 5;
const FARTHEST_PX = 26;
const MOST_PLACES = 24;
const APART_PX = { across: 12, down: 4 };
const EDGE_PX = 14;
/** How many labels may be tried in all before a map counts as impossible. */
const MOST_TRIES = 20_000;

/** What labels must keep clear of. */
export interface Obstacles {
  readonly tracks: readonly Of<'track'>[];
  readonly marks: readonly Of<'station-mark'>[];
  readonly blocked: readonly PixelRect[];
}

/** A label for each station, clear of everything and of each other; null where there is no such way. */
export function placeLabels(
  map: MetroMap,
  obstacles: Obstacles,
): readonly Of<'station-label'>[] | null {
  const options = map.stations.map((station) => {
    const mark = obstacles.marks.find((candidate) => candidate.station === station.id)!;
    const rects: PixelRect[] = [];
    for (const rect of placesAround(mark, station.name)) {
      if (rects.length === MOST_PLACES) break;
      if (isFree(rect, mark, obstacles)) rects.push(rect);
    }
    return { station, rects };
  });
  const placed = placeAll(options.map(({ rects }) => rects));
  return (
    placed?.map((rect, index): Of<'station-label'> => {
      const { id, name } = map.stations[index]!;
      return { type: 'station-label', station: id, text: name, rect, sizePx: LABEL_CAP_PX };
    }) ?? null
  );
}

/**
 * Where a label may stand: places of a fine grid around the mark, close to it, the best first. Level
 * with the mark and close to it is best, then centred below or above it.
 */
function placesAround({ at, sizePx }: Of<'station-mark'>, text: string): readonly PixelRect[] {
  const width = textWidth(text, LABEL_CAP_PX);
  const height = textHeight(LABEL_CAP_PX);
  const radius = sizePx / 2;
  const places: { readonly rect: PixelRect; readonly cost: number }[] = [];
  const level = at.y - LABEL_CAP_PX / 2;
  const reach = radius + FARTHEST_PX;
  for (const x of steps(at.x - width - reach, at.x + reach, at.x - Math.floor(width / 2))) {
    for (const y of steps(at.y - height - reach, at.y + reach, level)) {
      const rect = { x, y, width, height };
      const away = distance(rect, at) - radius - GAP_PX;
      if (away < 0 || away > FARTHEST_PX - GAP_PX) continue;
      const beside = x > at.x || x + width < at.x;
      const askew = beside ? Math.abs(y - level) : 12 + Math.abs(x + width / 2 - at.x) / 4;
      places.push({ rect, cost: 2 * away + askew });
    }
  }
  return places.sort((a, b) => a.cost - b.cost).map(({ rect }) => rect);
}

/** Whole pixels from `from` to `to` in steps of 4 that meet `through`. */
function steps(from: number, to: number, through: number): readonly number[] {
  const first = through - 4 * Math.floor((through - from) / 4);
  return Array.from({ length: Math.floor((to - first) / 4) + 1 }, (_, index) => first + 4 * index);
}

/** From a point to the nearest point of a rectangle, in pixels, the longer way of the two axes plus half the shorter. */
function distance({ x, y, width, height }: PixelRect, at: Point): number {
  const dx = Math.max(x - at.x, 0, at.x - x - width);
  const dy = Math.max(y - at.y, 0, at.y - y - height);
  return Math.max(dx, dy) + Math.floor(Math.min(dx, dy) / 2);
}

function isFree(
  rect: PixelRect,
  own: Of<'station-mark'>,
  { tracks, marks, blocked }: Obstacles,
): boolean {
  const inside =
    rect.x >= EDGE_PX &&
    rect.y >= EDGE_PX &&
    rect.x + rect.width <= MAP_SIZE.width - EDGE_PX &&
    rect.y + rect.height <= MAP_SIZE.height - EDGE_PX;
  const room = inflate(rect, 3);
  return (
    inside &&
    !marks.some((mark) => overlaps(mark.rect, inflate(rect, mark === own ? 2 : 12))) &&
    !blocked.some((other) => overlaps(other, room)) &&
    !tracks.some((track) => trackCrosses(track, room))
  );
}

/** One rectangle of each list so that no two come close; the tightest choice is made first. */
function placeAll(options: readonly (readonly PixelRect[])[]): readonly PixelRect[] | null {
  const chosen = new Map<number, PixelRect>();
  let tries = 0;
  const step = (
    left: readonly { readonly index: number; readonly rects: readonly PixelRect[] }[],
  ): boolean => {
    if (left.length === 0) return true;
    const tightest = left.reduce((a, b) => (b.rects.length < a.rects.length ? b : a));
    for (const rect of tightest.rects) {
      if (++tries > MOST_TRIES) return false;
      const room = spaced(rect);
      const rest = left
        .filter((option) => option !== tightest)
        .map(({ index, rects }) => ({
          index,
          rects: rects.filter((other) => !overlaps(other, room)),
        }));
      if (rest.some(({ rects }) => rects.length === 0)) continue;
      chosen.set(tightest.index, rect);
      if (step(rest)) return true;
    }
    return false;
  };
  const found = step(options.map((rects, index) => ({ index, rects })));
  return found ? options.map((_, index) => chosen.get(index)!) : null;
}

/** A label with the room around it that no other label may enter: more beside it than above it. */
function spaced({ x, y, width, height }: PixelRect): PixelRect {
  const { across, down } = APART_PX;
  return { x: x - across, y: y - down, width: width + 2 * across, height: height + 2 * down };
}
