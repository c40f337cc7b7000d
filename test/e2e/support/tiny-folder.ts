import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A model's files in a folder of this name, as a person would pick it. */
export function tinyFolder(
  name: string,
  files: ReadonlyMap<string, Uint8Array>,
): { readonly path: string; remove(): void } {
  const parent = mkdtempSync(join(tmpdir(), 'grove-models-'));
  const path = join(parent, name);
  for (const [file, bytes] of files) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), bytes);
  }
  return { path, remove: () => rmSync(parent, { recursive: true }) };
}
