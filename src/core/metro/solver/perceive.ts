import { boxToPixels, type PixelRect, type PixelSize } from '../../box.ts';
import type { ImagePart } from '../../call.ts';
import type { Point, Scene, SceneElement } from '../scene.ts';

/** The long side at which any image is shown to the simulated solver, in pixels at most. */
export const SHOWN_SIDE_PX = 512;

/** Text and arrows smaller than this as shown cannot be read, in pixels. */
export const READABLE_PX = 6;

/** Tracks and marks smaller than this as shown cannot be seen, in pixels. */
export const VISIBLE_PX = 2;

/** A part of the map as it is shown: shown pixels are map pixels times `scale`, which is at most 1. */
export interface View {
  readonly rect: PixelRect;
  readonly scale: number;
}

/**
 * What can be made out of a map: the seen part of its scene, without lines' ids or anything that was
 * too small. Station ids only say which marks, labels and track ends lie at one place.
 */
export interface Percept {
  readonly size: PixelSize;
  readonly tracks: readonly SeenTrack[];
  readonly marks: readonly { readonly station: string; readonly at: Point }[];
  readonly labels: readonly { readonly station: string; readonly text: string }[];
  /** Read arrows: trains run from one station to the next. */
  readonly arrows: readonly { readonly from: string; readonly to: string }[];
  readonly legend: readonly { readonly colour: string; readonly text: string }[];
  readonly notes: readonly string[];
  /** The frame around the legend, read or not. */
  readonly panel: PixelRect | null;
  /** Where there is something that is too small to read: text or an arrow, one cannot tell. */
  readonly unread: readonly PixelRect[];
}

/** A piece of track. Which end is `from` says nothing of the way that trains run. */
export interface SeenTrack {
  readonly colour: string;
  readonly from: string;
  readonly to: string;
  readonly points: readonly Point[];
}

/** How a piece of the map is shown: as it is, or scaled down to `SHOWN_SIDE_PX` on the long side. */
export function viewOf(rect: PixelRect): View {
  return { rect, scale: Math.min(1, SHOWN_SIDE_PX / Math.max(rect.width, rect.height)) };
}

/**
 * The views that images give of the map whose image has this hash: the whole of it, and crops cut
 * from it. A crop of another source shows nothing of this map.
 */
export function viewsOf(
  images: readonly ImagePart[],
  mapHash: string,
  size: PixelSize,
): readonly View[] {
  return images.flatMap(({ hash, source }) => {
    if (source === undefined) return hash === mapHash ? [viewOf({ x: 0, y: 0, ...size })] : [];
    return source.hash === mapHash ? [viewOf(boxToPixels(source.box, size))] : [];
  });
}

/**
 * What is seen of a scene in these views. Text and arrows are read where they are `READABLE_PX` or
 * more as shown in some view, tracks and marks seen from `VISIBLE_PX`; what is not wholly inside a
 * view is not in it.
 */
export function perceive(scene: Scene, views: readonly View[]): Percept {
  const read = new Set<SceneElement>();
  const unread: PixelRect[] = [];
  for (const element of scene.elements) {
    const shownPx = Math.max(
      0,
      ...views
        .filter(({ rect }) => holds(rect, element.rect))
        .map(({ scale }) => element.sizePx * scale),
    );
    // A hair of tolerance, so that a size exactly at the limit does not hang on rounding.
    if (shownPx > 0 && shownPx + 1e-9 >= leastPx(element)) read.add(element);
    else if (shownPx > 0 && isReadable(element)) unread.push(element.rect);
  }
  const seen = <T extends SceneElement['type']>(type: T) =>
    scene.elements.filter(
      (element): element is Extract<SceneElement, { type: T }> =>
        element.type === type && read.has(element),
    );
  return {
    size: scene.size,
    tracks: seen('track').map(seenTrack).sort(byEnds),
    marks: seen('station-mark').map(({ station, at }) => ({ station, at })),
    labels: seen('station-label').map(({ station, text }) => ({ station, text })),
    arrows: seen('arrow').map(({ from, to }) => ({ from, to })),
    legend: seen('legend-row').map(({ colour, text }) => ({ colour, text })),
    notes: seen('small-print').map(({ text }) => text),
    panel: seen('legend-panel')[0]?.rect ?? null,
    unread,
  };
}

function seenTrack({
  colour,
  from,
  to,
  points,
}: Extract<SceneElement, { type: 'track' }>): SeenTrack {
  // A track looks the same from both ends; the order in which it was laid must not show through.
  return from < to
    ? { colour, from, to, points }
    : { colour, from: to, to: from, points: [...points].reverse() };
}

function byEnds(a: SeenTrack, b: SeenTrack): number {
  const key = ({ colour, from, to }: SeenTrack) => `${colour} ${from} ${to}`;
  return key(a) < key(b) ? -1 : 1;
}

function leastPx({ type }: SceneElement): number {
  switch (type) {
    case 'track':
    case 'station-mark':
      return VISIBLE_PX;
    case 'legend-panel':
      return 0;
    case 'station-label':
    case 'arrow':
    case 'legend-row':
    case 'small-print':
    case 'title':
      return READABLE_PX;
  }
}

function isReadable(element: SceneElement): boolean {
  return leastPx(element) === READABLE_PX;
}

function holds(outer: PixelRect, inner: PixelRect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}
