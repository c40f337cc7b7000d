import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './npm.mjs';
import { ROOT } from './root.mjs';

/**
 * Finds a Chromium, or gets one: with apt where this is Debian and we may, else Playwright's own.
 * Where neither works it says exactly what to run.
 *
 * @returns {Promise<boolean>} whether there is one
 */
export async function ensureChromium() {
  const { findChromium } = await import('./chromium.mjs');
  if (findChromium() !== undefined) return true;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    console.log('No Chromium found: installing it with apt-get …');
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update', '-qq'], { env });
    await run(
      'apt-get',
      ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
      { env },
    );
    if (findChromium() !== undefined) return true;
  }
  console.log('No Chromium found: asking Playwright to install one …');
  const playwright = join(ROOT, 'node_modules', 'playwright', 'cli.js');
  await run(process.execPath, [playwright, 'install', 'chromium']);
  if (findChromium() !== undefined) return true;
  console.error(
    'The tests need a Chromium and none could be installed here. Run one of these, then the tests again:\n' +
      '  sudo apt-get install -y chromium          (Debian, Ubuntu)\n' +
      '  npx playwright install chromium           (any system with internet)\n' +
      '  CHROMIUM_PATH=/path/to/chromium npm test  (one that you have)',
  );
  return false;
}
