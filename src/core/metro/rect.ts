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

/** Whether a straight track of a width comes into a rectangle, tested at each pixel along its middle. */
export function trackCrosses(
  { points, sizePx }: { readonly points: readonly Point[]; readonly sizePx: number },
  rect: PixelRect,
): boolean {
  const room = inflate(rect, sizePx / 2);
  const [a, b] = [points[0]!, points.at(-1)!];
  const steps = Math.max(Math.abs(b.x - a.x), Math.abs(b.y - a.y));
  for (let step = 0; step <= steps; step++) {
    const x = a.x + Math.trunc(((b.x - a.x) * step) / steps);
    const y = a.y + Math.trunc(((b.y - a.y) * step) / steps);
    if (contains(room, { x, y })) return true;
  }
  return false;
}
