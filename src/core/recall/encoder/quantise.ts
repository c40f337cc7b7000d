import type { QuantisedVector } from '../index/recall-types.ts';

/** The nearest vector in whole steps of a 127th of its largest dimension; a zero vector has scale 0. */
export function quantise(vector: Float32Array): QuantisedVector {
  const values = new Int8Array(vector.length);
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = Math.fround(largest / 127);
  if (scale === 0) return { values, scale };
  vector.forEach((value, at) => {
    values[at] = Math.max(-127, Math.min(127, Math.round(value / scale)));
  });
  return { values, scale };
}
