import { chromium, type Browser, type LaunchOptions } from 'playwright';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../../src/cli/chromium.mjs';

/** A headless Chromium: the one of this machine, else Playwright's own. */
export function launch(options: LaunchOptions = {}): Promise<Browser> {
  const executablePath = findChromium();
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    ...options,
    args: [...CHROMIUM_ARGUMENTS, ...(options.args ?? [])],
  });
}
