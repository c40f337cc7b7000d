import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readItems } from '../../../../src/core/transfer/items/read-items.ts';
import type { ItemFile } from '../../../../src/core/transfer/items/item-file.ts';
import { writeItems } from '../../../../src/core/transfer/items/write-items.ts';

const FOLDER = resolve(import.meta.dirname, '../../../../../shared/data/memories');

/** Whether the real samples are on this machine; a notice is printed where they are not. */
export const HAS_SAMPLES = existsSync(FOLDER);
if (!HAS_SAMPLES) console.warn('SKIPPED: ../shared/data/memories is not on this machine.');

export function readSample(path: string): string {
  return readFileSync(join(FOLDER, path), 'utf8');
}

/** Reads what must be readable. */
export function mustRead(text: string): ItemFile {
  const read = readItems(text);
  if (!read.ok) throw new Error(read.refusal.message);
  return read.value;
}

export function written(file: ItemFile): string {
  return [...writeItems(file)].join('');
}
