import type { PixelRect } from '../box.ts';
import { textHeight, textWidth } from './font.ts';
import { edgesOf, stationOf } from './graph.ts';
import { placeLabels } from './place-labels.ts';
import { panelElements, panelSize } from './panel.ts';
import { inflate, overlaps, rectAround, trackCrosses } from './rect.ts';
import { MAP_SIZE, type MetroMap, type Point, type Scene, type SceneElement } from './scene.ts';

type Track = Extract<SceneElement, { type: 'track' }>;
type Mark = Extract<SceneElement, { type: 'station-mark' }>;

/** Sizes in pixels. */
const TRACK_PX = 8;
const STATION_PX = 20;
const INTERCHANGE_PX = 28;
const ARROW_PX = 12;
const TITLE_CAP_PX = 34;
const MARGIN_PX = 28;
/** Side by side, two tracks lie this far from the middle; on a slope 7 / √2. */
const SIDE_PX = 5;
const SLOPE_SIDE_PX = 4;

/**
 * All that is drawn for a map, in drawing order. No two labels overlap, and none lies on a track, a
 * mark, an arrow, the panel or the title. Where that cannot be had the scene has no elements.
 */
export function layOut(map: MetroMap): Scene {
  const tracks = trackElements(map);
  const marks = markElements(map);
  const arrows = arrowElements(map, tracks, marks);
  const corner = freeCorner(map, tracks, marks);
  const empty: Scene = { seed: map.seed, size: MAP_SIZE, elements: [] };
  if (corner === null) return empty;
  const panel = panelElements(map, corner.panel);
  const title = titleElement(map, corner.title);
  const blocked = [title.rect, corner.panel, ...arrows.map((arrow) => arrow.rect)];
  const labels = placeLabels(map, { tracks, marks, blocked });
  if (labels === null) return empty;
  return {
    ...empty,
    elements: [...tracks, ...arrows, ...marks, ...labels, ...panel, title],
  };
}

function trackElements(map: MetroMap): readonly Track[] {
  return map.lines.flatMap((line) =>
    edgesOf(line).map(([from, to]): Track => {
      const side = sideOf(map, line.id, [from, to]);
      const points = shifted(stationOf(map, from).at, stationOf(map, to).at, side);
      const rect = inflate(rectAround(points), TRACK_PX / 2);
      return {
        type: 'track',
        line: line.id,
        colour: line.colour,
        from,
        to,
        points,
        rect,
        sizePx: TRACK_PX,
      };
    }),
  );
}

/** -1 or 1 where another line runs along the same edge, else 0. */
function sideOf(map: MetroMap, id: string, [from, to]: readonly [string, string]): number {
  const along = map.lines.filter((line) =>
    edgesOf(line).some((edge) => edge.includes(from) && edge.includes(to)),
  );
  if (along.length < 2) return 0;
  return along[0]!.id === id ? 1 : -1;
}

/** A straight track moved sideways, to the left of its direction for a positive side. */
function shifted(a: Point, b: Point, side: number): readonly Point[] {
  // The direction that is rightwards, or downwards, so that both lines agree on what is left.
  const sign = b.x > a.x || (b.x === a.x && b.y > a.y) ? 1 : -1;
  const dx = Math.sign(b.x - a.x) * sign;
  const dy = Math.sign(b.y - a.y) * sign;
  const by = dx !== 0 && dy !== 0 ? SLOPE_SIDE_PX : SIDE_PX;
  const move = ({ x, y }: Point): Point => ({ x: x + dy * by * side, y: y - dx * by * side });
  return [move(a), move(b)];
}

function markElements(map: MetroMap): readonly Mark[] {
  return map.stations.map((station): Mark => {
    const lines = map.lines.filter((line) => line.stations.includes(station.id));
    const interchange = lines.length > 1;
    const sizePx = interchange ? INTERCHANGE_PX : STATION_PX;
    const rect = inflate(rectAround([station.at]), sizePx / 2);
    return { type: 'station-mark', station: station.id, at: station.at, interchange, rect, sizePx };
  });
}

/** One arrow a loop's edge, inside the loop, beside the track where nothing else runs. */
function arrowElements(
  map: MetroMap,
  tracks: readonly Track[],
  marks: readonly Mark[],
): readonly SceneElement[] {
  return map.lines
    .filter((line) => line.oneWay)
    .flatMap((line) => {
      const turn = Math.sign(twiceArea(line.stations.map((id) => stationOf(map, id).at)));
      return edgesOf(line).map(([from, to]): SceneElement => {
        const ends = [stationOf(map, from).at, stationOf(map, to).at] as const;
        const rects = EIGHTHS.map((eighths) => arrowRect(ends, turn, eighths));
        const isFree = (rect: PixelRect) =>
          !tracks.some((track) => trackCrosses(track, inflate(rect, 1))) &&
          !marks.some((mark) => overlaps(mark.rect, inflate(rect, 4)));
        const rect = rects.find(isFree) ?? rects[0]!;
        return { type: 'arrow', line: line.id, from, to, rect, sizePx: ARROW_PX };
      });
    });
}

/** Where along its edge an arrow may stand, the middle first. */
const EIGHTHS = [4, 3, 5, 2, 6];

function arrowRect([a, b]: readonly [Point, Point], turn: number, eighths: number): PixelRect {
  const dx = Math.sign(b.x - a.x);
  const dy = Math.sign(b.y - a.y);
  const off = (dx !== 0 && dy !== 0 ? 12 : 15) * turn;
  const at = {
    x: a.x + Math.trunc(((b.x - a.x) * eighths) / 8) - dy * off,
    y: a.y + Math.trunc(((b.y - a.y) * eighths) / 8) + dx * off,
  };
  return inflate(rectAround([at]), ARROW_PX / 2);
}

/** Twice the area inside a polygon, positive where it goes clockwise on screen. */
function twiceArea(corners: readonly Point[]): number {
  return corners.reduce((sum, { x, y }, index) => {
    const next = corners[(index + 1) % corners.length]!;
    return sum + x * next.y - next.x * y;
  }, 0);
}

/** The corner with most room for the panel; the title goes to the top, on the other side. */
function freeCorner(
  map: MetroMap,
  tracks: readonly Track[],
  marks: readonly Mark[],
): { readonly panel: PixelRect; readonly title: Point } | null {
  const { width, height } = panelSize(map);
  const right = MAP_SIZE.width - MARGIN_PX - width;
  const bottom = MAP_SIZE.height - MARGIN_PX - height;
  const titleWidth = textWidth(map.name, TITLE_CAP_PX);
  for (const [x, y] of [
    [right, bottom],
    [MARGIN_PX, bottom],
    [right, MARGIN_PX],
    [MARGIN_PX, MARGIN_PX],
  ] as const) {
    const panel = { x, y, width, height };
    const room = inflate(panel, 16);
    const taken =
      marks.some((mark) => overlaps(mark.rect, room)) ||
      tracks.some((track) => trackCrosses(track, room));
    const onLeft = y === bottom || x === right;
    const title = {
      x: onLeft ? MARGIN_PX + 8 : MAP_SIZE.width - MARGIN_PX - 8 - titleWidth,
      y: 34,
    };
    if (!taken) return { panel, title };
  }
  return null;
}

function titleElement(map: MetroMap, at: Point): Extract<SceneElement, { type: 'title' }> {
  const width = textWidth(map.name, TITLE_CAP_PX);
  const rect = { ...at, width, height: textHeight(TITLE_CAP_PX) };
  return { type: 'title', text: map.name, rect, sizePx: TITLE_CAP_PX };
}
