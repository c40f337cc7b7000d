import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp, DIST } from './build-app.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureChromium } from './ensure-chromium.mjs';
import { ROOT } from './root.mjs';

/**
 * `npm run screenshots`: plays the metro sample in the built app and pictures every page at 1280 and
 * 390 px, light and dark, into `.cache/screenshots`; the README's picture is copied to `public`.
 */
const FOLDER = join(ROOT, '.cache', 'screenshots');
const README_PICTURE = join(ROOT, 'public', 'grove.png');
const SIZES = [
  { name: '1280', width: 1280, height: 900 },
  { name: '390', width: 390, height: 844 },
];

if ((await ensureDependencies()) && (await ensureChromium())) await picture();
else process.exitCode = 1;

async function picture() {
  const [{ chromium }, { CHROMIUM_ARGUMENTS, findChromium }, { serve }] = await Promise.all([
    import('playwright'),
    import('./chromium.mjs'),
    import('./serve.mjs'),
  ]);
  await buildApp();
  mkdirSync(FOLDER, { recursive: true });
  const server = await serve({ root: DIST, port: 0 });
  const executablePath = findChromium();
  const browser = await chromium.launch({
    args: [...CHROMIUM_ARGUMENTS],
    ...(executablePath === undefined ? {} : { executablePath }),
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(server.url);
  const start = page.getByRole('button', { name: 'Try the metro sample' });
  await start.waitFor();
  await everyLook(page, 'start');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
  await start.click();
  await page.getByText('On a map that no lesson came from').waitFor({ timeout: 120_000 });
  await everyLook(page, 'story');
  // The first run of the story has the most to see: three attempts and two changes of memory.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByText('Earlier runs').click();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'sample' })
    .getByRole('button')
    .nth(-2)
    .click();
  await page.getByRole('heading', { name: /^Answer after/u }).waitFor();
  await page.getByText('Earlier runs').click();
  await page.locator('#task').evaluate((pane) => pane.scrollTo({ top: 0 }));
  await everyLook(page, 'solve');
  await page.goto(`${server.url}#/bank`);
  await page.getByRole('treeitem').first().waitFor();
  const lesson = page.getByRole('treeitem').last();
  await lesson.click();
  await everyLook(page, 'bank');
  await page.goto(`${server.url}#/bank/inbox`);
  await everyLook(page, 'inbox');
  await page.goto(`${server.url}#/settings`);
  await everyLook(page, 'settings');
  await page.goto(`${server.url}#/models`);
  await everyLook(page, 'models');
  await browser.close();
  await server.close();
  console.log(`Pictures are in ${FOLDER}`);
}

/**
 * A page as it stands, in both sizes and both themes.
 *
 * @param {import('playwright').Page} page
 * @param {string} name
 */
async function everyLook(page, name) {
  for (const { name: size, width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForTimeout(150);
      const fullPage = size === '390';
      await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`), fullPage });
      if (name === 'solve' && size === '1280' && colorScheme === 'light') {
        await page.screenshot({ path: README_PICTURE });
      }
    }
  }
}
