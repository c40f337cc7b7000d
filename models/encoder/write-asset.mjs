import { createHash } from 'node:crypto';

/** As `src/core/recall/encoder/asset.ts` reads it. */
const MAGIC = 'GENC';
const VERSION = 1;
const SCALE_STEP = 2 ** -22;
const CHECKSUM_PRIME = 0x01000193;

/**
 * The asset's bytes; README.md lists its sections.
 *
 * @param {{ id: string, entries: readonly import('./build.mjs').Entry[], common: Float64Array }} asset
 * @returns {Uint8Array}
 */
export function writeAsset({ id, entries, common }) {
  const letters = Buffer.from(entries.map(({ word }) => word).join(''), 'ascii');
  const lengths = Buffer.from(entries.map(({ word }) => word.length));
  const body = Buffer.concat([...vectorSections(entries, common), lengths, letters]);
  const revision = createHash('sha256').update(body).digest('hex');
  const header = Buffer.from(
    JSON.stringify({
      id,
      revision,
      dimension: common.length,
      words: entries.length,
      letters: letters.length,
    }),
    'ascii',
  );
  // Padded with spaces, so that what follows begins at a multiple of 4.
  const padded = Buffer.alloc(Math.ceil(header.length / 4) * 4, ' ');
  header.copy(padded);
  const start = Buffer.alloc(16);
  start.write(MAGIC, 0, 'ascii');
  start.writeUInt32LE(VERSION, 4);
  start.writeUInt32LE(padded.length, 8);
  const rest = Buffer.concat([padded, body]);
  start.writeUInt32LE(checksum(rest), 12);
  return Buffer.concat([start, rest]);
}

/**
 * The common direction, scales, weights and vectors.
 *
 * @param {readonly import('./build.mjs').Entry[]} entries
 * @param {Float64Array} common
 */
function vectorSections(entries, common) {
  const direction = Buffer.alloc(4 * common.length);
  common.forEach((value, at) => direction.writeFloatLE(value, 4 * at));
  const scales = Buffer.alloc(2 * entries.length);
  const weights = Buffer.alloc(2 * entries.length);
  const vectors = Buffer.alloc(common.length * entries.length);
  entries.forEach(({ vector, weight }, word) => {
    const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    // Rounded up, so that no value passes 127.
    const steps = Math.ceil(largest / 127 / SCALE_STEP);
    scales.writeUInt16LE(steps, 2 * word);
    weights.writeUInt16LE(Math.round(weight * 65_535), 2 * word);
    vector.forEach((value, at) => {
      vectors.writeInt8(Math.round(value / (steps * SCALE_STEP)), word * common.length + at);
    });
  });
  return [direction, scales, weights, vectors];
}

/**
 * As `src/core/recall/encoder/checksum.ts` has it.
 *
 * @param {Buffer} bytes
 */
function checksum(bytes) {
  const whole = bytes.length - (bytes.length % 4);
  let sum = 0x811c9dc5;
  for (let at = 0; at < whole; at += 4) {
    sum = Math.imul(sum ^ bytes.readUInt32LE(at), CHECKSUM_PRIME);
  }
  for (let at = whole; at < bytes.length; at += 1) {
    sum = Math.imul(sum ^ (bytes[at] ?? 0), CHECKSUM_PRIME);
  }
  return sum >>> 0;
}
