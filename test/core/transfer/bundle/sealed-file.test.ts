import { expect, test } from 'vitest';
import { memorySink } from '../../../../src/storage/archive/bundle/byte-sink.ts';
import { sealedSink, sealedSource } from '../../../../src/storage/archive/bundle/sealed-file.ts';
import {
  newSealedKey,
  readSealedKey,
  SEALED,
  SEALED_PIECE_BYTES,
} from '../../../../src/storage/archive/bundle/sealed-key.ts';
import { fileSource } from '../../../../src/storage/archive/zip/byte-source.ts';
import { bytesOf } from './memory-bundle.ts';

const WORDS = 'correct horse';
/** Made once: each costs 600,000 rounds. */
const KEY = newSealedKey(WORDS);
const STRIDE = SEALED_PIECE_BYTES + SEALED.tagBytes;

function plain(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255);
}

/** `bytes` sealed, written in parts of uneven size, some of them Blobs. */
async function sealed(bytes: Uint8Array<ArrayBuffer>): Promise<Blob> {
  const { sink, file } = memorySink('application/octet-stream');
  const through = await sealedSink(sink, await KEY);
  for (let at = 0, size = 1; at < bytes.length; at += size, size = size * 7 + 3) {
    const part = bytes.slice(at, at + size);
    await through.write(size % 2 === 0 ? new Blob([part]) : part);
  }
  await through.close();
  return file();
}

function refused(parts: readonly BlobPart[], code: string) {
  const read = async () => {
    const source = await sealedSource(fileSource(new Blob([...parts])), await KEY);
    await source.read(0, source.size);
  };
  return expect(read()).rejects.toMatchObject({ name: 'BundleError', code });
}

test('a sealed file gives back its bytes, from anywhere, whatever its length', async () => {
  for (const length of [
    0,
    1,
    SEALED_PIECE_BYTES - 1,
    SEALED_PIECE_BYTES,
    SEALED_PIECE_BYTES + 1,
    3 * SEALED_PIECE_BYTES,
  ]) {
    const bytes = plain(length);
    const source = await sealedSource(fileSource(await sealed(bytes)), await KEY);
    expect(source.size).toBe(length);
    expect(Buffer.compare(await source.read(0, length), bytes)).toBe(0);
    for (const [start, end] of [
      [length - 3, length + 100],
      [SEALED_PIECE_BYTES - 2, SEALED_PIECE_BYTES + 2],
    ] as const) {
      const from = Math.max(0, start);
      expect([...(await source.read(from, end))]).toEqual([...bytes.slice(from, end)]);
    }
  }
}, 60_000);

test('a sealed file whose pieces are cut off, swapped, doubled, dropped or changed is refused', async () => {
  const file = await sealed(plain(2 * SEALED_PIECE_BYTES + 500));
  const header = file.slice(0, SEALED.headerBytes);
  const piece = (number: number) => {
    const start = SEALED.headerBytes + number * STRIDE;
    return file.slice(start, Math.min(file.size, start + STRIDE));
  };
  const [first, second, last] = [piece(0), piece(1), piece(2)];
  await refused([header, first, second], 'truncated');
  await refused([header, first], 'truncated');
  await refused([header, first, second, last.slice(0, last.size - 1)], 'truncated');
  await refused([header, second, first, last], 'damaged');
  await refused([header, first, first, last], 'damaged');
  await refused([header, second, last], 'truncated');
  await refused([header, first, second, last, last], 'truncated');
  const changed = await bytesOf(file);
  changed[SEALED.headerBytes + 100] = 255 - (changed[SEALED.headerBytes + 100] ?? 0);
  await refused([changed], 'damaged');
}, 60_000);

test('a sealed header that is cut short, foreign or asks for too few or too many rounds is refused', async () => {
  const bytes = await bytesOf(await sealed(plain(10)));
  const refusedKey = (file: Blob, code: string) =>
    expect(readSealedKey(fileSource(file), WORDS)).rejects.toMatchObject({
      name: 'BundleError',
      code,
    });
  for (const length of [8, 63, 64, 79])
    await refusedKey(new Blob([bytes.slice(0, length)]), 'truncated');
  const view = new DataView(bytes.buffer);
  for (const rounds of [1, 599_999, 10_000_001, 0xffff_ffff]) {
    view.setUint32(12, rounds, true);
    await refusedKey(new Blob([bytes]), 'damaged');
  }
  view.setUint8(8, 2);
  await refusedKey(new Blob([bytes]), 'newer-format');
});

test('two keys of one passphrase open nothing of each other’s', async () => {
  const { header } = await KEY;
  const other = await newSealedKey(WORDS);
  expect(Buffer.compare(other.header, header)).not.toBe(0);
  const file = await sealed(plain(100));
  await expect(sealedSource(fileSource(file), other)).rejects.toMatchObject({ code: 'truncated' });
});
