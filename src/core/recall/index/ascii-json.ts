/**
 * JSON in ASCII alone, so that bytes and characters are the same: whatever is not ASCII is escaped, lone
 * surrogates included.
 */
export function jsonToBytes(value: unknown): Uint8Array<ArrayBuffer> {
  const json = JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Uint8Array.from({ length: json.length }, (_, at) => json.charCodeAt(at));
}

/** The value again; undefined where the bytes are no JSON. */
export function jsonFromBytes(bytes: Uint8Array): unknown {
  let json = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    json += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
