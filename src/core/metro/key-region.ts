import type { PixelRect } from '../box.ts';
import { inflate, rectAround } from './rect.ts';
import type { Scene, SceneElement } from './scene.ts';

/** Around what must be read, so that a crop holds it wholly. */
const ROOM_PX = 4;

/**
 * The part of a map that a question's answer hangs on and that is illegible in the whole picture: the
 * legend panel, or the one-way loop with its arrows. At most 512 px a side, so that a crop of it is
 * shown at its own scale.
 */
export function keyRegion(scene: Scene, needs: 'legend' | 'arrows'): PixelRect {
  const loops = new Set(
    scene.elements.flatMap((element) => (element.type === 'arrow' ? [element.line] : [])),
  );
  const isNeeded = (element: SceneElement): boolean => {
    if (needs === 'legend') return element.type === 'legend-panel';
    return element.type === 'arrow' || (element.type === 'track' && loops.has(element.line));
  };
  const rects = scene.elements.filter(isNeeded).map(({ rect }) => rect);
  const corners = rects.flatMap(({ x, y, width, height }) => [
    { x, y },
    { x: x + width, y: y + height },
  ]);
  return inflate(rectAround(corners), ROOM_PX);
}
