/**
 * Lists the words of sample material that an encoder should know: `node collect-words.mjs FOLDER`
 * prints each word of at least three letters that stands in two of the folder's text files, or twice in
 * one, in order. Nothing else of the material is kept. `seen-words.txt` is its output, less what the
 * package lacks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const TEXT = new Set(['.json', '.jsonl', '.traj', '.txt', '.md']);

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => TEXT.has(extname(path)))
  .map((path) => join(folder, path))
  .toSorted();
const counts = new Map();
for (const file of files) {
  // A line break inside a string is written as `\n` in these files, before its word.
  const text = readFileSync(file, 'utf8').replaceAll(/\\+[nrt]/gu, ' ');
  for (const [word] of text.matchAll(/(?<![\p{L}\p{N}])[a-z]{3,24}(?![\p{L}\p{N}])/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
}
const seen = [...counts].filter(([, count]) => count > 1).map(([word]) => word);
console.log(seen.toSorted().join('\n'));
