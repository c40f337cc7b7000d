import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp, DIST } from './build-app.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureChromium } from './ensure-chromium.mjs';
import { ROOT } from './root.mjs';
import { everyLook, FOLDER } from './screenshots/every-look.mjs';

/**
 * `npm run screenshots`: plays the metro sample in the built app and pictures every page at 1280 and
 * 390 px, light and dark, into `.cache/screenshots`; the README's picture goes to `public`. `-- --banks`
 * pictures the Bank page with 10, 1,000 and 10,000 lessons instead.
 */
const README_PICTURE = join(ROOT, 'public', 'grove.png');

if ((await ensureDependencies()) && (await ensureChromium())) await picture();
else process.exitCode = 1;

async function picture() {
  mkdirSync(FOLDER, { recursive: true });
  if (process.argv.includes('--banks')) {
    const { pictureBanks } = await import('./screenshots/banks.mjs');
    await pictureBanks();
  } else await pictureSample();
  console.log(`Pictures are in ${FOLDER}`);
}

async function pictureSample() {
  const [{ chromium }, { CHROMIUM_ARGUMENTS, findChromium }, { serve }] = await Promise.all([
    import('playwright'),
    import('./chromium.mjs'),
    import('./serve.mjs'),
  ]);
  await buildApp();
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
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.screenshot({ path: README_PICTURE });
  await page.goto(`${server.url}#/bank`);
  await page.getByRole('treeitem').first().waitFor();
  const lesson = page.getByRole('treeitem').last();
  await lesson.click();
  await everyLook(page, 'bank');
  await page.goto(`${server.url}#/bank/try`);
  await page.getByLabel('Try a question').fill('How many stops is it on the Quay line?');
  await page.getByRole('table').waitFor();
  await everyLook(page, 'try');
  await page.goto(`${server.url}#/bank/inbox`);
  await everyLook(page, 'inbox');
  await page.goto(`${server.url}#/settings`);
  await everyLook(page, 'settings');
  await page.goto(`${server.url}#/models`);
  await everyLook(page, 'models');
  await browser.close();
  await server.close();
}
