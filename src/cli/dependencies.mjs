import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.mjs';
import { ROOT } from './root.mjs';

/**
 * Installs what is missing with `npm ci`: when nothing is installed, or when the lock file has changed
 * since it was. Returns whether the dependencies are there; says on the terminal what to do where not.
 *
 * @returns {Promise<boolean>}
 */
export async function ensureDependencies() {
  const lock = join(ROOT, 'package-lock.json');
  // npm's own record of what it installed lacks some members of the lock file, so ours is a copy of it.
  const installed = join(ROOT, 'node_modules', '.grove-lock.json');
  if (existsSync(installed) && readFileSync(lock).equals(readFileSync(installed))) return true;
  console.log('Installing what Grove needs (npm ci) …');
  const code = await npm(['ci', '--no-audit', '--no-fund']);
  if (code !== 0) {
    console.error(
      'The installation did not finish. Check the network, then run the command again; npm has said why above.',
    );
    return false;
  }
  copyFileSync(lock, installed);
  return true;
}
