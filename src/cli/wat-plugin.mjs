import { readFile } from 'node:fs/promises';
import wabt from 'wabt';

/** @type {ReturnType<typeof wabt> | undefined} */
let toolkit;

/**
 * Makes `import bytes from './name.wat'` the bytes of the compiled WebAssembly module. They are inlined:
 * a kernel is under 1 kB, and so it is there offline, in a worker and in a Node test alike.
 *
 * @returns {import('vite').Plugin}
 */
export function wat() {
  return {
    name: 'grove-wat',
    enforce: 'pre',
    async load(id) {
      const path = id.replace(/\?.*$/u, '');
      if (!path.endsWith('.wat')) return null;
      const base64 = Buffer.from(await compileWat(path)).toString('base64');
      return `export default Uint8Array.from(atob(${JSON.stringify(base64)}), (one) => one.charCodeAt(0));`;
    },
  };
}

/**
 * Compiles WebAssembly text.
 *
 * @param {string} path
 * @returns {Promise<Uint8Array>}
 * @throws where the text is not a valid module, naming the line
 */
export async function compileWat(path) {
  toolkit ??= wabt();
  const { parseWat } = await toolkit;
  const module = parseWat(path, await readFile(path, 'utf8'), {
    simd: true,
    relaxed_simd: true,
  });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}
