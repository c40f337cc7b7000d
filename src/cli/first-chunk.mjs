import { join } from 'node:path';
import { ROOT } from './root.mjs';

const GATE = join(ROOT, 'src/main.ts');
const FIRST = join(ROOT, 'src/compose.ts');

/**
 * Names the chunk of a module: one holds all that the first page needs, as each file is one more way
 * through the service worker. What the gate needs is loaded before that, by itself.
 *
 * @param {string} id
 * @param {import('rolldown').ChunkingContext} modules
 * @returns {string | null} null where the bundler decides
 */
export function firstChunk(id, modules) {
  return importedBy(FIRST, modules).has(id) && !importedBy(GATE, modules).has(id) ? 'first' : null;
}

/**
 * A module and all that it imports, directly or not, but for what it imports when asked.
 *
 * @param {string} entry
 * @param {import('rolldown').ChunkingContext} modules
 */
function importedBy(entry, modules) {
  const found = new Set([entry]);
  for (const id of found) {
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  }
  return found;
}
