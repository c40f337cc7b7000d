import { boxToPixels, MIN_BOX_SIDE_PX, type Box, type PixelSize } from '../../box.ts';
import type { Feedback } from '../../run.ts';
import type { Task } from '../../task.ts';
import { stepFindings, type Trajectory } from '../../trajectory.ts';

/** A part of one of the task's images that someone pointed at. The box is as given: not yet checked. */
export interface ObservedRegion {
  /** 0-based. */
  readonly image: number;
  readonly box: readonly number[];
  readonly from: 'person' | 'zoom' | 'finding';
}

/** Twice the shortest side allowed: what a grown box is widened to, so that its surroundings show. */
const GROWN_SIDE_PX = 2 * MIN_BOX_SIDE_PX;

const ZOOM_NAME = /zoom|crop/iu;
const BOX_ARGUMENTS = ['box', 'bbox', 'region', 'bbox_2d'] as const;
const IMAGE_ARGUMENTS = ['image', 'image_index', 'index', 'image_hash'] as const;

/**
 * The regions of an attempt, the best first: the one a person drew, then the agent's own zoom or crop
 * calls (latest first), then the findings' (surest first, later ones before earlier).
 */
export function observedRegions(
  trajectory: Trajectory,
  task: Task,
  feedback: Feedback,
): readonly ObservedRegion[] {
  const person: ObservedRegion[] =
    feedback.region === null ? [] : [{ ...feedback.region, from: 'person' }];
  const zooms = trajectory.steps
    .flatMap((step) => step.tool_calls ?? [])
    .flatMap((call) => {
      if (!ZOOM_NAME.test(call.function_name)) return [];
      const box = BOX_ARGUMENTS.map((name) => call.arguments[name]).find(isBoxLike);
      if (box === undefined) return [];
      return [{ image: imageArgument(call.arguments, task), box, from: 'zoom' as const }];
    })
    .reverse();
  const findings = trajectory.steps
    .flatMap((step) => stepFindings(step))
    .reverse()
    .sort((a, b) => b.confidence - a.confidence)
    .flatMap(({ image, box }): ObservedRegion[] =>
      box === null ? [] : [{ image: image ?? 0, box, from: 'finding' }],
    );
  return [...person, ...zooms, ...findings];
}

/**
 * A box grown around its centre until both sides have room (56 px), pushed back inside the image
 * where it would stick out, and never past it. A box that is large enough stays as it is, clamped.
 */
export function growBox(box: readonly number[], size: PixelSize): Box | null {
  const [x0, y0, x1, y1] = box;
  if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined) return null;
  const [left, right] = growSide(x0, x1, size.width);
  const [top, bottom] = growSide(y0, y1, size.height);
  return [left, top, right, bottom];
}

/** How far past an edge, in fractions, a box may stick out and still be meant as fractions. */
const OVERHANG = 0.5;

/**
 * A box that sticks out of its image a little, cut off at the edge and grown where that leaves too
 * little. null where it cannot have been meant as fractions (pixels, thousandths), or lies outside.
 */
export function clampBox(box: readonly number[], size: PixelSize): Box | null {
  if (box.some((edge) => edge < -OVERHANG || edge > 1 + OVERHANG)) return null;
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = box;
  if (Math.min(x0, x1) >= 1 || Math.min(y0, y1) >= 1) return null;
  if (Math.max(x0, x1) <= 0 || Math.max(y0, y1) <= 0) return null;
  return growBox(box, size);
}

/** The first region that holds the given one and is large enough on its source, or undefined. */
export function enclosingRegion(
  regions: readonly ObservedRegion[],
  inner: ObservedRegion,
  size: PixelSize,
): ObservedRegion | undefined {
  return regions.find((outer) => {
    if (outer.image !== inner.image || outer === inner) return false;
    const [x0 = 1, y0 = 1, x1 = 0, y1 = 0] = outer.box;
    const [a0 = 0, b0 = 0, a1 = 1, b1 = 1] = inner.box;
    if (!(x0 >= 0 && y0 >= 0 && x1 <= 1 && y1 <= 1)) return false;
    if (!(x0 <= a0 && y0 <= b0 && x1 >= a1 && y1 >= b1)) return false;
    const { width, height } = boxToPixels([x0, y0, x1, y1], size);
    return width >= MIN_BOX_SIDE_PX && height >= MIN_BOX_SIDE_PX;
  });
}

function growSide(from: number, to: number, sizePx: number): readonly [number, number] {
  const low = Math.min(1, Math.max(0, Math.min(from, to)));
  const high = Math.min(1, Math.max(0, Math.max(from, to)));
  if ((high - low) * sizePx >= MIN_BOX_SIDE_PX) return [low, high];
  // Whole pixels, so that the crop is exactly as large as it is meant to be.
  const sidePx = Math.min(sizePx, GROWN_SIDE_PX);
  const centred = Math.round(((low + high) / 2) * sizePx - sidePx / 2);
  const startPx = Math.min(sizePx - sidePx, Math.max(0, centred));
  return [startPx / sizePx, (startPx + sidePx) / sizePx];
}

function isBoxLike(value: unknown): value is number[] {
  return (
    Array.isArray(value) && value.length === 4 && value.every((item) => typeof item === 'number')
  );
}

function imageArgument(argument: Readonly<Record<string, unknown>>, task: Task): number {
  for (const name of IMAGE_ARGUMENTS) {
    const value = argument[name];
    if (typeof value === 'number') return value;
    const index = task.images.findIndex((image) => image.hash === value || image.name === value);
    if (index >= 0) return index;
  }
  return 0;
}
