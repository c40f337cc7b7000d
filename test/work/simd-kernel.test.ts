import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  KERNEL_LAYOUT,
  plainKernel,
  strideOf,
  type RecallKernel,
} from '../../src/core/recall/index/kernel.ts';
import { RecallIndex } from '../../src/core/recall/index/recall-index.ts';
import { RECALL_SETTINGS, type NodeChange } from '../../src/core/recall/index/recall-types.ts';
import { simdKernel } from '../../src/work/simd-kernel.ts';
import { BLANKS } from '../core/recall/index/reference.ts';
import { chance, ENCODER, seededChanges, seededQueries } from '../core/recall/index/seeded-bank.ts';

const ROWS = 200;

/** The same seeded vectors, scales and bits in a kernel. */
function filled(kernel: RecallKernel, dimension: number, seed: number) {
  const next = chance(seed);
  const stride = strideOf(dimension);
  const vectors = kernel.reserve(ROWS * stride);
  const scales = kernel.reserve(ROWS * 4);
  const memory = kernel.memory();
  const values = new Int8Array(memory, vectors, ROWS * stride);
  const query = Int8Array.from({ length: dimension }, () => Math.round((next() - 0.5) * 254));
  kernel.setQuery(query);
  for (let at = 0; at < values.length; at += 1) {
    // Lanes past the dimension are zero on both sides; the ends of the range are there.
    if (at % stride < dimension) values[at] = Math.round((next() - 0.5) * 254);
  }
  new Float32Array(memory, scales, ROWS).forEach((_, row, all) => (all[row] = next()));
  new Uint8Array(memory, KERNEL_LAYOUT.bits, ROWS / 8).forEach((_, at, all) => {
    all[at] = Math.floor(next() * 256) & (next() < 0.2 ? 0 : 255);
  });
  return { vectors, scales, stride };
}

function hitsOf(kernel: RecallKernel): readonly number[] {
  const hits = new Int32Array(kernel.memory(), KERNEL_LAYOUT.hits);
  return [...hits.subarray(2, 2 + 2 * (hits[0] ?? 0))];
}

test('the SIMD scan hits what the plain one hits', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 140 }),
      fc.nat(),
      fc.float({ min: Math.fround(-9e5), max: Math.fround(9e5), noNaN: true }),
      fc.integer({ min: 0, max: 25 }),
      (dimension, seed, threshold, eighths) => {
        const [simd, plain] = [simdKernel('strict'), plainKernel()].map((kernel) => {
          const block = filled(kernel, dimension, seed);
          const range = { from: eighths * 4, to: ROWS, threshold };
          return { came: kernel.scan(block, range), hits: hitsOf(kernel) };
        });
        expect(simd).toEqual(plain);
      },
    ),
    { seed: 11, numRuns: 300 },
  );
});

test('the scan stops where the hits are full, and goes on from there', () => {
  const [simd, plain] = [simdKernel('strict'), plainKernel()].map((kernel) => {
    const block = {
      vectors: kernel.reserve(8192 * 8),
      scales: kernel.reserve(8192 * 4),
      stride: 8,
    };
    new Uint8Array(kernel.memory(), KERNEL_LAYOUT.bits, 1024).fill(255);
    const seen: number[] = [];
    let from = 0;
    while (from < 8192) {
      from = kernel.scan(block, { from, to: 8192, threshold: 0 });
      seen.push(from, ...hitsOf(kernel).filter((_, at) => at % 2 === 0));
    }
    return seen;
  });
  expect(simd).toEqual(plain);
  expect(new Set(simd).size).toBe(8193);
});

test('the SIMD sums are the plain sums, to the last bit or the one before', () => {
  const sums = [simdKernel('strict'), plainKernel()].map((kernel) => {
    const next = chance(5);
    const list = {
      rows: kernel.reserve(1000),
      counts: kernel.reserve(500),
      size: 499,
    };
    const lengths = kernel.reserve(4 * 4096);
    const memory = kernel.memory();
    new Uint16Array(memory, list.rows, 500).forEach((_, at, all) => (all[at] = at * 8));
    new Uint8Array(memory, list.counts, 500).forEach((_, at, all) => (all[at] = 1 + next() * 254));
    new Float32Array(memory, lengths, 4096).forEach((_, at, all) => (all[at] = next() * 1e4));
    kernel.begin(lengths, 4096, { base: 0.3, perLength: 0.02 });
    for (let word = 0; word < 20; word += 1) {
      kernel.accumulate(list, next() * 30);
    }
    new Uint8Array(memory, KERNEL_LAYOUT.bits, 512).fill(255);
    const count = kernel.collect(4096, 3);
    const rows = [...new Uint16Array(memory, KERNEL_LAYOUT.collected, count)];
    return { rows, scores: [...new Float32Array(memory, KERNEL_LAYOUT.scores, 4096)] };
  });
  const [simd, plain] = sums;
  expect(simd?.rows.length).toBeGreaterThan(50);
  expect(simd?.rows).toEqual(plain?.rows);
  simd?.scores.forEach((score, row) => {
    expect(Math.abs(score - (plain?.scores[row] ?? 0))).toBeLessThanOrEqual(score * 20 * 2 ** -23);
  });
});

test('an index over the SIMD kernel answers what one over the plain kernel answers', () => {
  const all = seededChanges(31, 20_000, 8_000);
  const fill = (kernel: RecallKernel) => {
    const index = new RecallIndex({
      tokenizer: BLANKS,
      settings: RECALL_SETTINGS,
      encoder: ENCODER,
      kernel,
    });
    all.forEach((change: NodeChange) => index.apply(change));
    return index;
  };
  const [simd, plain] = [fill(simdKernel('strict')), fill(plainKernel())];
  for (const query of seededQueries(32, 200, all.length)) {
    expect(simd.query(query)).toEqual(plain.query(query));
  }
});
