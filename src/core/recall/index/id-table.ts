import { utf8ToBytes } from '@noble/hashes/utils.js';

/** An id as the index keeps it: UTF-8, and a hash of that. Throws `TypeError` for a lone surrogate. */
export function encodeId(id: string): { readonly bytes: Uint8Array; readonly hash: number } {
  if (!id.isWellFormed()) throw new TypeError('not an id: a lone surrogate');
  const bytes = utf8ToBytes(id);
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at += 1) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  }
  return { bytes, hash: hash >>> 0 };
}

export function decodeId(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte < 128)) return String.fromCharCode(...bytes);
  return decodeURIComponent(percentEncoded(bytes));
}

function percentEncoded(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** By code points, which is the order of UTF-8 bytes. */
export function isIdBefore(first: Uint8Array, second: Uint8Array): boolean {
  const length = Math.min(first.length, second.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (first[at] ?? 0) - (second[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return first.length < second.length;
}

/** What the table asks of the rows it points at. */
export interface IdRows {
  hashOf(row: number): number;
  idOf(row: number): Uint8Array;
}

/** The latest row of each id: open addressing over a typed array, at most half full. */
export class IdTable {
  readonly #rows: IdRows;
  /** Row plus 1; 0 is free. */
  #slots = new Uint32Array(128);
  #size = 0;

  constructor(rows: IdRows) {
    this.#rows = rows;
  }

  /** −1 where no row ever had the id. */
  find(bytes: Uint8Array, hash: number): number {
    return (this.#slots[this.#slotOf(bytes, hash)] ?? 0) - 1;
  }

  set(bytes: Uint8Array, hash: number, row: number): void {
    const slot = this.#slotOf(bytes, hash);
    if (this.#slots[slot] === 0) this.#size += 1;
    this.#slots[slot] = row + 1;
    if (this.#size * 2 > this.#slots.length) this.#grow();
  }

  #slotOf(bytes: Uint8Array, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const held = this.#slots[slot] ?? 0;
      if (held === 0) return slot;
      if (this.#rows.hashOf(held - 1) === hash && isSame(this.#rows.idOf(held - 1), bytes)) {
        return slot;
      }
    }
  }

  #grow(): void {
    const former = this.#slots;
    const slots = new Uint32Array(former.length * 2);
    const mask = slots.length - 1;
    for (const held of former) {
      if (held === 0) continue;
      let slot = spread(this.#rows.hashOf(held - 1)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = held;
    }
    this.#slots = slots;
  }
}

/** Ids differ in their last characters most, which FNV leaves in the low bits alone. */
function spread(hash: number): number {
  return (Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 7) >>> 0;
}

function isSame(first: Uint8Array, second: Uint8Array): boolean {
  if (first.length !== second.length) return false;
  for (let at = 0; at < first.length; at += 1) if (first[at] !== second[at]) return false;
  return true;
}
