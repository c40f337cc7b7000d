import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Encoder } from '../../../../src/core/recall/encoder/encoder.ts';
import { makeWordEncoder } from '../../../../src/core/recall/encoder/word-encoder.ts';

const PATH = join(import.meta.dirname, '../../../../public/encoder/words.bin');

/** The asset that ships, each time anew. */
export function shippedBytes(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(PATH));
}

export function shippedEncoder(): Encoder {
  const made = makeWordEncoder(shippedBytes());
  if (!made.ok) throw new Error(made.refusal.message);
  return made.value;
}

export function dot(first: Float32Array, second: Float32Array): number {
  return first.reduce((sum, value, at) => sum + value * (second[at] ?? 0), 0);
}
