import { describe, expect, test } from 'vitest';
import { loadImage } from '../../../src/media/load-image.ts';
import { disarmSvg } from '../../../src/media/svg-disarm.ts';
import {
  concat,
  cornerOrder,
  file,
  latin1,
  memoryBlobs,
  pixelAt,
  storedBytes,
} from './fixtures.ts';

const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

function svg(attributes: string, content = '', before = ''): string {
  return `${before}<svg ${NAMESPACES} ${attributes}>${content}</svg>`;
}

async function load(text: string | Uint8Array<ArrayBuffer>) {
  const blobs = memoryBlobs();
  const { image, notes } = await loadImage(file('drawing.svg', text), { blobs });
  return { image, notes, bytes: await storedBytes(blobs, image.hash) };
}

const FOUR = `<rect width="50" height="25" fill="red"/><rect x="50" width="50" height="25" fill="lime"/>
<rect y="25" width="50" height="25" fill="blue"/><rect x="50" y="25" width="50" height="25" fill="yellow"/>`;

describe('the size of an SVG', () => {
  const NO_SIZE = 'This SVG states no size: 300 × 150 is assumed, as browsers do.';
  const VIEW_BOX = 'This SVG states no size: its view box is taken for it.';
  test.for([
    ['width="100" height="50"', 1024, 512],
    ['width="20cm" height="10cm"', 1024, 512],
    ['width="30in" height="15in"', 2880, 1440],
    ['width="9000px" height="300"', 4096, 137],
    ['viewBox="0 0 100 50"', 1024, 512, VIEW_BOX],
    ['width="100%" height="100%" viewBox="0,0,100,50"', 1024, 512, VIEW_BOX],
    ['width="2000" viewBox="0 0 100 50"', 2000, 1000],
    ['', 1024, 512, NO_SIZE],
  ] as const)('%s is drawn at %i × %i', async ([attributes, width, height, note]) => {
    const { image, notes } = await load(svg(attributes));
    expect(image).toMatchObject({ width, height, mediaType: 'image/png' });
    expect(notes).toEqual(note === undefined ? [] : [note]);
  });

  test('without a view box scales what is drawn, too', async () => {
    const { bytes } = await load(svg('width="100" height="50"', FOUR));
    expect(await cornerOrder(bytes)).toEqual([0, 1, 2, 3]);
  });

  test('over 100 megapixels is refused', async () => {
    await expect(load(svg('width="20000" height="20000"'))).rejects.toMatchObject({
      code: 'too-many-pixels',
      message: 'drawing.svg is too large: 20,000 × 20,000 = 400 megapixels; at most 100.',
    });
  });
});

test('an SVG is drawn on white', async () => {
  const { bytes } = await load(svg('width="100" height="50"'));
  expect(await pixelAt(bytes, 0.5, 0.5)).toEqual([255, 255, 255, 255]);
});

test('an SVG in UTF-16 is read', async () => {
  const text = svg('width="100" height="50"', FOUR);
  const utf16 = concat(
    [0xff, 0xfe],
    [...text].flatMap((letter) => [letter.charCodeAt(0), 0]),
  );
  expect(await cornerOrder((await load(utf16)).bytes)).toEqual([0, 1, 2, 3]);
});

describe('what an SVG could do', () => {
  test.for([
    ['script', '<script>parent.__ran = 1; window.__ran = 1</script>'],
    ['handler', '<rect width="9" height="9" onload="window.__ran = 1"/>'],
    ['link', '<a xlink:href="javascript:window.__ran=1"><text y="9">x</text></a>'],
  ])('does not run: %s', async ([, content]) => {
    const { notes } = await load(svg('width="100" height="50" onload=""', content + FOUR));
    expect(notes).toEqual(['Scripts in this SVG were not run.']);
    expect('__ran' in window).toBe(false);
  });

  test('does not load: nothing is asked of the server for any kind of reference', async () => {
    const url = (name: string) => `${location.origin}/asked-for-${name}.png`;
    const content = `<image xlink:href="${url('image')}" width="50" height="25"/>
      <image href="${url('href')}" width="50" height="25"/>
      <style>@import "${url('import')}"; rect { fill: url(${url('fill')}#a) } @font-face { font-family: f; src: url('${url('font')}') }</style>
      <use href="${url('use')}#x"/><rect width="9" height="9" style="mask: url(${url('mask')})"/>
      <text font-family="f" y="20">text</text>
      <foreignObject width="90" height="40"><img xmlns="http://www.w3.org/1999/xhtml" src="${url('html')}"/></foreignObject>`;
    const style = `<?xml-stylesheet href="${url('sheet')}"?>`;
    const text = svg('width="100" height="50"', content, style);
    performance.clearResourceTimings();
    const { notes } = await load(text);
    expect(notes).toEqual(['Files this SVG refers to were not loaded.']);
    const asked = performance.getEntriesByType('resource').map((entry) => entry.name);
    expect(asked.filter((name) => name.includes('asked-for'))).toEqual([]);
    // An `<img>` loads nothing for an SVG; should one ever, there is nothing left to load.
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    disarmSvg('drawing.svg', parsed);
    expect(new XMLSerializer().serializeToString(parsed)).not.toContain('asked-for');
  });

  test('and keeps what it refers to inside itself', async () => {
    const content = `<defs><linearGradient id="g"><stop stop-color="lime"/></linearGradient>
      <rect id="r" width="100" height="50" fill="url(#g)"/></defs><use xlink:href="#r"/>`;
    const { notes, bytes } = await load(svg('width="100" height="50"', content));
    expect(notes).toEqual([]);
    expect(await pixelAt(bytes, 0.5, 0.5)).toEqual([0, 255, 0, 255]);
  });
});

describe('an SVG is refused', () => {
  const nested = Array.from(
    { length: 10 },
    (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`,
  );
  const uses = Array.from(
    { length: 10 },
    (_, level) => `<g id="u${level + 1}">${`<use href="#u${level}"/>`.repeat(10)}</g>`,
  );
  test.for([
    [
      'entities that multiply',
      svg('', '&e10;', `<!DOCTYPE svg [<!ENTITY e0 "x">${nested.join('')}]>`),
      'drawing.svg is refused: its entities hold other entities.',
    ],
    [
      'long entities used often',
      svg('', '&e;'.repeat(300), `<!DOCTYPE svg [<!ENTITY e "${'x'.repeat(100_000)}">]>`),
      'drawing.svg is refused: its entities expand to over 20 million characters.',
    ],
    [
      'references that multiply',
      svg(
        'width="9" height="9"',
        `<defs><rect id="u0" width="1" height="1"/>${uses.join('')}</defs>`,
      ),
      /^drawing\.svg is refused: its references come to [\d,]{13,} drawn elements; at most 500,000\.$/,
    ],
    [
      'text that is not well-formed',
      svg('width="9" height="9"', '<g>'),
      /^drawing\.svg is damaged: it is not a well-formed SVG \(/,
    ],
  ] as const)('%s', async ([, text, message]) => {
    await expect(load(text)).rejects.toMatchObject({
      name: 'MediaError',
      message: expect.stringMatching(message),
    });
  });

  test('a huge picture inside it', async () => {
    const header = concat(latin1('\x89PNG\r\n\x1a\n'), [0, 0, 0, 13], latin1('IHDR'));
    const size = concat([0, 0, 0x80, 0, 0, 0, 0x80, 0, 8, 2, 0, 0, 0], [0, 0, 0, 0]);
    const png = btoa(String.fromCharCode(...header, ...size));
    const image = `<image href="data:image/png;base64,${png}" width="9" height="9"/>`;
    await expect(load(svg('width="9" height="9"', image))).rejects.toMatchObject({
      code: 'too-many-pixels',
    });
  });
});
