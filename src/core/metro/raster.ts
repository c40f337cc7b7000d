import type { PixelRect, PixelSize } from '../box.ts';
import { penWidth, placeText, SUBPIXELS } from './font.ts';
import { rectAround } from './rect.ts';
import type { Point } from './scene.ts';

/** Held here, not looked up in another module: the innermost loops multiply by it. */
const FINE = SUBPIXELS;

/** A picture of palette indexes, a byte a pixel, row by row. */
export interface Picture extends PixelSize {
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** Colours as 0xrrggbb, 256 at most, in the order they came up. */
  readonly palette: number[];
  readonly indexes: Map<number, number>;
  /** Mixed colours by pen colour, then by background index and coverage. */
  readonly mixes: Map<number, Int16Array>;
}

/** A pixel is covered in eighths: 0 … 8. */
const FULL = 8;
const MOST_COLOURS = 256;

/** A picture filled with one colour (`#rrggbb`). */
export function blankPicture(size: PixelSize, colour: string): Picture {
  const pixels = new Uint8Array(size.width * size.height);
  const picture: Picture = {
    ...size,
    pixels,
    palette: [],
    indexes: new Map(),
    mixes: new Map(),
  };
  paletteIndex(picture, colourValue(colour));
  return picture;
}

function colourValue(colour: string): number {
  return Number.parseInt(colour.slice(1), 16);
}

/** The index of a colour, added where there is room, else the nearest one there is. */
function paletteIndex({ palette, indexes }: Picture, colour: number): number {
  const known = indexes.get(colour);
  if (known !== undefined) return known;
  let index = palette.length;
  if (index < MOST_COLOURS) palette.push(colour);
  else index = nearest(palette, colour);
  indexes.set(colour, index);
  return index;
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0;
  let least = Number.MAX_SAFE_INTEGER;
  palette.forEach((other, index) => {
    const off = [16, 8, 0].map((shift) => ((colour >> shift) & 255) - ((other >> shift) & 255));
    const square = off.reduce((sum, each) => sum + each * each, 0);
    if (square < least) [best, least] = [index, square];
  });
  return best;
}

function mixed(picture: Picture, background: number, colour: number, coverage: number): number {
  const under = picture.palette[background] ?? 0;
  let value = 0;
  for (const shift of [16, 8, 0]) {
    const a = (under >> shift) & 255;
    const b = (colour >> shift) & 255;
    value |= ((a * (FULL - coverage) + b * coverage + FULL / 2) >> 3) << shift;
  }
  return paletteIndex(picture, value);
}

/** Lays a colour over one pixel, `coverage` eighths of it. */
function lay(picture: Picture, offset: number, coverage: number, pen: Pen): void {
  const { pixels } = picture;
  if (coverage >= FULL) {
    pixels[offset] = pen.index;
    return;
  }
  const slot = (pixels[offset] ?? 0) * FULL + coverage;
  let index = pen.mixes[slot]!;
  if (index < 0) {
    index = mixed(picture, pixels[offset] ?? 0, pen.colour, coverage);
    pen.mixes[slot] = index;
  }
  pixels[offset] = index;
}

interface Pen {
  readonly colour: number;
  readonly index: number;
  readonly mixes: Int16Array;
}

function penOf(picture: Picture, colour: string): Pen {
  const value = colourValue(colour);
  let mixes = picture.mixes.get(value);
  if (mixes === undefined) {
    mixes = new Int16Array(MOST_COLOURS * FULL).fill(-1);
    picture.mixes.set(value, mixes);
  }
  return { colour: value, index: paletteIndex(picture, value), mixes };
}

/** Fills whole pixels. */
export function fillRect(picture: Picture, rect: PixelRect, colour: string): void {
  const { index } = penOf(picture, colour);
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    const start = y * picture.width + rect.x;
    picture.pixels.fill(index, start, start + rect.width);
  }
}

/**
 * Draws strokes with a round pen. Points and the pen's width are in eighths of a pixel. What strokes
 * of one call share is covered once. Edges are smoothed by sixteen samples a pixel, in whole numbers.
 */
export function drawStrokes(
  picture: Picture,
  strokes: readonly (readonly Point[])[],
  { width, colour }: { readonly width: number; readonly colour: string },
): void {
  const points = strokes.flat();
  if (points.length === 0) return;
  const around = rectAround(points);
  const reach = (width >> 1) + FINE;
  const left = Math.max(0, Math.floor((around.x - reach) / FINE));
  const top = Math.max(0, Math.floor((around.y - reach) / FINE));
  const right = Math.min(picture.width, Math.ceil((around.x + around.width + reach) / FINE));
  const bottom = Math.min(picture.height, Math.ceil((around.y + around.height + reach) / FINE));
  const box = { x: left, y: top, width: right - left, height: bottom - top };
  const samples = new Uint16Array(box.width * box.height);
  for (const stroke of strokes) {
    for (let index = 0; index < Math.max(1, stroke.length - 1); index++) {
      const from = stroke[index]!;
      coverCapsule(samples, box, { from, to: stroke[index + 1] ?? from, width });
    }
  }
  layDown(picture, samples, box, penOf(picture, colour));
}

interface Capsule {
  readonly from: Point;
  readonly to: Point;
  readonly width: number;
}

/** Marks the samples within half a width of a straight piece: a bit each, sixteen a pixel. */
function coverCapsule(samples: Uint16Array, box: PixelRect, { from, to, width }: Capsule): void {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length2 = dx * dx + dy * dy;
  // Diameters are compared, not radii, so that odd widths stay whole.
  const inside = (x: number, y: number, diameter: number): boolean => {
    const near = diameter * diameter;
    const px = x - from.x;
    const py = y - from.y;
    const along = px * dx + py * dy;
    if (along <= 0) return 4 * (px * px + py * py) <= near;
    if (along >= length2) {
      const [qx, qy] = [x - to.x, y - to.y];
      return 4 * (qx * qx + qy * qy) <= near;
    }
    const cross = px * dy - py * dx;
    return 4 * cross * cross <= near * length2;
  };
  const reach = (width >> 1) + FINE;
  const firstRow = Math.max(box.y, Math.floor((Math.min(from.y, to.y) - reach) / FINE));
  const lastRow = Math.min(
    box.y + box.height - 1,
    Math.floor((Math.max(from.y, to.y) + reach) / FINE),
  );
  for (let row = firstRow; row <= lastRow; row++) {
    const [start, end] = columnsOf(row, { from, to, width });
    const last = Math.min(box.x + box.width - 1, end);
    for (let column = Math.max(box.x, start); column <= last; column++) {
      const [middleX, middleY] = [column * FINE + 4, row * FINE + 4];
      // No sample is as far as 6 eighths from the middle of its pixel.
      if (!inside(middleX, middleY, width + 12)) continue;
      const whole = width > 12 && inside(middleX, middleY, width - 12);
      let bits = whole ? 0xffff : 0;
      for (let sample = whole ? 16 : 0; sample < 16; sample++) {
        const x = column * FINE + 1 + 2 * (sample & 3);
        const y = row * FINE + 1 + 2 * (sample >> 2);
        if (inside(x, y, width)) bits |= 1 << sample;
      }
      samples[(row - box.y) * box.width + column - box.x]! |= bits;
    }
  }
}

/** The columns that a straight piece can touch in a row of pixels, with some to spare. */
function columnsOf(row: number, { from, to, width }: Capsule): readonly [number, number] {
  const reach = width + FINE;
  const clip = (value: number, a: number, b: number) =>
    Math.min(Math.max(value, Math.min(a, b)), Math.max(a, b));
  const at = (y: number) => {
    const clipped = clip(y, from.y, to.y);
    if (from.y === to.y) return null;
    return from.x + Math.trunc(((to.x - from.x) * (clipped - from.y)) / (to.y - from.y));
  };
  const upper = at(row * FINE - reach) ?? from.x;
  const lower = at((row + 1) * FINE + reach) ?? to.x;
  return [
    Math.floor((Math.min(upper, lower) - reach) / FINE),
    Math.floor((Math.max(upper, lower) + reach) / FINE),
  ];
}

function layDown(picture: Picture, samples: Uint16Array, box: PixelRect, pen: Pen): void {
  for (let row = 0; row < box.height; row++) {
    for (let column = 0; column < box.width; column++) {
      const bits = samples[row * box.width + column]!;
      if (bits === 0) continue;
      const coverage = (bitCount(bits) + 1) >> 1;
      const offset = (row + box.y) * picture.width + column + box.x;
      if (coverage > 0) lay(picture, offset, coverage, pen);
    }
  }
}

function bitCount(bits: number): number {
  let count = bits - ((bits >> 1) & 0x5555);
  count = (count & 0x3333) + ((count >> 2) & 0x3333);
  count = (count + (count >> 4)) & 0x0f0f;
  return (count + (count >> 8)) & 0x1f;
}

/** A round spot, its middle in whole pixels. */
export function drawDisc(
  picture: Picture,
  { x, y }: Point,
  { diameter, colour }: { readonly diameter: number; readonly colour: string },
): void {
  const middle = { x: x * FINE, y: y * FINE };
  drawStrokes(picture, [[middle]], { width: diameter * FINE, colour });
}

/** A line of text, the top left of its first capital at a whole pixel. */
export function drawText(
  picture: Picture,
  { text, at }: { readonly text: string; readonly at: Point },
  { capPx, colour }: { readonly capPx: number; readonly colour: string },
): void {
  const move = ({ x, y }: Point) => ({ x: x + at.x * FINE, y: y + at.y * FINE });
  for (const { strokes } of placeText(text, capPx)) {
    drawStrokes(
      picture,
      strokes.map((stroke) => stroke.map(move)),
      { width: penWidth(capPx), colour },
    );
  }
}
