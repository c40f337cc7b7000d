import type { PixelRect } from '../box.ts';
import { inflate } from './rect.ts';
import type { Scene } from './scene.ts';

/** Around what must be read, so that a crop holds it wholly. */
const ROOM_PX = 6;

/**
 * The part of a map that a question's answer hangs on and that is illegible in the whole picture: the
 * legend panel, or the arrows of the one-way loop. At most 512 px a side, so that a crop of it is
 * shown at its own scale.
 */
export function keyRegion(scene: Scene, needs: 'legend' | 'arrows'): PixelRect {
  const wanted = needs === 'legend' ? 'legend-panel' : 'arrow';
  const rects = scene.elements.flatMap(({ type, rect }) => (type === wanted ? [rect] : []));
  const left = Math.min(...rects.map((rect) => rect.x));
  const top = Math.min(...rects.map((rect) => rect.y));
  const right = Math.max(...rects.map((rect) => rect.x + rect.width));
  const bottom = Math.max(...rects.map((rect) => rect.y + rect.height));
  const region = { x: left, y: top, width: right - left, height: bottom - top };
  return inflate(region, ROOM_PX);
}
