import { z } from 'zod';
import type { PixelSize } from '../../box.ts';

/**
 * How a family of models writes a box: `fraction` `[x0, y0, x1, y1]` from 0 to 1, Grove's own;
 * `thousandths` the same from 0 to 1000 (Qwen3-VL and later); `pixels` of the image as it was sent
 * (Qwen2.5-VL); `yx-thousandths` `[y0, x0, y1, x1]` from 0 to 1000 (Gemma, PaliGemma, Gemini).
 */
export const boxConventionSchema = z.enum(['fraction', 'thousandths', 'pixels', 'yx-thousandths']);
export type BoxConvention = z.infer<typeof boxConventionSchema>;

/** The convention of a model by its name, as hubs and servers name it; Grove's own where it is unknown. */
export function boxConventionOf(model: string): BoxConvention {
  const name = model.toLowerCase();
  if (/qwen-?2(\.5)?-?vl/u.test(name)) return 'pixels';
  if (/qwen/u.test(name)) return 'thousandths';
  if (/gemma|gemini/u.test(name)) return 'yx-thousandths';
  return 'fraction';
}

/** What a prompt says of boxes, after “A box is”. */
export function describeBox(convention: BoxConvention): string {
  switch (convention) {
    case 'fraction':
      return '[x0, y0, x1, y1] in fractions of the image’s width and height, from the top left';
    case 'thousandths':
      return '[x0, y0, x1, y1] in thousandths of the image’s width and height (0 to 1000), from the top left';
    case 'pixels':
      return '[x0, y0, x1, y1] in pixels of the image, from the top left';
    case 'yx-thousandths':
      return '[y0, x0, y1, x1] in thousandths of the image’s height and width (0 to 1000), from the top left';
  }
}

/** A box as a model wrote it, in fractions. `size` is the image as it was sent. */
export function boxToFractions(
  box: readonly number[],
  convention: BoxConvention,
  { width, height }: PixelSize,
): readonly number[] {
  const [a = NaN, b = NaN, c = NaN, d = NaN] = box;
  switch (convention) {
    case 'fraction':
      return [a, b, c, d];
    case 'thousandths':
      return [a, b, c, d].map((value) => value / 1000);
    case 'pixels':
      return [a / width, b / height, c / width, d / height];
    case 'yx-thousandths':
      return [b, a, d, c].map((value) => value / 1000);
  }
}

/** The other way: a box in fractions as the model would write it, in whole numbers where it does. */
export function boxFromFractions(
  [x0, y0, x1, y1]: readonly [number, number, number, number],
  convention: BoxConvention,
  { width, height }: PixelSize,
): readonly number[] {
  switch (convention) {
    case 'fraction':
      return [x0, y0, x1, y1];
    case 'thousandths':
      return [x0, y0, x1, y1].map((value) => Math.round(value * 1000));
    case 'pixels':
      return [x0 * width, y0 * height, x1 * width, y1 * height].map(Math.round);
    case 'yx-thousandths':
      return [y0, x0, y1, x1].map((value) => Math.round(value * 1000));
  }
}

/** The size of an image that is sent with its longest side at most `longest` pixels. */
export function sentSize({ width, height }: PixelSize, longest: number): PixelSize {
  const scale = Math.min(1, longest / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}
