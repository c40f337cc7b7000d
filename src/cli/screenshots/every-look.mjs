import { join } from 'node:path';
import { ROOT } from '../root.mjs';

/** Where pictures go. */
export const FOLDER = join(ROOT, '.cache', 'screenshots');

const SIZES = [
  { name: '1280', width: 1280, height: 900 },
  { name: '390', width: 390, height: 844 },
];

/**
 * A page as it stands, in both sizes and both themes.
 *
 * @param {import('playwright').Page} page
 * @param {string} name
 */
export async function everyLook(page, name) {
  for (const { name: size, width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForTimeout(150);
      const fullPage = size === '390';
      await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`), fullPage });
    }
  }
}
