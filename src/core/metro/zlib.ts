/**
 * A zlib stream (RFC 1950) of one deflate block with fixed codes (RFC 1951). It looks for repeats at
 * the byte before, in the row above and where the same four bytes stood last, which suits flat
 * pictures; the same bytes come out everywhere, unlike a platform's own compressor.
 */
export function zlib(bytes: Uint8Array, rowLength: number): Uint8Array {
  const out = new BitWriter(bytes.length + (bytes.length >> 3) + 64);
  out.bits(0x78, 8);
  out.bits(0x01, 8);
  out.bits(0b011, 3);
  deflate(out, bytes, rowLength);
  out.code(0, 7);
  out.flush();
  const sum = adler32(bytes);
  for (const shift of [24, 16, 8, 0]) out.bits((sum >>> shift) & 255, 8);
  return out.taken();
}

const SHORTEST = 4;
const LONGEST = 258;
const WINDOW = 32_768;
const HASH_BITS = 14;

function deflate(out: BitWriter, bytes: Uint8Array, rowLength: number): void {
  const last = new Int32Array(1 << HASH_BITS).fill(-1);
  let at = 0;
  while (at < bytes.length) {
    const hash = hashAt(bytes, at);
    const seen = last[hash]!;
    last[hash] = at;
    let [length, distance] = [0, 0];
    for (const from of [at - 1, at - rowLength, seen]) {
      if (from < 0 || at - from > WINDOW || length === LONGEST) continue;
      const found = matchLength(bytes, from, at);
      if (found > length) [length, distance] = [found, at - from];
    }
    if (length >= SHORTEST) {
      out.match(length, distance);
      at += length;
    } else {
      out.literal(bytes[at]!);
      at += 1;
    }
  }
}

function hashAt(bytes: Uint8Array, at: number): number {
  const word =
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  return Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
}

function matchLength(bytes: Uint8Array, from: number, at: number): number {
  const most = Math.min(LONGEST, bytes.length - at);
  let length = 0;
  while (length < most && bytes[from + length] === bytes[at + length]) length++;
  return length;
}

/** First value and extra bits of each length code from 257, and of each distance code (RFC 1951, 3.2.5). */
const LENGTHS = ranges(
  [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5],
  3,
);
const DISTANCES = ranges(
  Array.from({ length: 30 }, (_, code) => Math.max(0, (code >> 1) - 1)),
  1,
);

interface Range {
  readonly first: number;
  readonly extra: number;
}

function ranges(extras: readonly number[], start: number): readonly Range[] {
  let first = start;
  return extras.map((extra) => {
    const range = { first, extra };
    first += 1 << extra;
    return range;
  });
}

const codeOf = (table: readonly Range[], value: number): number => {
  let code = table.length - 1;
  while (table[code]!.first > value) code--;
  return code;
};

/** Length codes by length; 258 has a code of its own, without extra bits. */
const LENGTH_CODES = Uint8Array.from({ length: LONGEST }, (_, length) =>
  length < 3 ? 0 : codeOf(LENGTHS, length),
);

/** Bits into bytes, lowest first. */
class BitWriter {
  readonly #bytes: Uint8Array;
  #length = 0;
  #held = 0;
  #count = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  bits(value: number, count: number): void {
    this.#held |= value << this.#count;
    this.#count += count;
    while (this.#count >= 8) {
      this.#bytes[this.#length++] = this.#held & 255;
      this.#held >>>= 8;
      this.#count -= 8;
    }
  }

  /** A Huffman code, which is packed from its highest bit on. */
  code(value: number, count: number): void {
    let turned = 0;
    for (let bit = 0; bit < count; bit++) turned |= ((value >> bit) & 1) << (count - 1 - bit);
    this.bits(turned, count);
  }

  literal(byte: number): void {
    if (byte < 144) this.code(0x30 + byte, 8);
    else this.code(0x190 + byte - 144, 9);
  }

  match(length: number, distance: number): void {
    const code = length === LONGEST ? 28 : LENGTH_CODES[length]!;
    if (code < 23) this.code(code + 1, 7);
    else this.code(0xc0 + code - 23, 8);
    if (length < LONGEST) {
      const { first, extra } = LENGTHS[code]!;
      this.bits(length - first, extra);
    }
    const back = codeOf(DISTANCES, distance);
    const { first, extra } = DISTANCES[back]!;
    this.code(back, 5);
    this.bits(distance - first, extra);
  }

  flush(): void {
    if (this.#count > 0) this.bits(0, 8 - this.#count);
  }

  taken(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (let start = 0; start < bytes.length; start += 5552) {
    const end = Math.min(bytes.length, start + 5552);
    for (let index = start; index < end; index++) {
      a += bytes[index]!;
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return ((b << 16) | a) >>> 0;
}
