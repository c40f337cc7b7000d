import type { PixelSize } from '../core/box.ts';
import { MediaError } from '../core/errors.ts';
import { runPixelJob, type Pixels } from './pixel-job.ts';
import { checkPixels } from './read-header.ts';
import { disarmSvg } from './svg-disarm.ts';

/** An SVG is drawn at least this large on its long side, so that small text in it can be read. */
const MIN_LONG_SIDE_PX = 1024;
const MAX_LONG_SIDE_PX = 4096;
const MAX_TEXT_LENGTH = 20_000_000;
/** What browsers take where an SVG states no size at all. */
const DEFAULT_SIZE = { width: 300, height: 150 };
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

/** CSS pixels per unit; percentages and font-relative units state no size by themselves. */
const PX_PER_UNIT = new Map([
  ['', 1],
  ['px', 1],
  ['pt', 96 / 72],
  ['pc', 16],
  ['in', 96],
  ['cm', 96 / 2.54],
  ['mm', 96 / 25.4],
  ['q', 96 / 101.6],
]);

/**
 * Draws an SVG on white as a PNG, its long side 1024 to 4096 px. Scripts do not run and nothing it
 * refers to is loaded: both are taken out, and an `<img>` would do neither. Throws `MediaError`:
 * `corrupt` where it is not well-formed, `too-large` where its parts multiply beyond reason.
 */
export async function rasterizeSvg(
  name: string,
  text: string,
  signal?: AbortSignal,
): Promise<Pixels & { mediaType: string; notes: string[] }> {
  if (text.length > MAX_TEXT_LENGTH) {
    throw new MediaError('too-large', `${name} is too large: over 20 million characters of SVG.`);
  }
  const { root, notes } = parse(name, text);
  const size = statedSize(root, notes);
  checkPixels(name, size);
  const drawn = rasterSize(size);
  root.setAttribute('width', String(drawn.width));
  root.setAttribute('height', String(drawn.height));
  if (viewBox(root) === undefined) {
    root.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
  }
  const bitmap = await draw(name, new XMLSerializer().serializeToString(root), drawn);
  const pixels = await runPixelJob({ source: bitmap, encode: 'image/png' }, signal).catch(
    (cause: unknown) => {
      signal?.throwIfAborted();
      throw new MediaError('corrupt', `${name} could not be drawn.`, { cause });
    },
  );
  return { ...pixels, mediaType: 'image/png', notes };
}

function parse(name: string, text: string): { root: Element; notes: string[] } {
  checkEntities(name, text);
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
  const error = parsed.querySelector('parsererror');
  const root = parsed.documentElement;
  if (error !== null || root.localName !== 'svg' || root.namespaceURI !== SVG_NAMESPACE) {
    const cause = error?.querySelector('div')?.textContent.trim().split('\n')[0];
    throw new MediaError(
      'corrupt',
      `${name} is damaged: it is not a well-formed SVG${cause === undefined ? '' : ` (${cause})`}.`,
    );
  }
  return { root, notes: disarmSvg(name, parsed) };
}

/** Entities that hold entities grow exponentially, and long ones used often grow without bound. */
function checkEntities(name: string, text: string): void {
  const refuse = (cause: string) => new MediaError('too-large', `${name} is refused: ${cause}.`);
  if (/<!ENTITY\s+%/.test(text)) throw refuse('it defines entities that define entities');
  let expanded = 0;
  for (const [, id, quoted = ''] of text.matchAll(/<!ENTITY\s+([^\s"'<>]+)\s+("[^"]*"|'[^']*')/g)) {
    if (/&(?!#)/.test(quoted)) throw refuse('its entities hold other entities');
    expanded += quoted.length * (text.split(`&${id};`).length - 1);
  }
  if (expanded > MAX_TEXT_LENGTH) throw refuse('its entities expand to over 20 million characters');
}

function length(root: Element, attribute: 'width' | 'height'): number | undefined {
  const match = /^\s*\+?([\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(
    root.getAttribute(attribute) ?? '',
  );
  const perUnit = PX_PER_UNIT.get((match?.[2] ?? 'none').toLowerCase());
  const value = Number(match?.[1]) * (perUnit ?? NaN);
  return value > 0 && Number.isFinite(value) ? value : undefined;
}

function viewBox(root: Element): PixelSize | undefined {
  const numbers = (root.getAttribute('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , width = NaN, height = NaN] = numbers;
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) return undefined;
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function statedSize(root: Element, notes: string[]): PixelSize {
  const [width, height, box] = [length(root, 'width'), length(root, 'height'), viewBox(root)];
  if (width !== undefined && height !== undefined) return { width, height };
  if (box === undefined) {
    notes.push('This SVG states no size: 300 × 150 is assumed, as browsers do.');
    return { width: width ?? DEFAULT_SIZE.width, height: height ?? DEFAULT_SIZE.height };
  }
  if (width !== undefined) return { width, height: (width * box.height) / box.width };
  if (height !== undefined) return { width: (height * box.width) / box.height, height };
  notes.push('This SVG states no size: its view box is taken for it.');
  return box;
}

function rasterSize({ width, height }: PixelSize): PixelSize {
  const long = Math.max(width, height);
  const scale = Math.min(Math.max(long, MIN_LONG_SIDE_PX), MAX_LONG_SIDE_PX) / long;
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

async function draw(name: string, text: string, size: PixelSize): Promise<ImageBitmap> {
  const image = new Image();
  // A data URL, not a blob: one: a canvas stays readable whatever the SVG holds.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  try {
    await image.decode();
    const canvas = new OffscreenCanvas(size.width, size.height);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('no canvas of this size');
    context.fillStyle = 'white';
    context.fillRect(0, 0, size.width, size.height);
    context.drawImage(image, 0, 0, size.width, size.height);
    return canvas.transferToImageBitmap();
  } catch (cause) {
    throw new MediaError('corrupt', `${name} could not be drawn.`, { cause });
  }
}
