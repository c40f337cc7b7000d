import { MediaError } from '../core/errors.ts';
import { checkPixels, detectFormat, readHeader } from './read-header.ts';

/** How many elements an SVG may come to once everything it refers to is drawn in place. */
const MAX_DRAWN_ELEMENTS = 500_000;

/**
 * Takes out of a parsed SVG what could act or load: scripts, event handlers, references to anything
 * outside the file. Returns a note for each kind found. Throws `MediaError` `too-large` where
 * references to references multiply beyond reason, `too-many-pixels` for a huge picture inside.
 */
export function disarmSvg(name: string, svg: Document): string[] {
  checkDrawnElements(name, svg);
  const found = { scripts: false, external: false };
  for (const node of [...svg.childNodes]) {
    if (node.nodeName !== 'xml-stylesheet') continue;
    node.remove();
    found.external = true;
  }
  for (const element of svg.querySelectorAll('*')) {
    if (element.localName === 'script') {
      element.remove();
      found.scripts = true;
      continue;
    }
    for (const attribute of [...element.attributes]) disarm(name, element, attribute, found);
    if (element.localName === 'style') {
      const style = withoutLoads(element.textContent);
      if (style === element.textContent) continue;
      element.textContent = style;
      found.external = true;
    }
  }
  return [
    ...(found.scripts ? ['Scripts in this SVG were not run.'] : []),
    ...(found.external ? ['Files this SVG refers to were not loaded.'] : []),
  ];
}

function disarm(
  name: string,
  element: Element,
  attribute: Attr,
  found: { scripts: boolean; external: boolean },
): void {
  const value = attribute.value.trim();
  const remove = (kind: 'scripts' | 'external') => {
    element.removeAttributeNode(attribute);
    found[kind] = true;
  };
  if (/^on/i.test(attribute.localName)) return remove('scripts');
  if (attribute.localName === 'href' || attribute.localName === 'src') {
    if (/^[\s\0-\x1f]*javascript:/i.test(value)) return remove('scripts');
    if (element.localName === 'a' || value.startsWith('#')) return;
    if (!/^data:/i.test(value)) return remove('external');
    checkEmbedded(name, value);
    return;
  }
  const style = withoutLoads(attribute.value);
  if (style === attribute.value || attribute.name.startsWith('xmlns')) return;
  attribute.value = style;
  found.external = true;
}

/** Style text whose `@import` rules and outside `url(…)` are gone. */
function withoutLoads(style: string): string {
  return style
    .replace(/@import\b[^;]*(;|$)/gi, '')
    .replace(/url\(\s*(?!['"]?\s*(?:#|data:))[^)]*\)/gi, 'none')
    .replace(/\bimage-set\([^)]*\)/gi, 'none');
}

/** The size of a picture inside the SVG, as for a file of its own. */
function checkEmbedded(name: string, url: string): void {
  const match = /^data:[^,]*;base64,([^]*)$/i.exec(url);
  if (match?.[1] === undefined) return;
  const bytes = Uint8Array.from(atobOrEmpty(match[1]), (character) => character.charCodeAt(0));
  try {
    const format = detectFormat(name, bytes);
    if (format !== 'svg' && format !== 'pdf') checkPixels(name, readHeader(name, bytes, format));
  } catch (error) {
    // A damaged picture inside is left out by the browser; a huge one is refused.
    if (error instanceof MediaError && error.code === 'too-many-pixels') throw error;
  }
}

function atobOrEmpty(text: string): string {
  try {
    return atob(text.replaceAll(/\s+/g, ''));
  } catch {
    return '';
  }
}

/** Counts elements with references drawn in place: a few nested `<use>` can mean thousands of millions. */
function checkDrawnElements(name: string, svg: Document): void {
  const counts = new Map<Element, number>();
  const count = (element: Element): number => {
    const known = counts.get(element);
    if (known !== undefined) return known;
    // Stands for a reference back to itself, which browsers do not draw.
    counts.set(element, 0);
    let sum = 1;
    for (const child of element.children) sum += count(child);
    for (const id of referredIds(element)) {
      const target = svg.getElementById(id);
      if (target !== null) sum += count(target);
    }
    counts.set(element, sum);
    return sum;
  };
  let drawn: number;
  try {
    drawn = count(svg.documentElement);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new MediaError('too-large', `${name} is refused: its elements are nested too deeply.`);
  }
  if (drawn > MAX_DRAWN_ELEMENTS) {
    const message = `${name} is refused: its references come to ${drawn.toLocaleString('en-US')} drawn elements; at most ${MAX_DRAWN_ELEMENTS.toLocaleString('en-US')}.`;
    throw new MediaError('too-large', message);
  }
}

function referredIds(element: Element): string[] {
  const ids: string[] = [];
  for (const { localName, value } of element.attributes) {
    if (localName === 'href' && value.startsWith('#')) ids.push(value.slice(1));
    else for (const match of value.matchAll(/url\(\s*['"]?#([^'")]+)/g)) ids.push(match[1] ?? '');
  }
  return ids;
}
