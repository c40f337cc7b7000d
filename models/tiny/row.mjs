/** Arithmetic in double precision for the references. */

/** @typedef {readonly number[]} Row one token's values */

/**
 * One row of a weight of two dimensions. Throws RangeError where it has none of that number.
 *
 * @param {import('./seeded-values.mjs').Weight} weight
 * @param {number} at
 * @returns {Row}
 */
export function rowOf({ name, shape, values }, at) {
  const [rows = 0, columns = 0] = shape;
  if (!Number.isInteger(at) || at < 0 || at >= rows) throw new RangeError(`${name} has no ${at}`);
  return [...values.subarray(at * columns, (at + 1) * columns)];
}

/**
 * A row times a matrix.
 *
 * @param {Row} row
 * @param {import('./seeded-values.mjs').Weight} matrix
 * @returns {Row}
 */
export function times(row, { shape, values }) {
  const [, columns = 0] = shape;
  return Array.from({ length: columns }, (_, column) =>
    row.reduce((sum, value, at) => sum + value * valueAt(values, at * columns + column), 0),
  );
}

/**
 * @param {Row} first
 * @param {Row} second
 * @returns {Row}
 */
export function add(first, second) {
  return first.map((value, at) => value + valueAt(second, at));
}

/**
 * @param {Row} first
 * @param {Row} second
 */
export function dot(first, second) {
  return first.reduce((sum, value, at) => sum + value * valueAt(second, at), 0);
}

/**
 * Shares that add up to 1.
 *
 * @param {Row} scores
 * @returns {Row}
 */
export function softmax(scores) {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/**
 * The sum of rows, each times its share.
 *
 * @param {Row} shares
 * @param {readonly Row[]} rows
 * @returns {Row}
 */
export function mixed(shares, rows) {
  return Array.from({ length: rows[0]?.length ?? 0 }, (_, at) =>
    shares.reduce((sum, share, row) => sum + share * valueAt(rows[row] ?? [], at), 0),
  );
}

/**
 * @param {ArrayLike<number>} values
 * @param {number} at
 */
export function valueAt(values, at) {
  const value = values[at];
  if (value === undefined) throw new RangeError(`no value ${at}`);
  return value;
}
