import type { Point } from './scene.ts';

/**
 * Grove's own letters, as pen strokes: centre lines on a grid where the baseline is 0, capitals reach
 * 24 and the pen is 4 wide (so a capital is 28 high in all). `x,y` goes straight to a point, `~x,y`
 * bends towards it on the way to the next, ` / ` lifts the pen. `raster.ts` turns them into pixels.
 */
const STROKES: Readonly<Record<string, string>> = {
  A: '0,0 9,24 18,0 / 3,8 15,8',
  B: '0,0 0,24 7,24 ~14,24 14,18 ~14,13 7,13 0,13 / 7,13 ~16,13 16,6 ~16,0 7,0 0,0',
  C: '17,20 ~14,24 10,24 ~0,24 0,12 ~0,0 10,0 ~14,0 17,4',
  D: '0,0 0,24 6,24 ~17,24 17,12 ~17,0 6,0 0,0',
  E: '14,24 0,24 0,0 14,0 / 0,12 12,12',
  F: '14,24 0,24 0,0 / 0,12 11,12',
  G: '18,20 ~15,24 10,24 ~0,24 0,12 ~0,0 10,0 ~18,0 18,8 18,11 11,11',
  H: '0,0 0,24 / 16,0 16,24 / 0,12 16,12',
  I: '0,0 0,24',
  J: '10,24 10,6 ~10,0 5,0 ~1,0 0,4',
  K: '0,0 0,24 / 15,24 0,9 / 5,14 16,0',
  L: '0,24 0,0 12,0',
  M: '0,0 0,24 10,7 20,24 20,0',
  N: '0,0 0,24 16,0 16,24',
  O: '10,24 ~20,24 20,12 ~20,0 10,0 ~0,0 0,12 ~0,24 10,24',
  P: '0,0 0,24 7,24 ~16,24 16,17 ~16,10 7,10 0,10',
  Q: '10,24 ~20,24 20,12 ~20,0 10,0 ~0,0 0,12 ~0,24 10,24 / 12,6 20,-2',
  R: '0,0 0,24 7,24 ~16,24 16,17 ~16,10 7,10 0,10 / 8,10 16,0',
  S: '15,20 ~13,24 8,24 ~1,24 1,18 ~1,13 8,12 ~16,11 16,6 ~16,0 8,0 ~2,0 0,5',
  T: '0,24 18,24 / 9,24 9,0',
  U: '0,24 0,8 ~0,0 8,0 ~16,0 16,8 16,24',
  V: '0,24 9,0 18,24',
  W: '0,24 6,0 13,19 20,0 26,24',
  X: '0,0 16,24 / 0,24 16,0',
  Y: '0,24 8,11 16,24 / 8,11 8,0',
  Z: '0,24 15,24 0,0 15,0',
  a: '13,16 13,0 / 13,8 ~13,16 6,16 ~0,16 0,8 ~0,0 6,0 ~13,0 13,8',
  b: '0,24 0,0 / 0,8 ~0,16 7,16 ~13,16 13,8 ~13,0 7,0 ~0,0 0,8',
  c: '12,13 ~10,16 7,16 ~0,16 0,8 ~0,0 7,0 ~10,0 12,3',
  d: '13,24 13,0 / 13,8 ~13,16 6,16 ~0,16 0,8 ~0,0 6,0 ~13,0 13,8',
  e: '0,8 13,8 ~13,16 7,16 ~0,16 0,8 ~0,0 7,0 ~11,0 12,3',
  f: '9,24 ~4,25 4,19 4,0 / 0,16 9,16',
  g: '13,8 ~13,16 6,16 ~0,16 0,8 ~0,0 6,0 ~13,0 13,8 / 13,16 13,-2 ~13,-8 6,-8 ~2,-8 1,-6',
  h: '0,24 0,0 / 0,9 ~0,16 7,16 ~12,16 12,10 12,0',
  i: '0,16 0,0 / 0,23 0,23',
  j: '3,16 3,-3 ~3,-8 -1,-8 / 3,23 3,23',
  k: '0,24 0,0 / 11,16 0,5 / 4,9 12,0',
  l: '0,24 0,0',
  m: '0,16 0,0 / 0,10 ~0,16 5,16 ~10,16 10,10 10,0 / 10,10 ~10,16 15,16 ~20,16 20,10 20,0',
  n: '0,16 0,0 / 0,9 ~0,16 7,16 ~12,16 12,10 12,0',
  o: '7,16 ~14,16 14,8 ~14,0 7,0 ~0,0 0,8 ~0,16 7,16',
  p: '0,16 0,-8 / 0,8 ~0,16 7,16 ~13,16 13,8 ~13,0 7,0 ~0,0 0,8',
  q: '13,16 13,-8 / 13,8 ~13,16 6,16 ~0,16 0,8 ~0,0 6,0 ~13,0 13,8',
  r: '0,16 0,0 / 0,9 ~0,16 8,16',
  s: '10,13 ~9,16 6,16 ~1,16 1,12 ~1,9 6,8 ~11,7 11,4 ~11,0 6,0 ~1,0 0,3',
  t: '4,22 4,5 ~4,0 9,0 / 0,16 9,16',
  u: '0,16 0,6 ~0,0 5,0 ~12,0 12,7 / 12,16 12,0',
  v: '0,16 6,0 12,16',
  w: '0,16 5,0 10,14 15,0 20,16',
  x: '0,0 11,16 / 0,16 11,0',
  y: '0,16 6,1 / 12,16 5,-5 ~4,-8 0,-8',
  z: '0,16 11,16 0,0 11,0',
  0: '7,24 ~14,24 14,12 ~14,0 7,0 ~0,0 0,12 ~0,24 7,24',
  1: '0,20 5,24 5,0',
  2: '0,19 ~0,24 7,24 ~14,24 14,18 ~14,14 10,10 0,0 14,0',
  3: '0,24 13,24 6,14 ~14,14 14,7 ~14,0 6,0 ~1,0 0,4',
  4: '11,0 11,24 0,7 15,7',
  5: '12,24 1,24 1,13 ~4,15 7,15 ~14,15 14,8 ~14,0 6,0 ~1,0 0,4',
  6: '11,24 ~0,20 0,7 ~0,0 7,0 ~14,0 14,7 ~14,14 7,14 ~1,14 0,8',
  7: '0,24 14,24 5,0',
  8: '7,13 ~1,13 1,18 ~1,24 7,24 ~13,24 13,18 ~13,13 7,13 ~0,13 0,6 ~0,0 7,0 ~14,0 14,6 ~14,13 7,13',
  9: '3,0 ~14,4 14,17 ~14,24 7,24 ~0,24 0,17 ~0,10 7,10 ~13,10 14,16',
  '.': '0,0 0,0',
  ',': '1,0 0,-4',
  "'": '0,24 0,19',
  '-': '0,9 8,9',
  ':': '0,2 0,2 / 0,14 0,14',
};

/** Height of a capital, pen included, in units of the grid. */
const CAP_UNITS = 28;
/** Width of the pen, in units of the grid. */
export const PEN_UNITS = 4;
/** From the right edge of one letter to the left edge of the next. */
const GAP_UNITS = 4;
const SPACE_UNITS = 10;
/** How far g, j, p, q and y reach below the baseline, in units, pen included. */
const DESCENT_UNITS = 10;

/** Fractions of a pixel that outlines are given in. */
export const SUBPIXELS = 8;

/** A letter placed in a line of text: its strokes in eighths of a pixel from the text's top left. */
export interface PlacedGlyph {
  readonly strokes: readonly (readonly Point[])[];
}

const parsed = new Map<string, readonly (readonly Point[])[]>();

/** Strokes with their bends turned into short straight pieces, four times as fine as the grid. */
function strokesOf(character: string): readonly (readonly Point[])[] {
  const known = parsed.get(character);
  if (known !== undefined) return known;
  const text = STROKES[character];
  if (text === undefined) throw new Error(`the metro font has no letter ${character}`);
  const strokes = text.split(' / ').map(flatten);
  parsed.set(character, strokes);
  return strokes;
}

function flatten(stroke: string): readonly Point[] {
  const points: Point[] = [];
  let bend: Point | null = null;
  for (const token of stroke.split(' ')) {
    const [x = 0, y = 0] = token.replace('~', '').split(',').map(Number);
    // Letters are drawn a little narrow: seven eighths, so that names find a place.
    const point = { x: Math.floor((x * 4 * 7) / 8), y: y * 4 };
    const from = points.at(-1);
    if (token.startsWith('~')) bend = point;
    else {
      if (bend !== null && from !== undefined) points.push(...bendThrough(from, bend, point));
      points.push(point);
      bend = null;
    }
  }
  return points;
}

/** Inner points of a quadratic curve, at each sixth of the way. */
function bendThrough(from: Point, bend: Point, to: Point): readonly Point[] {
  const along = (a: number, b: number, c: number, t: number) =>
    Math.floor(((6 - t) * (6 - t) * a + 2 * t * (6 - t) * b + t * t * c + 18) / 36);
  return [1, 2, 3, 4, 5].map((t) => ({
    x: along(from.x, bend.x, to.x, t),
    y: along(from.y, bend.y, to.y, t),
  }));
}

function glyphUnits(character: string): number {
  if (character === ' ') return SPACE_UNITS - GAP_UNITS;
  const right = Math.max(
    ...strokesOf(character)
      .flat()
      .map((point) => point.x),
  );
  return Math.ceil(right / 4) + PEN_UNITS;
}

/** The width of a line of text in whole pixels, at a cap height in pixels. */
export function textWidth(text: string, capPx: number): number {
  const units = [...text].reduce((sum, each) => sum + glyphUnits(each) + GAP_UNITS, -GAP_UNITS);
  return Math.ceil((Math.max(0, units) * capPx) / CAP_UNITS);
}

/** The height of a line of text in whole pixels, from the top of capitals to the foot of a `g`. */
export function textHeight(capPx: number): number {
  return capPx + Math.ceil((DESCENT_UNITS * capPx) / CAP_UNITS);
}

/** The pen's width in eighths of a pixel. */
export function penWidth(capPx: number): number {
  return Math.floor((PEN_UNITS * SUBPIXELS * capPx) / CAP_UNITS);
}

/** The letters of a line of text where they stand, the top left of the first capital at 0,0. */
export function placeText(text: string, capPx: number): readonly PlacedGlyph[] {
  const scale = (quarterUnits: number) =>
    Math.floor((quarterUnits * capPx * SUBPIXELS + 2 * CAP_UNITS) / (4 * CAP_UNITS));
  const placed: PlacedGlyph[] = [];
  let left = 0;
  for (const character of text) {
    if (character !== ' ') {
      const originX = left * 4 + 2 * PEN_UNITS;
      const originY = 4 * CAP_UNITS - 2 * PEN_UNITS;
      const strokes = strokesOf(character).map((points) =>
        points.map(({ x, y }) => ({ x: scale(originX + x), y: scale(originY - y) })),
      );
      placed.push({ strokes });
    }
    left += glyphUnits(character) + GAP_UNITS;
  }
  return placed;
}
