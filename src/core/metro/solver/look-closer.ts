import { boxToPixels, type Box, type PixelRect, type PixelSize } from '../../box.ts';
import type { Doubt } from './answer-question.ts';
import { SHOWN_SIDE_PX, type Percept, type SeenTrack } from './perceive.ts';
import type { Point } from '../scene.ts';

/** How much of the surroundings a box takes in, in pixels of the map, where there is room. */
const MARGIN_PX = 10;

/** How far from a track an arrow may stand that belongs to it, in pixels of the map. */
const BESIDE_TRACK_PX = 40;

/**
 * The box in which what is in doubt could be read, from what is seen: the legend's frame, or the
 * unread things beside a loop's tracks. With a margin, and at most 512 px a side where the region
 * allows, so that its crop is shown at its own scale. null where there is nothing to look at.
 */
export function boxToRead(percept: Percept, doubt: Doubt): Box | null {
  if (doubt.about === 'legend') {
    return percept.panel === null ? null : boxAround(percept.panel, percept.size);
  }
  const tracks = percept.tracks.filter(({ colour }) => colour === doubt.colour);
  const { panel } = percept;
  const beside = percept.unread.filter(
    (rect) => (panel === null || !within(rect, panel)) && distance(rect, tracks) <= BESIDE_TRACK_PX,
  );
  const region = windowOfMost(beside);
  return region === null ? null : boxAround(region, percept.size);
}

/** A rectangle with its margin, as fractions; the margin gives way before the crop would be scaled down. */
export function boxAround(rect: PixelRect, size: PixelSize): Box {
  const [left, right] = widen(rect.x, rect.width, size.width);
  const [top, bottom] = widen(rect.y, rect.height, size.height);
  return [left / size.width, top / size.height, right / size.width, bottom / size.height];
}

/** A box around the same centre that is too small to point at: a slip of the hand. */
export function tooSmallBox([x0, y0, x1, y1]: Box, size: PixelSize): Box {
  const half = TOO_SMALL_PX / 2;
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const [dx, dy] = [half / size.width, half / size.height];
  return [x - dx, y - dy, x + dx, y + dy];
}

const TOO_SMALL_PX = 18;

/** Whether two boxes share any pixel of their source. */
export function boxesOverlap(a: Box, b: Box, size: PixelSize): boolean {
  const [p, q] = [boxToPixels(a, size), boxToPixels(b, size)];
  return p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height;
}

function widen(start: number, length: number, limit: number): readonly [number, number] {
  const room = Math.max(0, Math.floor((SHOWN_SIDE_PX - length) / 2));
  const margin = Math.min(MARGIN_PX, room);
  return [
    Math.max(0, Math.floor(start) - margin),
    Math.min(limit, Math.ceil(start + length) + margin),
  ];
}

/** The smallest rectangle around as many of these as fit into one crop at its own scale. */
function windowOfMost(rects: readonly PixelRect[]): PixelRect | null {
  let most: readonly PixelRect[] = [];
  for (const left of rects) {
    for (const top of rects) {
      const held = rects.filter(
        (rect) =>
          rect.x >= left.x &&
          rect.y >= top.y &&
          rect.x + rect.width <= left.x + SHOWN_SIDE_PX &&
          rect.y + rect.height <= top.y + SHOWN_SIDE_PX,
      );
      if (held.length > most.length) most = held;
    }
  }
  if (most.length === 0) return null;
  const x = Math.min(...most.map((rect) => rect.x));
  const y = Math.min(...most.map((rect) => rect.y));
  return {
    x,
    y,
    width: Math.max(...most.map((rect) => rect.x + rect.width)) - x,
    height: Math.max(...most.map((rect) => rect.y + rect.height)) - y,
  };
}

function within(inner: PixelRect, outer: PixelRect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

function distance(rect: PixelRect, tracks: readonly SeenTrack[]): number {
  const centre = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  const distances = tracks.flatMap(({ points }) =>
    points.slice(1).map((end, index) => toSegment(centre, points[index] ?? end, end)),
  );
  return Math.min(Infinity, ...distances);
}

function toSegment(point: Point, start: Point, end: Point): number {
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((point.x - start.x) * dx + (point.y - start.y) * dy) / length;
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(point.x - start.x - t * dx, point.y - start.y - t * dy);
}
