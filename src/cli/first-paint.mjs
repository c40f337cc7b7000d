import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * The JavaScript that a built page loads before it can be used: its module scripts and everything they
 * import statically, in bytes after gzip.
 *
 * @param {string} dist
 * @returns {{ bytes: number, files: string[] }}
 */
export function firstPaintScripts(dist) {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const waiting = [...page.matchAll(/<script[^>]+src="([^"]+)"/gu)].map(([, path = '']) => path);
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (sizes.has(path)) continue;
    const code = readFileSync(join(dist, path));
    sizes.set(path, gzipSync(code, { level: 9 }).byteLength);
    const text = code.toString();
    // Static imports stand at the top: `import{a as b}from"./x.js"` and `import"./x.js"`.
    for (const [, name = ''] of text.matchAll(
      /(?:^|[;}\s])import\s*(?:[\w{}\s,$*]+from\s*)?"\.\/([^"]+)"/gu,
    )) {
      waiting.push(`/assets/${name}`);
    }
  }
  return {
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
    files: [...sizes.keys()],
  };
}
