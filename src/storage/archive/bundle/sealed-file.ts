import { BundleError } from '../../../core/transfer/bundle/bundle-error.ts';
import type { ByteSource } from '../zip/byte-source.ts';
import type { ByteSink } from './byte-sink.ts';
import {
  partPieces,
  pieceAlgorithm,
  SEALED,
  SEALED_PIECE_BYTES,
  type SealedKey,
} from './sealed-key.ts';

/** A sink that encrypts what goes through it into `inner`, under a new key; at most one piece is held. */
export async function sealedSink(inner: ByteSink, { header, key }: SealedKey): Promise<ByteSink> {
  await inner.write(header);
  let piece = new Uint8Array(SEALED_PIECE_BYTES);
  let [filled, number] = [0, 0];
  const seal = async (isLast: boolean) => {
    const algorithm = pieceAlgorithm(header, number, isLast);
    const sealed = await crypto.subtle.encrypt(algorithm, key, piece.subarray(0, filled));
    await inner.write(new Uint8Array(sealed));
    number += 1;
    piece = new Uint8Array(SEALED_PIECE_BYTES);
    filled = 0;
  };
  return {
    async write(part) {
      for await (const bytes of partPieces(part)) {
        for (let at = 0; at < bytes.byteLength;) {
          // A full piece waits for what follows: only then is it known not to be the last.
          if (filled === SEALED_PIECE_BYTES) await seal(false);
          const next = bytes.subarray(at, at + SEALED_PIECE_BYTES - filled);
          piece.set(next, filled);
          filled += next.byteLength;
          at += next.byteLength;
        }
      }
    },
    async close() {
      await seal(true);
      await inner.close();
    },
  };
}

/**
 * What a sealed file says, decrypted as it is read. The last piece is opened at once, so a file that
 * was cut short is refused before anything of it is used.
 *
 * @throws BundleError `truncated`, `damaged`; so do reads.
 */
export async function sealedSource(
  source: ByteSource,
  { header, key }: SealedKey,
): Promise<ByteSource> {
  const sealedBytes = source.size - SEALED.headerBytes;
  const stride = SEALED_PIECE_BYTES + SEALED.tagBytes;
  const last = Math.ceil(sealedBytes / stride) - 1;
  const size = sealedBytes - (last + 1) * SEALED.tagBytes;
  let known: { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> } | undefined;

  async function open(number: number): Promise<Uint8Array<ArrayBuffer>> {
    if (known?.number === number) return known.bytes;
    const start = SEALED.headerBytes + number * stride;
    const sealed = await source.read(start, Math.min(source.size, start + stride));
    const algorithm = pieceAlgorithm(header, number, number === last);
    const bytes = await crypto.subtle.decrypt(algorithm, key, sealed).catch((cause: unknown) => {
      const code = number === last ? 'truncated' : 'damaged';
      throw new BundleError(
        code,
        number === last
          ? 'This encrypted bundle was cut short or changed at its end. Copy it again.'
          : `This encrypted bundle was damaged or changed (piece ${number + 1} of ${last + 1}).`,
        { cause },
      );
    });
    known = { number, bytes: new Uint8Array(bytes) };
    return known.bytes;
  }

  await open(last);
  return {
    size,
    async read(start, end) {
      const to = Math.min(end, size);
      const bytes = new Uint8Array(Math.max(0, to - start));
      for (let at = start; at < to;) {
        const number = Math.floor(at / SEALED_PIECE_BYTES);
        const from = at - number * SEALED_PIECE_BYTES;
        const part = (await open(number)).subarray(from, from + to - at);
        if (part.byteLength === 0) throw new BundleError('damaged', 'This bundle is damaged.');
        bytes.set(part, at - start);
        at += part.byteLength;
      }
      return bytes;
    },
  };
}
