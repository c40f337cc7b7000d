import type { PixelRect } from '../box.ts';
import type { Point } from './scene.ts';

/** The smallest rectangle around points; its sides may be 0. */
export function rectAround(points: readonly Point[]): PixelRect {
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** The rectangle grown by a number of pixels on every side. */
export function inflate({ x, y, width, height }: PixelRect, by: number): PixelRect {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

/** Whether two rectangles share more than an edge. */
export function overlaps(a: PixelRect, b: PixelRect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Whether a point lies inside a rectangle or on its edge. */
export function contains({ x, y, width, height }: PixelRect, point: Point): boolean {
  return x <= point.x && point.x <= x + width && y <= point.y && point.y <= y + height;
}

/** Whether a straight track of a width comes into a rectangle: no axis, nor the track's own normal, parts them. */
export function trackCrosses(
  { points, sizePx }: { readonly points: readonly Point[]; readonly sizePx: number },
  rect: PixelRect,
): boolean {
  const [a, b] = [points[0]!, points.at(-1)!];
  const width = rect.width + sizePx;
  const height = rect.height + sizePx;
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  // Twice the way from the rectangle's middle to the track's start and end.
  const ax = 2 * a.x - (2 * rect.x + rect.width);
  const ay = 2 * a.y - (2 * rect.y + rect.height);
  const [bx, by] = [ax + 2 * dx, ay + 2 * dy];
  if (Math.min(ax, bx) > width || Math.max(ax, bx) < -width) return false;
  if (Math.min(ay, by) > height || Math.max(ay, by) < -height) return false;
  return Math.abs(ax * dy - ay * dx) <= width * Math.abs(dy) + height * Math.abs(dx);
}
