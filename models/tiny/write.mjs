/** Writes the tiny encoder's files into a folder: `node models/tiny/write.mjs FOLDER`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tinyEncoder } from './encoder.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
for (const [path, bytes] of tinyEncoder()) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  console.log(`${file}: ${bytes.length} bytes`);
}
