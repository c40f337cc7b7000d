import { z } from 'zod';
import { accept, refuse, type Result } from './result.ts';

/** `[x0, y0, x1, y1]`, fractions of the upright (EXIF-applied) source image, `0 ≤ x0 < x1 ≤ 1`. */
export type Box = readonly [x0: number, y0: number, x1: number, y1: number];

export const boxSchema = z
  .tuple([z.number(), z.number(), z.number(), z.number()])
  .readonly()
  .refine(([x0, y0, x1, y1]) => 0 <= x0 && x0 < x1 && x1 <= 1 && 0 <= y0 && y0 < y1 && y1 <= 1, {
    message: 'a box is [x0, y0, x1, y1] with 0 ≤ x0 < x1 ≤ 1 and 0 ≤ y0 < y1 ≤ 1',
  });

/** The whole image. */
export const WHOLE_IMAGE: Box = [0, 0, 1, 1];

/** The shortest side of a box that a memory may point at, in pixels of the source (DESIGN.md §2). */
export const MIN_BOX_SIDE_PX = 28;

/** A size in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in whole pixels of the source. */
export interface PixelRect extends PixelSize {
  readonly x: number;
  readonly y: number;
}

/** The share of the source that a box covers, 0 to 1. */
export function boxAreaFraction([x0, y0, x1, y1]: Box): number {
  return (x1 - x0) * (y1 - y0);
}

/** The whole pixels a box touches: edges go outwards, and never past the source. */
export function boxToPixels([x0, y0, x1, y1]: Box, size: PixelSize): PixelRect {
  // A fraction such as 0.3 · 1440 lands a hair off a whole pixel; a millionth of one is not a pixel.
  const floor = (value: number) => Math.floor(value + 1e-6);
  const ceil = (value: number) => Math.ceil(value - 1e-6);
  const x = Math.max(0, floor(x0 * size.width));
  const y = Math.max(0, floor(y0 * size.height));
  return {
    x,
    y,
    width: Math.max(1, Math.min(size.width, ceil(x1 * size.width)) - x),
    height: Math.max(1, Math.min(size.height, ceil(y1 * size.height)) - y),
  };
}

/** Checks a box against its source: in range, and at least 28 px on a side. */
export function checkBox(
  box: readonly number[],
  size: PixelSize,
): Result<Box, { reason: 'box-out-of-range' | 'box-too-small'; message: string }> {
  const parsed = boxSchema.safeParse(box);
  if (!parsed.success) {
    return refuse(
      'box-out-of-range',
      `the box [${box.join(', ')}] is not inside the image: it must be [x0, y0, x1, y1] in fractions, 0 ≤ x0 < x1 ≤ 1`,
    );
  }
  const { width, height } = boxToPixels(parsed.data, size);
  if (width < MIN_BOX_SIDE_PX || height < MIN_BOX_SIDE_PX) {
    return refuse(
      'box-too-small',
      `the box is ${width} × ${height} px on the source; a side must be at least ${MIN_BOX_SIDE_PX} px`,
    );
  }
  return accept(parsed.data);
}
