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
