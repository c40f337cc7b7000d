/**
 * Values drawn evenly around 0, the same for the same seed on every machine: whole-number arithmetic
 * (mulberry32) and a square root, of which IEEE 754 says every bit.
 *
 * @param {number} seed
 * @returns {(count: number, deviation: number) => Float32Array} values of this standard deviation
 */
export function seededValues(seed) {
  let state = seed | 0;
  return (count, deviation) => {
    const width = Math.sqrt(3) * deviation;
    return Float32Array.from({ length: count }, () => (2 * next() - 1) * width);
  };

  /** From 0 to below 1. */
  function next() {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** @typedef {{ name: string, shape: readonly number[], values: Float32Array }} Weight */
/** @typedef {(name: string, shape: readonly number[], deviation: number) => Weight} DrawWeight */

/**
 * Weights drawn one after the other.
 *
 * @param {number} seed
 * @returns {DrawWeight}
 */
export function seededWeights(seed) {
  const draw = seededValues(seed);
  return (name, shape, deviation) => ({
    name,
    shape,
    values: draw(
      shape.reduce((product, length) => product * length, 1),
      deviation,
    ),
  });
}

/**
 * What scales each value of a row: around 1, and none of them 1.
 *
 * @param {DrawWeight} draw
 * @param {string} name
 * @param {number} length
 * @returns {Weight}
 */
export function drawGain(draw, name, length) {
  const around = draw(name, [length], 0.1);
  return { ...around, values: around.values.map((value) => 1 + value) };
}
