import { describe, expect, test } from 'vitest';
import { isPdf, loadImage } from '../../../src/media/load-image.ts';
import { openPdf } from '../../../src/media/pdf.ts';
import { file, memoryBlobs, pixelAt, storedBytes } from './fixtures.ts';

/** A PDF of objects numbered from 1; the first is the catalog. */
function pdf(objects: readonly string[], trailer = ''): string {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${text.length}\n%%EOF`;
}

const CATALOG = '<</Type/Catalog/Pages 2 0 R>>';

function page(width: number, height: number, contents: number): string {
  return `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents ${contents} 0 R/Resources<</Font<</F 7 0 R>>>>>>`;
}

function stream(content: string): string {
  return `<</Length ${content.length}>>stream\n${content}\nendstream`;
}

/** An A4 page, red in its lower half, and a wide page with text and nothing else. */
const TWO_PAGES = pdf([
  CATALOG,
  '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
  page(595, 842, 5),
  page(400, 100, 6),
  stream('1 0 0 rg 0 0 595 421 re f'),
  stream('BT /F 90 Tf 10 20 Td (MMMM) Tj ET'),
  '<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>',
]);

// The first document fetches pdf.js file by file from the development server.
describe('a PDF', { timeout: 60_000 }, () => {
  test('is told by its bytes', async () => {
    expect(await isPdf(file('report', TWO_PAGES))).toBe(true);
    expect(await isPdf(file('report.pdf', 'text'))).toBe(false);
  });

  test('gives its pages as pictures, chosen one by one', async () => {
    const blobs = memoryBlobs();
    const opened = await openPdf(file('report.pdf', TWO_PAGES));
    expect(opened.pages).toBe(2);
    const image = await opened.load(1, { blobs });
    expect(image).toMatchObject({
      name: 'report.pdf, page 1',
      mediaType: 'image/png',
      width: 1447,
      height: 2048,
    });
    const bytes = await storedBytes(blobs, image.hash);
    expect(await pixelAt(bytes, 0.5, 0.25)).toEqual([255, 255, 255, 255]);
    expect(await pixelAt(bytes, 0.5, 0.75)).toEqual([255, 0, 0, 255]);
    expect(blobs.size).toBe(1);
    await opened.close();
  });

  test('draws text in a standard font, which comes from this origin', async () => {
    performance.clearResourceTimings();
    const blobs = memoryBlobs();
    const opened = await openPdf(file('report.pdf', TWO_PAGES));
    const image = await opened.load(2, { blobs });
    const bytes = await storedBytes(blobs, image.hash);
    const row = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => pixelAt(bytes, 0.1 + index / 40, 0.6)),
    );
    expect(row.filter(([red = 255]) => red < 100).length).toBeGreaterThan(3);
    const fonts = performance
      .getEntriesByType('resource')
      .filter((entry) => 'initiatorType' in entry && entry.initiatorType === 'fetch')
      .filter((entry) => entry.name.includes('LiberationSans-Bold'));
    expect(fonts.length).toBeGreaterThan(0);
    expect(fonts.every((entry) => new URL(entry.name).origin === location.origin)).toBe(true);
    await opened.close();
  });

  test('shows its pages small', async () => {
    const opened = await openPdf(file('report.pdf', TWO_PAGES));
    const bitmap = await createImageBitmap(await opened.thumbnail(2));
    expect([bitmap.width, bitmap.height]).toEqual([240, 60]);
    await opened.close();
  });

  test('several can be open, and closing one leaves the other', async () => {
    const [first, second] = [
      await openPdf(file('one.pdf', TWO_PAGES)),
      await openPdf(file('two.pdf', TWO_PAGES)),
    ];
    await first.close();
    expect((await second.thumbnail(1)).type).toBe('image/png');
    await second.close();
  });

  test('is not taken for a picture', async () => {
    const loading = loadImage(file('report.pdf', TWO_PAGES), { blobs: memoryBlobs() });
    await expect(loading).rejects.toThrow('report.pdf is a PDF: choose its pages first.');
  });

  test('has only the pages it has', async () => {
    const opened = await openPdf(file('report.pdf', TWO_PAGES));
    await expect(opened.thumbnail(3)).rejects.toThrow('report.pdf has no page 3: it has 2.');
    await opened.close();
  });
});

describe('a PDF is refused with its name and the cause', { timeout: 60_000 }, () => {
  const hex = `<${'41'.repeat(32)}>`;
  const encryption = `/Encrypt<</Filter/Standard/V 1/R 2/O ${hex}/U ${hex}/P -1>>/ID[${hex}${hex}]`;
  test.for([
    [
      'encrypted',
      pdf([CATALOG, '<</Type/Pages/Kids[]/Count 0>>'], encryption),
      'report.pdf is encrypted: it asks for a password. Save it without one, then add it again.',
    ],
    ['no-pages', pdf([CATALOG, '<</Type/Pages/Kids[]/Count 0>>']), 'report.pdf has no pages.'],
    [
      'corrupt',
      '%PDF-1.7\nnothing else',
      'report.pdf is damaged: it could not be opened as a PDF.',
    ],
    ['empty-file', '', 'report.pdf is empty (0 bytes).'],
  ] as const)('%s', async ([code, text, message]) => {
    await expect(openPdf(file('report.pdf', text))).rejects.toMatchObject({ code, message });
  });
});
