import { createHash } from 'node:crypto';

/** A JSON file of a tiny model. */
export function jsonOf(files: ReadonlyMap<string, Uint8Array>, path: string): object {
  return JSON.parse(new TextDecoder().decode(files.get(path)));
}

/** The SHA-256 of each file, by path. */
export function hashesOf(files: ReadonlyMap<string, Uint8Array>): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')]),
  );
}
