/**
 * Typed arrays end to end in one run of bytes: their number and lengths in bytes (uint32), then each at a
 * multiple of 8, so that reading is a matter of views.
 */
export function packArrays(arrays: readonly ArrayBufferView[]): Uint8Array<ArrayBuffer> {
  const header = alignedTo8(4 * (1 + arrays.length));
  const size = arrays.reduce((sum, { byteLength }) => sum + alignedTo8(byteLength), header);
  const bytes = new Uint8Array(size);
  const lengths = new Uint32Array(bytes.buffer, 0, 1 + arrays.length);
  lengths[0] = arrays.length;
  let at = header;
  arrays.forEach(({ buffer, byteOffset, byteLength }, index) => {
    lengths[index + 1] = byteLength;
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += alignedTo8(byteLength);
  });
  return bytes;
}

/** The arrays' bytes again; null where these are not what `packArrays` made of `count` arrays. */
export function unpackArrays(bytes: Uint8Array, count: number): readonly Uint8Array[] | null {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const header = alignedTo8(4 * (1 + count));
  if (aligned.byteLength < header) return null;
  const lengths = new Uint32Array(aligned.buffer, aligned.byteOffset, 1 + count);
  if (lengths[0] !== count) return null;
  const arrays: Uint8Array[] = [];
  let at = header;
  for (const length of lengths.subarray(1)) {
    if (at + length > aligned.byteLength) return null;
    arrays.push(aligned.subarray(at, at + length));
    at += alignedTo8(length);
  }
  return at === aligned.byteLength ? arrays : null;
}

/** Views of bytes that `unpackArrays` gave. */
export function asUint32(bytes: Uint8Array = new Uint8Array(0)): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
}

export function asUint16(bytes: Uint8Array = new Uint8Array(0)): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
}

export function asFloat32(bytes: Uint8Array = new Uint8Array(0)): Float32Array {
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
}

export function asInt8(bytes: Uint8Array = new Uint8Array(0)): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function alignedTo8(length: number): number {
  return Math.ceil(length / 8) * 8;
}
