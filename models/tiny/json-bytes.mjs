/**
 * A JSON file's bytes.
 *
 * @param {object} value
 */
export function jsonBytes(value) {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
}
