/** Typed arrays that grow: a copy with room for `length`, zeros behind. */
export function enlarged8(source: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(source);
  return larger;
}

export function enlarged16(source: Uint16Array, length: number): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(length);
  larger.set(source);
  return larger;
}

export function enlarged32(source: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(source);
  return larger;
}

/** A capacity that holds `needed`: doubled as often as it takes. */
export function roomFor(needed: number, capacity: number): number {
  let room = Math.max(64, capacity);
  while (room < needed) room *= 2;
  return room;
}
