import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeAsset } from '../../../../src/core/recall/encoder/asset.ts';
import { checksum } from '../../../../src/core/recall/encoder/checksum.ts';
import { shippedBytes } from './shipped.ts';

const SHIPPED = shippedBytes();

const REVISION = 'ab'.repeat(32);

/** The head of a small asset of two words as it should be, with what a test changes of it. */
function head(changed = {}): string {
  return JSON.stringify({
    id: 't',
    revision: REVISION,
    dimension: 4,
    words: 2,
    letters: 5,
    ...changed,
  });
}

/** The small asset; its checksum is right for whatever header it has. */
function small({ header = head(), version = 1, cut = 0 }) {
  const padded = header.padEnd(Math.ceil(header.length / 4) * 4, ' ');
  const bytes = new Uint8Array(16 + padded.length + 16 + 4 + 4 + 8 + 2 + 5);
  const view = new DataView(bytes.buffer);
  bytes.set(Buffer.from('GENC'));
  view.setUint32(4, version, true);
  view.setUint32(8, padded.length, true);
  bytes.set(Buffer.from(padded), 16);
  bytes.set([3, 2, ...Buffer.from('mapax')], bytes.length - 7);
  const short = bytes.subarray(0, bytes.length - cut);
  view.setUint32(12, checksum(short.subarray(16)), true);
  return short;
}

test('the asset that ships is under 5 MB, and known by its hash', () => {
  expect(SHIPPED.byteLength).toBeLessThan(5_000_000);
  const decoded = decodeAsset(SHIPPED);
  if (!decoded.ok) throw new Error(decoded.refusal.message);
  const { provenance, words, vectors } = decoded.value;
  const headerLength = new DataView(SHIPPED.buffer).getUint32(8, true);
  const body = SHIPPED.subarray(16 + headerLength);
  const revision = createHash('sha256').update(body).digest('hex');
  expect(provenance).toEqual({ id: 'grove-words-100', dimension: 100, revision });
  expect(words.size).toBeGreaterThan(40_000);
  expect(vectors).toHaveLength(words.size * 100);
});

test('each word is found by its letters, and others are not', () => {
  const decoded = decodeAsset(SHIPPED);
  if (!decoded.ok) throw new Error(decoded.refusal.message);
  const { words } = decoded.value;
  const wrong = Array.from({ length: words.size }, (_, at) => at).filter(
    (at) => words.find(words.word(at)) !== at,
  );
  expect(wrong).toEqual([]);
  expect(words.find('the legend', 4)).toBe(words.find('legend'));
  for (const unknown of ['', 'xqzzk', 'Legend', 'legend ', '駅', '\ud800']) {
    expect(words.find(unknown)).toBe(-1);
  }
});

test('an asset in the middle of another buffer is read the same', () => {
  const shifted = new Uint8Array(SHIPPED.length + 1);
  shifted.set(SHIPPED, 1);
  const [first, second] = [decodeAsset(SHIPPED), decodeAsset(shifted.subarray(1))];
  if (!first.ok || !second.ok) throw new Error('refused');
  expect(second.value.provenance).toEqual(first.value.provenance);
  expect(second.value.common).toEqual(first.value.common);
});

describe('is refused by name', () => {
  test.each([
    ['not-an-encoder', new Uint8Array(0)],
    ['not-an-encoder', new Uint8Array(500)],
    ['not-an-encoder', Uint8Array.from(Buffer.from('<!doctype html><title>Grove</title>'))],
    ['newer-version', small({ version: 2 })],
    ['damaged', small({ cut: 1 })],
    ['damaged', small({ header: head({ words: 3 }) })],
    ['damaged', small({ header: head({ letters: 4 }) })],
    ['damaged', small({ header: head({ dimension: 0 }) })],
    ['damaged', small({ header: head({ revision: 'ab' }) })],
    ['damaged', small({ header: head().slice(0, -1) })],
    ['damaged', small({ header: '[]' })],
    ['damaged', SHIPPED.subarray(0, 2_000_000)],
  ])('%s (case %#)', (reason, bytes) => {
    const decoded = decodeAsset(bytes);
    expect(decoded.ok ? 'read' : decoded.refusal.reason).toBe(reason);
  });

  test('the small asset itself is read', () => {
    const decoded = decodeAsset(small({}));
    expect(decoded.ok && decoded.value.words.find('ax')).toBe(1);
    expect(decoded.ok && decoded.value.provenance.revision).toBe(REVISION);
  });

  test('one byte changed anywhere after its version, a file is not read', () => {
    const bytes = small({});
    for (let at = 8; at < bytes.length; at += 1) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect({ at, ok: decodeAsset(changed).ok }).toEqual({ at, ok: false });
    }
  });

  test('whatever is changed in the head of a file, reading it does not throw', () => {
    fc.assert(
      fc.property(fc.nat(170), fc.nat(255), fc.nat(100), (at, value, cut) => {
        const bytes = small({ cut });
        if (at < bytes.length) bytes[at] = value;
        expect(typeof decodeAsset(bytes).ok).toBe('boolean');
      }),
    );
  });
});
