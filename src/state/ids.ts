import type { IdSource } from '../core/ports.ts';

/** Crockford's base 32: no I, L, O, U. Sorts as its values do. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/** What ids are made of; tests hand in their own. */
export interface IdMaterial {
  /** Milliseconds since 1970. */
  readonly timeMs: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
}

const SYSTEM: IdMaterial = {
  timeMs: () => Date.now(),
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};

/**
 * Ids in the ULID layout: 10 characters of time, 16 of randomness (80 bits). Each id of one source
 * sorts after the one before it, also within a millisecond and when the clock is set back: then the
 * time stays and the random part counts up by one.
 */
export function ulidSource(material: IdMaterial = SYSTEM): IdSource {
  let lastTime = -1;
  let digits: number[] = [];
  return {
    next() {
      const time = material.timeMs();
      if (time > lastTime) {
        lastTime = time;
        digits = Array.from(material.randomBytes(RANDOM_LENGTH), (byte) => byte % 32);
      } else if (!increment(digits)) {
        // 2^80 ids in a millisecond: the next millisecond has begun.
        lastTime += 1;
      }
      return encodeTime(lastTime) + digits.map((digit) => ALPHABET.charAt(digit)).join('');
    },
  };
}

/** Adds one in place; false where it wrapped around to zero. */
function increment(digits: number[]): boolean {
  for (let at = digits.length - 1; at >= 0; at -= 1) {
    const next = (digits[at] ?? 0) + 1;
    digits[at] = next % 32;
    if (next < 32) return true;
  }
  return false;
}

function encodeTime(timeMs: number): string {
  let rest = timeMs;
  let text = '';
  for (let place = 0; place < TIME_LENGTH; place += 1) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
