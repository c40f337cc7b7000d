/** Writes a tiny model's files into a folder: `node models/tiny/write.mjs FOLDER [MODEL]`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tinyDecoder } from './decoder.mjs';
import { tinyEncoder } from './encoder.mjs';
import { tinyImageText } from './image-text.mjs';

const MODELS = new Map([
  ['encoder', tinyEncoder],
  ['decoder', tinyDecoder],
  ['image-text', tinyImageText],
]);

const [folder, name = 'encoder'] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
const make = MODELS.get(name);
if (make === undefined) throw new Error(`which model: ${[...MODELS.keys()].join(', ')}?`);
for (const [path, bytes] of make()) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  console.log(`${file}: ${bytes.length} bytes`);
}
