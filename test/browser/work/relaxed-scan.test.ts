import { expect, test } from 'vitest';
import { KERNEL_LAYOUT, plainKernel, strideOf } from '../../../src/core/recall/index/kernel.ts';
import { simdKernel } from '../../../src/work/simd-kernel.ts';
import { chance } from '../../core/recall/index/seeded-bank.ts';

const ROWS = 512;

/** Rows and their dot products, over seeded vectors that reach both ends of int8. */
function scanned(kind: 'relaxed' | 'strict' | 'plain', dimension: number): readonly number[] {
  const kernel = kind === 'plain' ? plainKernel() : simdKernel(kind);
  const next = chance(dimension);
  const value = () => [-127, 127, Math.round((next() - 0.5) * 254)][Math.floor(next() * 3)] ?? 0;
  const stride = strideOf(dimension);
  const block = {
    vectors: kernel.reserve(ROWS * stride),
    scales: kernel.reserve(ROWS * 4),
    stride,
  };
  const memory = kernel.memory();
  const values = new Int8Array(memory, block.vectors, ROWS * stride);
  for (let at = 0; at < values.length; at += 1) if (at % stride < dimension) values[at] = value();
  new Float32Array(memory, block.scales, ROWS).fill(1);
  new Uint8Array(memory, KERNEL_LAYOUT.bits, ROWS / 8).fill(0b11011011);
  kernel.setQuery(Int8Array.from({ length: dimension }, value));
  const found: number[] = [];
  for (let from = 0; from < ROWS;) {
    from = kernel.scan(block, { from, to: ROWS, threshold: -1e8 });
    const hits = new Int32Array(kernel.memory(), KERNEL_LAYOUT.hits);
    found.push(...hits.subarray(2, 2 + 2 * (hits[0] ?? 0)));
  }
  return found;
}

test('relaxed SIMD finds what strict SIMD and plain JavaScript find, at any dimension', () => {
  for (const dimension of [1, 15, 16, 17, 100, 112, 384, 1000, 1024]) {
    const plain = scanned('plain', dimension);
    expect(plain.length).toBe((ROWS * 2 * 6) / 8);
    expect(scanned('relaxed', dimension)).toEqual(plain);
    expect(scanned('strict', dimension)).toEqual(plain);
  }
});
