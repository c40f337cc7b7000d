import { chromium, type Browser } from 'playwright';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../../src/cli/chromium.mjs';

/** A headless Chromium: the one of this machine, else Playwright's own. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  return chromium.launch({
    args: [...CHROMIUM_ARGUMENTS],
    ...(executablePath === undefined ? {} : { executablePath }),
  });
}
