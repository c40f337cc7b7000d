/**
 * The little of protocol buffers' wire format that ONNX needs. Each function gives the bytes of one
 * field; a message is its fields' bytes, one after another, and a repeated field stands there again for
 * each of its values.
 */
const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;

const encoder = new TextEncoder();

/**
 * An int32, int64, bool or enum.
 *
 * @param {number} field
 * @param {number | bigint} value
 */
export function integerField(field, value) {
  return join([tag(field, VARINT), varint(BigInt(value))]);
}

/**
 * @param {number} field
 * @param {number} value
 */
export function floatField(field, value) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return join([tag(field, FIXED32), bytes]);
}

/**
 * @param {number} field
 * @param {Uint8Array} bytes
 */
export function bytesField(field, bytes) {
  return join([tag(field, BYTES), varint(BigInt(bytes.length)), bytes]);
}

/**
 * @param {number} field
 * @param {string} text
 */
export function textField(field, text) {
  return bytesField(field, encoder.encode(text));
}

/**
 * A message inside another.
 *
 * @param {number} field
 * @param {readonly Uint8Array[]} fields
 */
export function messageField(field, fields) {
  return bytesField(field, join(fields));
}

/** @param {readonly Uint8Array[]} parts */
export function join(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const part of parts) {
    whole.set(part, start);
    start += part.length;
  }
  return whole;
}

/**
 * @param {number} field
 * @param {number} wireType
 */
function tag(field, wireType) {
  return varint(BigInt((field << 3) | wireType));
}

/**
 * Seven bits a byte, the lowest first. A negative number is written as its 64-bit complement.
 *
 * @param {bigint} value
 */
function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Uint8Array.from([...bytes, Number(rest)]);
}
