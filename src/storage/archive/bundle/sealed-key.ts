import { utf8ToBytes } from '@noble/hashes/utils.js';
import { BundleError } from '../../../core/transfer/bundle/bundle-error.ts';
import { readPieces, type ByteSource } from '../zip/byte-source.ts';

/**
 * A bundle under a passphrase: a header of 64 bytes, then the zip in pieces of 256 KiB, each under
 * AES-256-GCM with 16 bytes of tag. The last piece is shorter or as long, and always there.
 *
 * | bytes | what |
 * | --- | --- |
 * | 0–7 | `GROVEBOX` |
 * | 8 | version, 1 |
 * | 9 | 1: PBKDF2 with SHA-256 |
 * | 10–11 | 0 |
 * | 12–15 | rounds of PBKDF2, little-endian |
 * | 16–19 | bytes a piece, little-endian |
 * | 20–35 | salt |
 * | 36–42 | first seven bytes of every nonce |
 * | 43–58 | tells a wrong passphrase from a damaged file |
 * | 59–63 | 0 |
 *
 * A nonce is those seven bytes, the number of the piece (big-endian, 4 bytes), and 1 for the last piece,
 * 0 for the others; so pieces cannot change places, and a file that was cut short does not open. The
 * header is authenticated with every piece.
 */
export const SEALED = { magic: 'GROVEBOX', version: 1, headerBytes: 64, tagBytes: 16 } as const;
export const SEALED_PIECE_BYTES = 256 * 1024;

/** Rounds that are written; fewer are refused on reading, and so many that a tab would hang. */
const ROUNDS = { written: 600_000, least: 600_000, most: 10_000_000 } as const;

/** A header, and the key that its passphrase and salt give. */
export interface SealedKey {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly key: CryptoKey;
}

/** A new header with a salt and a nonce of its own. Throws BundleError `empty-passphrase`. */
export async function newSealedKey(passphrase: string): Promise<SealedKey> {
  const header = new Uint8Array(SEALED.headerBytes);
  const view = new DataView(header.buffer);
  header.set(utf8ToBytes(SEALED.magic), 0);
  view.setUint8(8, SEALED.version);
  view.setUint8(9, 1);
  view.setUint32(12, ROUNDS.written, true);
  view.setUint32(16, SEALED_PIECE_BYTES, true);
  crypto.getRandomValues(header.subarray(20, 43));
  const { key, check } = await derive(passphrase, header);
  header.set(check, 43);
  return { header, key };
}

/** Whether a file is a sealed bundle, by its first bytes. */
export async function isSealed(source: ByteSource): Promise<boolean> {
  const magic = await source.read(0, SEALED.magic.length);
  return String.fromCharCode(...magic) === SEALED.magic;
}

/**
 * The key of a sealed file.
 *
 * @throws BundleError `truncated`, `newer-format`, `damaged`, `empty-passphrase`, `wrong-passphrase`.
 */
export async function readSealedKey(source: ByteSource, passphrase: string): Promise<SealedKey> {
  const header = await source.read(0, SEALED.headerBytes);
  if (source.size < SEALED.headerBytes + SEALED.tagBytes) {
    throw new BundleError('truncated', 'This encrypted bundle was cut short. Copy it again.');
  }
  const view = new DataView(header.buffer);
  if (view.getUint8(8) > SEALED.version) {
    throw new BundleError(
      'newer-format',
      'This bundle was encrypted by a newer Grove. Update this Grove to open it.',
    );
  }
  const rounds = view.getUint32(12, true);
  const isKnown =
    view.getUint8(8) === SEALED.version &&
    view.getUint8(9) === 1 &&
    rounds >= ROUNDS.least &&
    rounds <= ROUNDS.most &&
    view.getUint32(16, true) === SEALED_PIECE_BYTES;
  if (!isKnown) {
    throw new BundleError(
      'damaged',
      'This encrypted bundle is damaged: its first bytes do not fit.',
    );
  }
  const { key, check } = await derive(passphrase, header);
  if (check.some((byte, at) => byte !== header[43 + at])) {
    throw new BundleError(
      'wrong-passphrase',
      'This passphrase does not open the bundle. Check capitals and spaces, or ask whoever made it.',
    );
  }
  return { header, key };
}

async function derive(
  passphrase: string,
  header: Uint8Array<ArrayBuffer>,
): Promise<{ readonly key: CryptoKey; readonly check: Uint8Array }> {
  // The same words typed on another keyboard may be other code points.
  const words = new Uint8Array(utf8ToBytes(passphrase.toWellFormed().normalize('NFC')));
  if (words.length === 0) {
    throw new BundleError('empty-passphrase', 'A passphrase cannot be empty.');
  }
  const iterations = new DataView(header.buffer).getUint32(12, true);
  const given = await crypto.subtle.importKey('raw', words, 'PBKDF2', false, ['deriveBits']);
  const stretched = await crypto.subtle.deriveBits(
    { name: 'PBKDF2', hash: 'SHA-256', salt: header.slice(20, 36), iterations },
    given,
    256,
  );
  const master = await crypto.subtle.importKey('raw', stretched, 'HKDF', false, [
    'deriveBits',
    'deriveKey',
  ]);
  const purpose = (name: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(0),
    info: new Uint8Array(utf8ToBytes(`grove bundle ${name}`)),
  });
  const algorithm = { name: 'AES-GCM', length: 256 };
  return {
    key: await crypto.subtle.deriveKey(purpose('pieces'), master, algorithm, false, [
      'encrypt',
      'decrypt',
    ]),
    check: new Uint8Array(await crypto.subtle.deriveBits(purpose('check'), master, 128)),
  };
}

/** How a piece is sealed: its number, whether it is the last, and the header it belongs to. */
export function pieceAlgorithm(
  header: Uint8Array<ArrayBuffer>,
  number: number,
  isLast: boolean,
): AesGcmParams {
  const iv = new Uint8Array(12);
  iv.set(header.subarray(36, 43));
  const view = new DataView(iv.buffer);
  view.setUint32(7, number);
  view.setUint8(11, isLast ? 1 : 0);
  return { name: 'AES-GCM', iv, additionalData: header, tagLength: SEALED.tagBytes * 8 };
}

/** All bytes of a part, a piece at a time. */
export async function* partPieces(
  part: Uint8Array<ArrayBuffer> | Blob,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (!(part instanceof Blob)) yield part;
  else {
    const read = async (start: number, end: number) =>
      new Uint8Array(await part.slice(start, end).arrayBuffer());
    yield* readPieces({ size: part.size, read }, 0, part.size);
  }
}
