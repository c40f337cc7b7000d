import { describe, expect, test } from 'vitest';
import { hashBytes } from '../../../../src/core/canonical.ts';
import { checkImage } from '../../../../src/core/transfer/bundle/image-check.ts';
import { inspectImage } from '../../../../src/core/transfer/bundle/inspect-image.ts';
import { bundleBank, pngOf } from './bundle-bank.ts';
import { exported, imported } from './memory-bundle.ts';

const text = (value: string): number[] => [...value].map((letter) => letter.charCodeAt(0));
const u16 = (value: number): number[] => [value >> 8, value & 255];
const u32le = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);

/** A JPEG segment with its length. */
const segment = (marker: number, body: readonly number[]): number[] => [
  0xff,
  marker,
  ...u16(body.length + 2),
  ...body,
];

function jpegOf(extra: readonly number[] = [], after: readonly number[] = []): Uint8Array {
  return Uint8Array.from([
    0xff,
    0xd8,
    ...segment(0xe0, [...text('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...extra,
    ...segment(0xc0, [8, ...u16(28), ...u16(32), 1, 1, 0x11, 0]),
    ...segment(0xda, [1, 1, 0, 0, 63, 0]),
    ...[0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56],
    0xff,
    0xd9,
    ...after,
  ]);
}

const chunk = (type: string, body: readonly number[]): number[] => [
  ...text(type),
  ...u32le(body.length),
  ...body,
  ...(body.length % 2 === 1 ? [0] : []),
];

function webpOf(chunks: readonly number[], after: readonly number[] = []): Uint8Array {
  return Uint8Array.from([
    ...text('RIFF'),
    ...u32le(4 + chunks.length),
    ...text('WEBP'),
    ...chunks,
    ...after,
  ]);
}

const LOSSLESS = chunk('VP8L', [0x2f, ...u32le(31 | (27 << 14)), 1, 2]);
const LOSSY = chunk('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 32, 0, 28, 0, 7]);
const EXTENDED = chunk('VP8X', [8, 0, 0, 0, 31, 0, 0, 27, 0, 0]);

/** A PNG with a chunk more before its end. Its checksum is not looked at. */
function pngWith(type: string): Uint8Array {
  const png = pngOf(1);
  const at = png.length - 12;
  const more = [0, 0, 0, 2, ...text(type), 65, 66, 0, 0, 0, 0];
  return Uint8Array.from([...png.subarray(0, at), ...more, ...png.subarray(at)]);
}

const size = { width: 32, height: 28 };

describe('the structure of an image', () => {
  test('tells its type and size where it holds pixels alone', () => {
    for (const [bytes, mediaType] of [
      [pngOf(1), 'image/png'],
      [jpegOf(), 'image/jpeg'],
      [jpegOf(segment(0xe2, text('ICC_PROFILE\0x'))), 'image/jpeg'],
      [webpOf(LOSSLESS), 'image/webp'],
      [webpOf(LOSSY), 'image/webp'],
      [webpOf([...EXTENDED, ...LOSSY]), 'image/webp'],
    ] as const) {
      expect(inspectImage(bytes)).toEqual({ mediaType, ...size, hasMetadata: false });
    }
  });

  test('tells of what shows nothing: EXIF, XMP, comments, times, bytes after the end', () => {
    for (const bytes of [
      ...['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'].map(pngWith),
      Uint8Array.from([...pngOf(1), 0]),
      jpegOf(segment(0xe1, text('Exif\0\0'))),
      jpegOf(segment(0xe1, text('http://ns.adobe.com/xap/1.0/'))),
      jpegOf(segment(0xed, text('Photoshop'))),
      jpegOf(segment(0xfe, text('a comment'))),
      jpegOf(segment(0xe0, text('JFXX\0'))),
      jpegOf([], text('trailing')),
      webpOf([...EXTENDED, ...LOSSY, ...chunk('EXIF', text('II'))]),
      webpOf([...EXTENDED, ...LOSSY, ...chunk('XMP ', text('<x/>'))]),
      webpOf(LOSSY, text('trailing')),
    ]) {
      expect(inspectImage(bytes)).toMatchObject({ ...size, hasMetadata: true });
    }
  });

  test('is none where it is another format, or is cut short anywhere', () => {
    expect(inspectImage(new Uint8Array(0))).toBeUndefined();
    expect(inspectImage(Uint8Array.from(text('GIF89a')))).toBeUndefined();
    expect(inspectImage(Uint8Array.from(text('<svg xmlns="http://www.w3.org/2000/svg"/>')))).toBe(
      undefined,
    );
    for (const bytes of [pngOf(1), jpegOf(), webpOf([...EXTENDED, ...LOSSY]), webpOf(LOSSLESS)]) {
      for (let length = 0; length < bytes.length; length += length < 60 ? 1 : 37) {
        expect(inspectImage(bytes.subarray(0, length))).toBeUndefined();
      }
      expect(inspectImage(bytes.subarray(0, bytes.length - 1))).toBeUndefined();
    }
  });
});

test('an image travels only as what its name and the log say it is', () => {
  const bytes = pngOf(1);
  const hash = hashBytes(bytes);
  const claim = { ...size, mediaType: 'image/png', agrees: true };
  expect(checkImage(hash, bytes, claim)).toEqual({ ok: true, mediaType: 'image/png' });
  for (const [of, said, reason] of [
    [undefined, claim, 'missing'],
    [pngOf(2), claim, 'damaged'],
    [bytes, { ...claim, width: 33 }, 'not-as-described'],
    [bytes, { ...claim, mediaType: 'image/webp' }, 'not-as-described'],
    [bytes, { ...claim, agrees: false }, 'not-as-described'],
  ] as const) {
    expect(checkImage(hash, of, said)).toEqual({ ok: false, reason });
  }
});

test('a stored image that carries metadata stays out of an export, as its hash would no longer hold', async () => {
  const bank = bundleBank(51, 0);
  const bytes = new Uint8Array(pngWith('tEXt'));
  const source = bundleBank(52, 60);
  const crop = source.entries.flatMap(({ operation }) =>
    operation.type === 'add-lesson' ? (operation.lesson.content.crop ?? []) : [],
  )[0];
  if (crop === undefined) throw new Error('a crop was drawn');
  // The same pixels, with a comment: the lesson names that file.
  const { lessonOf } = await import('../../bank/material.ts');
  const { makeEntries, EMPTY_LOG, headOf } = await import('../../../../src/core/bank/log.ts');
  const lesson = lessonOf('a', { crop: { ...crop, hash: hashBytes(bytes) } });
  const by = { kind: 'harness', name: 'grove' } as const;
  const entries = makeEntries(EMPTY_LOG, [{ operation: { type: 'add-lesson', lesson }, by }], {
    step: 1,
    at: '2026-01-01T00:00:00.000Z',
  });
  const [entry] = entries;
  if (entry === undefined) throw new Error('an entry was made');
  const images = new Map([[hashBytes(bytes), bytes]]);
  const { file, leftOut } = await exported({ ...bank, entries, head: headOf(entry), images });
  expect(leftOut).toEqual([{ kind: 'crop', hash: hashBytes(bytes), reason: 'has-metadata' }]);
  expect((await imported(file)).images.size).toBe(0);
});
